// multibody/shapes.eq: what `:animate` draws. Shapes are parameters only: they add nothing to the equations.

enum ShapeType box, cylinder, sphere, ellipsoid, rod, hinge, ball, slide, bar, line, spring

model Shape
  """How a component is drawn: fixed to its frame_a (else frame_b), or from frame_a to frame_b. A width of 0 is one in proportion to the
  mechanism. box, cylinder (width is the diameter) and sphere are of the size given; rod is a thin cylinder; hinge is a short cylinder with
  the middle at r_shape, ball a sphere there. slide, bar, line and spring go from frame_a to frame_b."""
  parameter shapeType : ShapeType = box "what it is"
  parameter r_shape[3] : m = {0, 0, 0} "from the frame to where the shape begins, resolved in the frame"
  parameter lengthDirection[3] = {1, 0, 0} "direction of the length, resolved in the frame"
  parameter widthDirection[3] = {0, 1, 0} "direction of the width; its part along the length does not count"
  parameter length(min = 0) : m = 0 "length"
  parameter width(min = 0) : m = 0 "width, or diameter"
  parameter height(min = 0) : m = width "height"
  parameter innerWidth(min = 0) : m = 0 "width of the hollow"
  parameter innerHeight(min = 0) : m = innerWidth "height of the hollow"
end

model InertiaShape extends Shape(final shapeType =
    ellipsoid) "The ellipsoid of uniform density with this mass and inertia, at r_shape."
  parameter m : kg = 1 "mass"
  parameter I[3, 3] : kg*m^2 = identity(3) "inertia tensor at the centre"
end

model FixedShape "A shape fixed to frame_a, without mass. [MSL]"
  parameter animation : Boolean = true "true: it is drawn"
  parameter shapeType : ShapeType = box "box, cylinder, sphere, rod, hinge or ball"
  parameter r_shape[3] : m = {0, 0, 0} "from frame_a to where the shape begins, resolved in frame_a"
  parameter lengthDirection[3] = {1, 0, 0} "direction of the length, resolved in frame_a"
  parameter widthDirection[3] = {0, 1, 0} "direction of the width; its part along the length does not count"
  parameter length(min = 0) : m = 1 "length"
  parameter width(min = 0) : m = 1 "width, or diameter"
  parameter height(min = 0) : m = width "height"
  parameter innerWidth(min = 0) : m = 0 "width of the hollow"
  frame_a : Frame
  private shape : Shape(shapeType = shapeType, r_shape = r_shape, lengthDirection = lengthDirection, widthDirection =
      widthDirection, length = length, width = width, height = height, innerWidth = innerWidth) if animation
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
end
