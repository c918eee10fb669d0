// A chain of n masses between n + 1 springs, plucked at one end: a wave runs along it and comes back.
// Look at the first, the middle and the last mass: the wave needs about sqrt(m/c) = 0.1 s for each, so it arrives at the end after 2 s.
use translational

parameter n : Integer = 20 "number of masses"

wall[2] : Fixed
mass[n] : Mass(m = 1, s(start = {if k == 1 then 0.1 else 0 for k in 1:n}, fixed), v(start = 0, fixed))
spring[n+1] : Spring(c = 100)
connect wall[1].flange, spring[1].flange_a
for k in 1:n
  connect spring[k].flange_b, mass[k].flange_a
  connect mass[k].flange_b, spring[k+1].flange_a
end
connect spring[n+1].flange_b, wall[2].flange

:simulate until 6 points 600 tol 1e-8
:value mass[1].s mass[n].s
:plot mass[1].s mass[10].s mass[20].s
