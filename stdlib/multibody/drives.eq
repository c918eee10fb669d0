// multibody/drives.eq: parts of drive trains that sit on moving bodies. Their flanges turn relative to frame_a, the housing, whose body has
//   the mass and the inertia of the part as if it could not turn. With world.driveTrainMechanics3D = false they are as in `rotational`, and
//   frame_a is not there.

model Rotor1D
  """Rotor on an axis n of a moving housing: J*(a + n*z_housing) = tau_a + tau_b, where exact = false leaves out the part of the housing. The
  housing takes the gyroscopic torque w_housing x J*w. [MSL]"""
  parameter J(min = 0, start = 1) : kg*m^2 "moment of inertia about the axis"
  parameter n[3] : 1 = {1, 0, 0} "axis, resolved in frame_a" @structure
  parameter r_center[3] : m = {0, 0, 0} "from frame_a to the middle of the rotor, for drawing"
  parameter exact : Boolean = true "false: the housing's angular acceleration does not drive the rotor"
  parameter stateSelect : State = prefer "of phi and w"
  parameter animation : Boolean = true "true: it is drawn"
  outer world : World
  private shape : Shape(shapeType = hinge, r_shape = r_center, lengthDirection = n) if animation and
      world.driveTrainMechanics3D
  flange_a, flange_b : rotational.Flange
  frame_a : Frame if world.driveTrainMechanics3D
  final parameter e[3] : 1 = unit(n) "unit vector along the axis" @structure
  variable phi(start = 0, state = stateSelect) : rad "angle relative to the housing"
  variable w(start = 0, state = stateSelect) : rad/s = der(phi) "speed relative to the housing"
  variable a(start = 0) : rad/s^2 = der(w) "acceleration relative to the housing"
  private variable tau_z : N*m "what the housing's angular acceleration takes of the torque"
  phi = flange_a.phi
  phi = flange_b.phi
  if world.driveTrainMechanics3D
    tau_z = J * (e * frame_a.R.z)
    frame_a.f = zeros(3)
    frame_a.t = cross(frame_a.R.w, J * w * e) - e * tau_z
  else
    tau_z = 0
  end
  if exact
    J * a = flange_a.tau + flange_b.tau - tau_z
  else
    J * a = flange_a.tau + flange_b.tau
  end
end

model Mounting1D "Holds a flange in a moving housing: flange_b.phi = phi0, the torque goes to frame_a along n. [MSL]"
  parameter phi0 : rad = 0 "angle"
  parameter n[3] : 1 = {1, 0, 0} "axis of the flange, resolved in frame_a" @structure
  outer world : World
  flange_b : rotational.Flange
  frame_a : Frame if world.driveTrainMechanics3D
  flange_b.phi = phi0
  if world.driveTrainMechanics3D
    frame_a.f = zeros(3)
    frame_a.t = -unit(n) * flange_b.tau
  end
end

model BevelGear1D extends rotational.TwoFlanges
  "Ideal gear between shafts of different directions: flange_a.phi = ratio*flange_b.phi; the housing takes both torques. [MSL]"
  parameter ratio(start = 1) : 1 "speed of flange_a by that of flange_b"
  parameter n_a[3] : 1 = {1, 0, 0} "axis of flange_a, resolved in frame_a" @structure
  parameter n_b[3] : 1 = {1, 0, 0} "axis of flange_b, resolved in frame_a" @structure
  outer world : World
  frame_a : Frame if world.driveTrainMechanics3D
  flange_a.phi = ratio * flange_b.phi
  ratio * flange_a.tau + flange_b.tau = 0
  if world.driveTrainMechanics3D
    frame_a.f = zeros(3)
    frame_a.t = -unit(n_a) * flange_a.tau - unit(n_b) * flange_b.tau
  end
end
