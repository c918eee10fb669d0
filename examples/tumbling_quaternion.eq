// A rigid body that tumbles freely: its orientation is a quaternion of length 1. Three of the four components are states at a time,
// the angular velocity always is. Look at `:states`; `norm`, `E` and the momentum in the fixed frame stay what they were.
parameter J1 = 1
parameter J2 = 2
parameter J3 = 3
variable q1(start = 0)
variable q2(start = 0)
variable q3(start = 0)
variable q4(start = 1)
variable w1(start = 0.1, fixed)
variable w2(start = 2, fixed)
variable w3(start = 0.2, fixed)
unit_length :: q1^2 + q2^2 + q3^2 + q4^2 = 1
w1 = 2*( q4*der(q1) + q3*der(q2) - q2*der(q3) - q1*der(q4))
w2 = 2*(-q3*der(q1) + q4*der(q2) + q1*der(q3) - q2*der(q4))
w3 = 2*( q2*der(q1) - q1*der(q2) + q4*der(q3) - q3*der(q4))
J1*der(w1) = (J2 - J3)*w2*w3
J2*der(w2) = (J3 - J1)*w3*w1
J3*der(w3) = (J1 - J2)*w1*w2
variable norm = q1^2 + q2^2 + q3^2 + q4^2 - 1
variable E = (J1*w1^2 + J2*w2^2 + J3*w3^2)/2
// angular momentum in the fixed frame
variable hx = (1 - 2*(q2^2+q3^2))*J1*w1 + 2*(q1*q2 - q3*q4)*J2*w2 + 2*(q1*q3 + q2*q4)*J3*w3
variable hy = 2*(q1*q2 + q3*q4)*J1*w1 + (1 - 2*(q1^2+q3^2))*J2*w2 + 2*(q2*q3 - q1*q4)*J3*w3
:simulate until 100 tol 1e-10
:states
:value norm E hx hy at 0
:value norm E hx hy
