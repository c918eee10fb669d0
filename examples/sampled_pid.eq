// A computer controls a motor: every 10 ms it samples the angle, works out a PID law (velocity form: the change of the output from the last three
// errors) and holds its output until the next sample; the motor between the samples is continuous. The output is limited, and the law, which adds
// to the limited value, does not wind up.
// Look at the steps of the output and at the angle; and at the steady state: with a load of 0.5 N*m the integral part makes the error vanish.
use rotational

parameter Ts : s = 0.01 "sample period"
parameter kp : N*m = 20
parameter Ti : s = 0.5
parameter Td : s = 0.08
parameter limit : N*m = 10
motor : Torque
rotor : Inertia(J = 0.2, phi(start = 0, fixed), w(start = 0, fixed))
bearing : Damper(d = 0.1)
load : TorqueStep(stepTorque = -0.5, startTime = 2)
ground : Fixed
connect motor.flange, rotor.flange_a
connect rotor.flange_b, load.flange, bearing.flange_a
connect bearing.flange_b, ground.flange
variable set : rad = if time < 0.1 then 0 else 1 "set point"
discrete error(start = 0, fixed) : rad "error at the last sample"
discrete before(start = 0, fixed) : rad "error at the sample before"
discrete y(start = 0, fixed) : N*m "output"
when sample(0, Ts)
  error = set - rotor.phi
  before = pre(error)
  y = max(-limit, min(limit, pre(y) + kp * (error - pre(error) + Ts / Ti * error + Td / Ts * (error - 2 * pre(error) + pre(before)))))
end
motor.tau = y

:simulate until 4 points 1600 tol 1e-8
:value rotor.phi y at 1.9
:value rotor.phi y
:plot rotor.phi set
:plot y
