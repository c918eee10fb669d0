// Automatic gear shift: a motor drives a car through two gears in parallel, each with a clutch. The gear changes up when the motor gets
// faster than w_up and down when it gets slower than w_down; the next change is possible 1 s later. The old clutch opens and the new one closes
// within half a second, slips, and locks.
// Look at the motor's speed, a saw tooth, next to the car's, which does not jump; and at 24 s, when the second gear is locked: the motor's
// speed is ratio times that of the wheels.
use rotational

parameter ratio[2] : 1 = {3, 1.3}
parameter w_up : rad/s = 250
parameter w_down : rad/s = 80
parameter radius : m = 0.3 "of the wheels"
parameter mass : kg = 1200
motor : Torque
rotor : Inertia(J = 0.2, phi(start = 0, fixed), w(start = 50, fixed))
clutch[2] : Clutch(fn_max = 1500, mu_pos = [0, 0.4], peak = 1.1)
gear[2] : IdealGear(ratio = ratio)
car : Inertia(J = mass * radius^2, phi(start = 0, fixed), w(start = 0, fixed))
drag : QuadraticSpeedDependentTorque(tau_nominal = -250, w_nominal = 100, TorqueDirection = false)
discrete number(start = 1, fixed) : Integer "of the gear"
discrete old(start = 1, fixed) : Integer "of the gear before"
discrete changed(start = -1, fixed) : s "time of the last change"
variable closed : 1 = noEvent(min((time - changed) / 0.5 [s], 1)) "part of the change that is done"

connect motor.flange, rotor.flange_a
for k in 1:2
  connect rotor.flange_b, clutch[k].flange_a
  connect clutch[k].flange_b, gear[k].flange_a
  connect gear[k].flange_b, car.flange_a
  clutch[k].f_normalized = if number == k then closed elseif old == k then 1 - closed else 0
end
connect car.flange_b, drag.flange
variable pedal : 1 = if time < 25 then 1 else 0 "after 25 s the car rolls, braked by the motor"
motor.tau = 250 [N*m] * pedal - 0.2 [N*m*s] * rotor.w
variable shift : Boolean = time > pre(changed) + 1 [s]
when shift and rotor.w > w_up and pre(number) < 2
  old = pre(number)
  number = pre(number) + 1
  changed = time
elsewhen shift and rotor.w < w_down and pre(number) > 1
  old = pre(number)
  number = pre(number) - 1
  changed = time
end

:simulate until 60 points 1200 tol 1e-7
:value number rotor.w car.w at 5
:value rotor.w (1.3 * car.w) at 24
:value number rotor.w car.w
:plot rotor.w
:plot (car.w * radius)
:plot number
