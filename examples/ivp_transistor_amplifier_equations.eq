// The transistor amplifier as the IVP test set writes it (problem II-10): eight equations whose mass matrix is singular. Capacitors
// between nodes give pairs of rows with the same C * (der(a) - der(b)): the structure sees eight derivatives, the rank is five.
// Look at `:index`: each pair is found to depend on each other, and its sum, which has no derivative, becomes a constraint. At t = 0.2 the
// reference has y[1] = -5.562145012262709e-3 and y[8] = 1.236995868091548.
parameter Ub = 6
parameter UF = 0.026
parameter alpha = 0.99
parameter beta = 1e-6
parameter R0 = 1000
parameter R = 9000
parameter C[5] = {1e-6, 2e-6, 3e-6, 4e-6, 5e-6}
variable y[8](start = {0, 3, 3, 6, 3, 3, 6, 0})
variable g1 = beta * (exp((y[2] - y[3]) / UF) - 1)
variable g2 = beta * (exp((y[5] - y[6]) / UF) - 1)

C[1] * (der(y[2]) - der(y[1])) = (y[1] - 0.1 * sin(200 * pi * time)) / R0
C[1] * (der(y[1]) - der(y[2])) = 2 * y[2] / R - Ub / R + (1 - alpha) * g1
-C[2] * der(y[3]) = y[3] / R - g1
C[3] * (der(y[5]) - der(y[4])) = (y[4] - Ub) / R + alpha * g1
C[3] * (der(y[4]) - der(y[5])) = 2 * y[5] / R - Ub / R + (1 - alpha) * g2
-C[4] * der(y[6]) = y[6] / R - g2
C[5] * (der(y[8]) - der(y[7])) = (y[7] - Ub) / R + alpha * g2
C[5] * (der(y[7]) - der(y[8])) = y[8] / R

:index
:states
:simulate until 0.2 tol 1e-9
:value y[1] y[8]
