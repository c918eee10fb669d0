// multibody/frames.eq: orientations, rotations, products of vectors. Names and signs as in MSL 4.0.0, Mechanics.MultiBody.Frames.
//   A vector without index is resolved in the frame it belongs to, with _0 in the world frame. An orientation T takes a vector's
//   components in the world frame to those in the frame: v = T*v_0, v_0 = T'*v. What a joint adds is R_rel: v_b = R_rel*v_a.

record Orientation "how a frame is turned, and how it turns"
  variable T[3, 3] : 1 "rotates from world frame to frame"
  variable w[3] : rad/s "angular velocity relative to the world frame"
  variable z[3] : rad/s^2 "angular acceleration, der(w)"
  function equal(a, b) = separation(a.T, b.T) @derivative(b.w - a.w, b.z - a.z)
end

// Zero where two orientations agree: axes of one are perpendicular to other axes of the other. Three conditions instead of nine.
function misalignment(A[3, 3], B[3, 3]) = {A[3, :] * B[2, :], A[3, :] * B[1, :], A[2, :] * B[1, :]}

// The same as angles, which half turns make as large as possible: where an iteration may start anywhere.
function separation(A[3, 3], B[3, 3])
  s = misalignment(A, B)
  c = A[3, :] * B[3, :]
  return {atan2(s[1], c), atan2(s[2], c), atan2(s[3], A[2, :] * B[2, :])}
end

record Motion "how the origin of a frame moves"
  variable v[3] : m/s "velocity"
  variable a[3] : m/s^2 "acceleration minus uniform gravity: what an accelerometer shows"
  function equal(a, b) = zeros(0)  // follows from the position
end

function unit(v[3]) = v / sqrt(v * v)  // along v, of length 1

// About the unit vector e by the angle phi, as frame_b is turned.  [Rodrigues]
function planarRotation(e[3], phi) = outer_product(e, e) + (identity(3) - outer_product(e, e)) * cos(phi) - skew(e) *
    sin(phi)

// About a coordinate axis: 1, 2 or 3.
function axisRotation(axis, phi) = planarRotation(axisVector(axis), phi)
function axisVector(axis) = {if axis == k then 1 else 0 for k in 1:3}

// About three axes in turn, each as it is turned already.
function axesRotations(sequence[3], angles[3]) = axisRotation(sequence[3], angles[3]) * axisRotation(sequence[2],
    angles[2]) * axisRotation(sequence[1], angles[1])

// Angular velocity of such a rotation, resolved in the turned frame, from the speeds of the angles: w = axesSpeeds*der(angles).
function axesSpeeds(sequence[3], angles[3])
  R3 = axisRotation(sequence[3], angles[3])
  R2 = R3 * axisRotation(sequence[2], angles[2])
  return [R2[:, sequence[1]], R3[:, sequence[2]], axisVector(sequence[3])]
end

// n_y, or where it is along n_x a direction that is not. [MSL: from_nxy]
function beside(n_x[3], n_y[3])
  c = cross(n_x, n_y)
  return if c * c > 1e-12 * (n_x * n_x) * (n_y * n_y) then n_y else if n_x[1]^2 > 1e-12 * (n_x * n_x) then {0, 1,
      0} else {1, 0, 0}
end

// The first axis along n_x, the second towards n_y.
function from_nxy(n_x[3], n_y[3])
  x = unit(n_x)
  z = unit(cross(x, n_y))
  y = cross(z, x)
  return [x[1], x[2], x[3]; y[1], y[2], y[3]; z[1], z[2], z[3]]
end

// Orientation of a quaternion, the scalar last; of any length, which divides out.  [Euler parameters]
function from_Q(Q[4])
  q = Q[1:3]
  return ((Q[4]^2 - q * q) * identity(3) + 2 * outer_product(q, q) - 2 * Q[4] * skew(q)) / (Q * Q)
end

// Quaternion of an orientation, of length 1, by way of an element that is not small; where that becomes another one the sign may
// jump.  [Shepperd, 1978]
function to_Q(T[3, 3])
  t = {1 + T[1, 1] - T[2, 2] - T[3, 3], 1 - T[1, 1] + T[2, 2] - T[3, 3], 1 - T[1, 1] - T[2, 2] + T[3, 3], 1 + T[1, 1] +
      T[2, 2] + T[3, 3]}
  u = {T[2, 3] - T[3, 2], T[3, 1] - T[1, 3], T[1, 2] - T[2, 1]}
  v = {T[2, 3] + T[3, 2], T[3, 1] + T[1, 3], T[1, 2] + T[2, 1]}
  q = noEvent(if t[4] >= 1 then {u[1], u[2], u[3], t[4]} elseif t[1] >= 1 then {t[1], v[3], v[2],
      u[1]} elseif t[2] >= 1 then {v[3], t[2], v[1], u[2]} else {v[2], v[1], t[3], u[3]})
  return q / sqrt(q * q)
end

// Derivative of a quaternion whose frame turns with w, resolved in the frame. Keeps the length.
function derivative_Q(Q[4], w[3])
  q = Q[1:3]
  u = (Q[4] * w + cross(q, w)) / 2
  return {u[1], u[2], u[3], -q * w / 2}
end

// Quaternion of first P and then Q.
function product_Q(P[4], Q[4])
  p = P[1:3]
  q = Q[1:3]
  v = P[4] * q + Q[4] * p + cross(p, q)
  return {v[1], v[2], v[3], P[4] * Q[4] - p * q}
end

function axis_Q(axis, phi)
  e = axisVector(axis) * sin(phi / 2)
  return {e[1], e[2], e[3], cos(phi / 2)}
end

// Quaternion of axesRotations.
function axes_Q(sequence[3], angles[3]) = product_Q(product_Q(axis_Q(sequence[1], angles[1]), axis_Q(sequence[2],
    angles[2])), axis_Q(sequence[3], angles[3]))

// w × (w × r) = centripetal(w)*r, from six products of w.
function centripetal(w[3])
  x = w[1]^2
  y = w[2]^2
  z = w[3]^2
  xy = w[1] * w[2]
  xz = w[1] * w[3]
  yz = w[2] * w[3]
  return [-y - z, xy, xz; xy, -x - z, yz; xz, yz, -x - y]
end

// w × (I*w) for a symmetric I, from the same six products: W = centripetal(w).
function gyroscopic(I[3, 3], W[3, 3]) = {(I[3, 3] - I[2, 2]) * W[2, 3] + I[3, 2] * (W[2, 2] - W[3, 3]) + I[3, 1] * W[1,
    2] - I[2, 1] * W[1, 3], (I[1, 1] - I[3, 3]) * W[1, 3] + I[3, 1] * (W[3, 3] - W[1, 1]) + I[2, 1] * W[2, 3] - I[3,
    2] * W[1, 2], (I[2, 2] - I[1, 1]) * W[1, 2] + I[2, 1] * (W[1, 1] - W[2, 2]) + I[3, 2] * W[1, 3] - I[3, 1] * W[2, 3]}
