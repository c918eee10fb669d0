// Billiard: three balls on a table of 2 m by 1 m without friction. Balls bounce off the cushions, each coordinate of the speed turning round, and
// off each other: in an elastic impact of equal masses the parts of the speeds along the line of the centres are exchanged. Each pair of balls
// and each cushion is one event.
// Look at the number of events and at the energy, which is kept to rounding errors.

parameter n : Integer = 3
parameter r : m = 0.03 "radius"
parameter a : m = 2 "length of the table"
parameter b : m = 1 "its width"
variable x[n](start = {0.3, 1.4, 1.45}, fixed) : m
variable y[n](start = {0.52, 0.5, 0.56}, fixed) : m
variable vx[n](start = {2, 0, 0}, fixed) : m/s = der(x)
variable vy[n](start = {0, 0, 0}, fixed) : m/s = der(y)
function push(dx, dy, dvx, dvy) = (dx * dvx + dy * dvy) / (dx^2 + dy^2)
variable energy : m^2/s^2 = (vx * vx + vy * vy) / 2
for k in 1:n
  der(vx[k]) = 0
  der(vy[k]) = 0
  when x[k] < r or x[k] > a - r
    reinit vx[k] = if x[k] < r then abs(vx[k]) else -abs(vx[k])
  end
  when y[k] < r or y[k] > b - r
    reinit vy[k] = if y[k] < r then abs(vy[k]) else -abs(vy[k])
  end
end
for i in 1:n-1, j in i+1:n
  when (x[j] - x[i])^2 + (y[j] - y[i])^2 < 4 * r^2
    reinit vx[i] = vx[i] + push(x[j] - x[i], y[j] - y[i], vx[j] - vx[i], vy[j] - vy[i]) * (x[j] - x[i])
    reinit vy[i] = vy[i] + push(x[j] - x[i], y[j] - y[i], vx[j] - vx[i], vy[j] - vy[i]) * (y[j] - y[i])
    reinit vx[j] = vx[j] - push(x[j] - x[i], y[j] - y[i], vx[j] - vx[i], vy[j] - vy[i]) * (x[j] - x[i])
    reinit vy[j] = vy[j] - push(x[j] - x[i], y[j] - y[i], vx[j] - vx[i], vy[j] - vy[i]) * (y[j] - y[i])
  end
end

:simulate until 10
:value energy at 0
:value energy
:value x[1] x[2] x[3]
:plot x[1] x[2] x[3]
