// A pendulum in Cartesian coordinates, turning full circles: position, velocity and acceleration are constrained by one length.
// x works as the state where the pendulum hangs, y where it is level: `:states` shows the choice and how often it changed. `stretch`
// and `drift` show that nothing is lost in between.
parameter g = 9.81 [m/s^2]
variable x(start = 0, fixed)
variable y(start = -1)
variable vx(start = 7, fixed) = der(x)
variable vy = der(y)
variable F
variable stretch = sqrt(x^2 + y^2) - 1
variable drift = (vx^2 + vy^2) / 2 + g * y - (49 / 2 - g)
length :: x^2 + y^2 = 1
der(vx) = -x * F
der(vy) = -y * F - g
:simulate until 10 tol 1e-8
:index
:states
:value stretch drift
:plot x y
