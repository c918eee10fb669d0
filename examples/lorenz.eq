// Lorenz's equations: convection between two plates, in three variables. Chaos: solutions that start close to each other part.
// Look at the two solutions, which start 1e-6 apart and have nothing in common after 25 time units; and at the butterfly.

model Lorenz
  parameter sigma = 10
  parameter rho = 28
  parameter beta = 8 / 3
  variable x(start = 1, fixed)
  variable y(start = 1, fixed)
  variable z(start = 20, fixed)
  der(x) = sigma * (y - x)
  der(y) = x * (rho - z) - y
  der(z) = x * y - beta * z
end

a : Lorenz
b : Lorenz(x(start = 1.000001))

:simulate until 40 points 4000 tol 1e-9
:value a.x b.x at 10
:value a.x b.x
:plot a.x b.x
:plot a.z vs a.x
