// A damped pendulum in its angle: m*l^2*phi'' = -m*g*l*sin(phi) - d*phi'. It starts fast enough to go over the top.
// Look at the turns it makes before it swings to rest: the final angle is a multiple of 2*pi.

parameter m : kg = 1 "mass"
parameter l : m = 0.5 "length"
parameter d : N*m*s = 0.08 "damping in the bearing"
constant g = 9.81 [m/s^2]
variable phi(start = 0, fixed) : rad "angle from the lowest point"
variable w(start = 18, fixed) : rad/s = der(phi) "speed"
variable E : J = m * l^2 * w^2 / 2 + m * g * l * (1 - cos(phi)) "energy"
m * l^2 * der(w) = -m * g * l * sin(phi) - d * w

:simulate until 30 points 1000 tol 1e-8
:value (phi / (2 * pi)) E
:plot phi
:plot w vs phi
