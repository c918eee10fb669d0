// Automatic gear shift: a motor drives a car through four gears in parallel, each with a clutch. The gear changes up when the motor gets
// faster than w_up and down when it gets slower than w_down; the next change is possible 1 s later. The old clutch opens and the new one
// closes within half a second, slips, and locks. From 50 s on the car rolls, braked by the motor.
// Look at the motor's speed, a saw tooth, next to the car's, which does not jump; at 45 s, when the fourth gear is locked, the motor's
// speed is ratio times that of the wheels. What the motor gave is found again: lost in the drag and the clutches, and in the moving parts.
use rotational

parameter n : Integer = 4
parameter ratio[n] : 1 = {4, 2.4, 1.6, 1.2}
parameter w_up : rad/s = 170
parameter w_down : rad/s = 100
parameter radius : m = 0.3 "of the wheels"
parameter mass : kg = 1200
motor : Torque
rotor : Inertia(J = 0.2, phi(start = 0, fixed), w(start = 50, fixed))
clutch[n] : Clutch(fn_max = 1500, mu_pos = [0, 0.4], peak = 1.1)
gear[n] : IdealGear(ratio = ratio)
car : Inertia(J = mass * radius^2, phi(start = 0, fixed), w(start = 0, fixed))
drag : QuadraticSpeedDependentTorque(tau_nominal = -100, w_nominal = 100, TorqueDirection = false)
discrete number(start = 1, fixed) : Integer "of the gear"
discrete old(start = 1, fixed) : Integer "of the gear before"
discrete changed(start = -1, fixed) : s "time of the last change"
variable closed : 1 = noEvent(min((time - changed) / 0.5 [s], 1)) "part of the change that is done"

connect motor.flange, rotor.flange_a
for k in 1:n
  connect rotor.flange_b, clutch[k].flange_a
  connect clutch[k].flange_b, gear[k].flange_a
  connect gear[k].flange_b, car.flange_a
  clutch[k].f_normalized = if number == k then closed elseif old == k then 1 - closed else 0
end
connect car.flange_b, drag.flange
variable pedal : 1 = if time < 50 then 1 else 0
motor.tau = 300 [N*m] * pedal - 0.5 [N*m*s] * rotor.w
variable shift : Boolean = time > pre(changed) + 1 [s]
when shift and rotor.w > w_up and pre(number) < n
  old = pre(number)
  number = pre(number) + 1
  changed = time
elsewhen shift and rotor.w < w_down and pre(number) > 1
  old = pre(number)
  number = pre(number) - 1
  changed = time
end
variable given(start = rotor.J / 2 * (50 [rad/s])^2, fixed) : J "energy of the motor, and that of its rotor at the start"
variable lost(start = 0, fixed) : J "to the drag and in the clutches"
der(given) = motor.tau * rotor.w
der(lost) = sum(clutch[k].lossPower for k in 1:n) - drag.tau * car.w

:simulate until 150 points 2000 tol 1e-8
:value number rotor.w (ratio[4] * car.w) at 45
:value number rotor.w car.w
:value given (lost + rotor.J / 2 * rotor.w^2 + car.J / 2 * car.w^2)
:plot rotor.w
:plot (car.w * radius)
:plot number
