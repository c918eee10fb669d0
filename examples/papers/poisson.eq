// Poisson's equation on the unit square, -(d2u/dx2 + d2u/dy2) = 2*pi^2*sin(pi*x)*sin(pi*y), u = 0 on the edges, by differences of five
// points: one block of n*n unknowns. Look at u in the middle beside the exact solution of the difference equations.
// A grid has no cheap order: a larger one (n = 51, 317) is left to a sparse LU, and after `:set relaxation iterate`, as the neighbours are
// relaxed, to Gauss-Seidel sweeps.
parameter n = 9 "inner points along an edge: odd"
parameter h = 1 / (n + 1)
parameter wave[n+2] = {pi * h * sin(pi * h * (k - 1)) for k in 1:n+2}
variable u[n+2, n+2]
for k in 1:n+2
  u[1, k] = 0
  u[n+2, k] = 0
end
for k in 2:n+1
  u[k, 1] = 0
  u[k, n+2] = 0
end
for i in 2:n+1, j in 2:n+1
  4 * u[i, j] = relax(u[i-1, j]) + relax(u[i+1, j]) + relax(u[i, j-1]) + relax(u[i, j+1]) + 2 * wave[i] * wave[j]
end
variable middle = u[div(n + 3, 2), div(n + 3, 2)]

:simulate
:blt
:value middle
:value ((pi * h / 2)^2 / sin(pi * h / 2)^2)
:set relaxation iterate
:simulate
:value middle
