// reference: Blocks.Examples.PID_Controller.csv
// A limited PI controller moves two inertias with an elastic shaft between them along a fastest motion.
use rotational
use blocks: LimPID, KinematicPTP, Integrator, SimpleController, Init

parameter driveAngle : rad = 1.570796326794897
PI : LimPID(k = 100, Ti = 0.1, yMax = 12, Ni = 0.1, initType = Init.SteadyState, controllerType = SimpleController.PI, limiter.u(start = 0), Td = 0.1)
inertia1 : Inertia(phi(fixed, start = 0), J = 1, a(fixed, start = 0))
torque : Torque
spring : SpringDamper(c = 1e4, d = 100, w_rel(fixed))
inertia2 : Inertia(J = 2)
kinematicPTP : KinematicPTP(startTime = 0.5, deltaq = {driveAngle}, qd_max = {1}, qdd_max = {1})
integrator : Integrator(initType = Init.InitialState)
speedSensor : SpeedSensor
loadTorque : ConstantTorque(tau_constant = 10)
initial der(spring.w_rel) = 0
connect kinematicPTP.y[1], integrator.u
connect integrator.y, PI.u_s
connect speedSensor.w, PI.u_m
connect PI.y, torque.tau
connect torque.flange, inertia1.flange_a
connect inertia1.flange_b, spring.flange_a, speedSensor.flange
connect spring.flange_b, inertia2.flange_a
connect inertia2.flange_b, loadTorque.flange

experiment stop = 4, tolerance = 1e-8
