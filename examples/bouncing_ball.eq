// A ball falls from 1 m and bounces; each bounce keeps the part e of its speed. The bounces follow each other ever faster and add up to a finite
// time, t = sqrt(2*h0/g)*(1 + e)/(1 - e); after it the ball rests. A model that only reflects the speed would never get past that time, so the ball
// rests from the first bounce on that is slower than v_min.
// Look at the time of the last bounce next to the closed forms of it and of the limit, and at the number of bounces.

parameter e : 1 = 0.7 "part of the speed that a bounce keeps"
parameter h0 : m = 1 "start height"
parameter v_min : m/s = 1e-3 "slower bounces are none"
constant g = 9.81 [m/s^2]
variable h(start = h0, fixed) : m "height"
variable v(start = 0, fixed) : m/s = der(h) "speed"
discrete flying(start = true, fixed) : Boolean
discrete bounces(start = 0, fixed) : Integer
discrete last(start = 0, fixed) : s "time of the last bounce"

der(v) = if flying then -g else 0
when h < 0 and pre(flying)
  bounces = pre(bounces) + 1
  last = time
  flying = -e * v > v_min
  reinit v = if -e * v > v_min then -e * v else 0
end

:simulate until 5 points 1000 tol 1e-10
:value last (sqrt(2 * h0 / g) * (1 + 2 * e * (1 - e^(bounces - 1)) / (1 - e))) (sqrt(2 * h0 / g) * (1 + e) / (1 - e))
:value bounces (1 + floor(log(v_min / sqrt(2 * g * h0)) / log(e)))
:plot h
