// Heat conduction in a rod: n slices, one end held hot, the other cold. The temperatures go to a straight line.
// Look at the middle of the rod: half-way between the ends at last; the first mode dies out with L^2*rho*c/(pi^2*lambda) = 36 s.

parameter n : Integer = 40 "number of slices"
parameter L : m = 0.2 "length"
parameter a : m^2/s = 1.13e-4 "thermal diffusivity of copper"
parameter T_hot : K = 100 [degC]
parameter T_cold : K = 20 [degC]
parameter h : m = L / n "thickness of a slice"
variable T[n](start = T_cold, fixed) : K "temperature in the middle of each slice"
der(T[1]) = a / h^2 * (2 * (T_hot - T[1]) - (T[1] - T[2]))
for k in 2:n-1
  der(T[k]) = a / h^2 * (T[k-1] - 2 * T[k] + T[k+1])
end
der(T[n]) = a / h^2 * (T[n-1] - T[n] - 2 * (T[n] - T_cold))

:simulate until 200 tol 1e-7
:value T[1] T[20] T[40]
:plot T[1] T[10] T[20] T[30] T[40]
