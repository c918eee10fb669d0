// Predators and prey (Lotka and Volterra): x' = a*x - b*x*y, y' = c*x*y - d*y.
// Look at the cycles, the predators a quarter period late, and at V, which is constant along a solution.

parameter a = 1.1 "birth rate of the prey"
parameter b = 0.4 "rate at which prey is caught"
parameter c = 0.1 "rate at which predators live on it"
parameter d = 0.4 "death rate of the predators"
variable x(start = 10, fixed) "prey"
variable y(start = 5, fixed) "predators"
variable V = c * x - d * log(x) + b * y - a * log(y) "constant of the motion"
der(x) = a * x - b * x * y
der(y) = c * x * y - d * y

:simulate until 50 points 1000 tol 1e-9
:value V at 0
:value V
:plot x y
:plot y vs x
