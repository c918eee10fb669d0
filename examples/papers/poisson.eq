// Poisson's equation on the unit square, -(d2u/dx2 + d2u/dy2) = 2*pi^2*sin(pi*x)*sin(pi*y), u = 0 on the edges, by differences of five
// points: one block of n*n unknowns. Look at `:blt`: a grid has no cheap order, so a sparse LU solves all of it; and at u in the middle
// beside the exact solution of the difference equations.
parameter n = 9 "inner points along an edge: odd"
parameter h = 1 / (n + 1)
variable u[n, n]
for i in 1:n
  for j in 1:n
    4 * u[i, j] = (if i > 1 then u[i-1, j] else 0) + (if i < n then u[i+1, j] else 0) + (if j > 1 then u[i,
        j-1] else 0) + (if j < n then u[i, j+1] else 0) + 2 * (pi * h)^2 * sin(pi * h * i) * sin(pi * h * j)
  end
end
variable middle = u[div(n + 1, 2), div(n + 1, 2)]

:simulate
:blt
:value middle
:value ((pi * h / 2)^2 / sin(pi * h / 2)^2)
