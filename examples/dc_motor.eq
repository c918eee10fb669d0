// A DC motor turns a load through a gear and an elastic shaft; a PI controller holds the motor's speed.
// Look at the step of the set point at 0.5 s: the speed follows, with the shaft's oscillation in it; and at the torque step of the
// load at 3 s, which the controller takes out again.
use electrical
use rotational
use blocks: Step, Feedback, PI

reference : Step(height = 100, startTime = 0.5)
difference : Feedback
controller : PI(k = 0.5, T = 0.2, initType = InitialState)
source : SignalVoltage
R : Resistor(R = 0.5)
L : Inductor(L = 5 [mH], i(start = 0, fixed))
emf : RotationalEMF(k = 0.4)
rotor : Inertia(J = 0.01, phi(start = 0, fixed), w(start = 0, fixed))
gear : IdealGear(ratio = 5)
shaft : Spring(c = 300)
load : Inertia(J = 0.5, phi(start = 0, fixed), w(start = 0, fixed))
friction : LinearSpeedDependentTorque(tau_nominal = -10, w_nominal = 20, TorqueDirection = false)
brake : TorqueStep(stepTorque = -20, startTime = 3)
tachometer : SpeedSensor
ground : Ground

connect reference.y, difference.u1
connect difference.y, controller.u
connect controller.y, source.v
connect source.p, R.p
connect R.n, L.p
connect L.n, emf.p
connect emf.n, source.n, ground.p
connect emf.flange, rotor.flange_a
connect rotor.flange_b, gear.flange_a, tachometer.flange
connect tachometer.w, difference.u2
connect gear.flange_b, shaft.flange_a
connect shaft.flange_b, load.flange_a
connect load.flange_b, friction.flange, brake.flange

:simulate until 6 points 1200 tol 1e-7
:value rotor.w load.w R.i
:plot rotor.w
:plot R.i
