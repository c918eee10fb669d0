// blocks/tests_tables.eq: curves through tables against closed forms.

test "Akima's curve of a parabola in equal steps is the parabola, beyond the end its tangent"
  t : CombiTable1Ds(table = [0, 0, 1; 1, 1, 0; 2, 4, 1; 3, 9, 4; 4, 16, 9], smoothness = Smoothness.ContinuousDerivative)
  s : CombiTimeTable(table = [0, 0; 1, 1; 2, 4; 3, 9; 4, 16], smoothness = Smoothness.ContinuousDerivative,
    offset = {1}, shiftTime = 0.5, timeScale = 0.5)
  variable x(start = -0.5, fixed)
  variable y(start = 1, fixed) "integral of the slope"
  der(x) = 1
  der(y) = der(t.y[2])
  t.u = x
  :simulate until 6 points 24 tol 1e-10
  assert abs(t.y[1]) < 1e-9 and abs(t.y[2] - 2) < 1e-9, "before the first row, with the slopes 0 and -2 there" at 0
  assert abs(t.y[1] - 0.0625) < 1e-12 and abs(t.y[2] - 0.5625) < 1e-9, "inside" at 0.75
  assert abs(t.y[1] - 7.5625) < 1e-9, "inside" at 3.25
  assert abs(t.y[1] - (16 + 8 * 1.5)) < 1e-8, "beyond the last row"
  assert abs(y + 1 - t.y[2]) < 1e-7, "the slope is continuous and the derivative of the curve"
  assert abs(s.y[1] - (1 + 2.5^2)) < 1e-12, "scaled and shifted time" at 1.75
  assert s.y[1] == 1 + 0.5^2, "shiftTime" at 0.75
end

test "curves through (0, 0), (1, 1), (3, 7): slopes at the rows by hand, and Hermite's cubic"
  parameter rows[:, :] = [0, 0; 1, 1; 3, 7]
  a : CombiTable1Ds(table = rows, smoothness = Smoothness.ContinuousDerivative)
  b : CombiTable1Ds(table = rows, smoothness = Smoothness.ModifiedContinuousDerivative)
  c : CombiTable1Ds(table = rows, smoothness = Smoothness.MonotoneContinuousDerivative1)
  d : CombiTable1Ds(table = rows, smoothness = Smoothness.MonotoneContinuousDerivative2)
  two : CombiTable1Ds(table = [0, 1; 2, 5], smoothness = Smoothness.ContinuousDerivative)
  one : CombiTable1Ds(table = [2, 5], smoothness = Smoothness.ContinuousDerivative)
  a.u = time
  b.u = time
  c.u = time
  d.u = time
  two.u = time
  one.u = time
  :simulate until 4 points 8
  assert abs(a.y[1] - 0.25) < 1e-12, "slopes 0 and 2: the mean of 1 and 3, as the lines around change alike" at 0.5
  assert abs(b.y[1] - 0.3125) < 1e-12, "slopes 0 and (6*1 + 2*3)/8" at 0.5
  assert abs(c.y[1] - (0.5 - 1 / 19)) < 1e-12, "slopes 1 and the weighted harmonic mean 27/19" at 0.5
  assert abs(d.y[1] - (0.5 - 1 / 12)) < 1e-12, "slopes 1 and that of the parabola, 5/3" at 0.5
  assert abs(a.y[1] - (4 + (2 - 4) / 4)) < 1e-12, "slopes 2 and 4" at 2
  assert abs(c.y[1] - (4 + (27 / 19 - 3) / 4)) < 1e-12, "slopes 27/19 and 3" at 2
  assert a.y[1] == 7 and b.y[1] == 7 and c.y[1] == 7 and d.y[1] == 7, "the last row" at 3
  assert abs(a.y[1] - 11) < 1e-12 and abs(c.y[1] - 10) < 1e-12, "beyond it straight on, with its slope"
  assert abs(two.y[1] - 9) < 1e-12 and one.y[1] == 5, "two rows are a line, one row is a constant"
end

test "monotone curves stay between their rows, and level beside level parts"
  parameter rows[:, :] = [0, 0; 1, 0; 2, 0.1; 3, 5; 4, 5; 5, 6]
  c : CombiTable1Ds(table = rows, smoothness = Smoothness.MonotoneContinuousDerivative1)
  d : CombiTable1Ds(table = rows, smoothness = Smoothness.MonotoneContinuousDerivative2)
  c.u = time
  d.u = time
  variable falls(start = 0, fixed) "of the curves, integrated"
  der(falls) = noEvent(min(der(c.y[1]), 0) + min(der(d.y[1]), 0))
  :simulate until 5 tol 1e-9 points 50
  assert falls == 0, "no fall"
  assert c.y[1] == 0 and d.y[1] == 0, "level" at 0.5
  assert c.y[1] == 5 and d.y[1] == 5, "level" at 3.5
  assert c.y[1] >= 0 and c.y[1] <= 0.1 and d.y[1] >= 0 and d.y[1] <= 0.1, "between the rows" at 1.5
end

test "tables: steps, periods, ends held; one input for each column"
  parameter rows[:, :] = [0, 1, 3; 1, 2, 4; 2, 0, 5]
  s : CombiTable1Ds(table = rows, smoothness = Smoothness.ConstantSegments, extrapolation = Extrapolation.HoldLastPoint)
  p : CombiTable1Ds(table = rows, extrapolation = Extrapolation.Periodic)
  h : CombiTable1Dv(table = rows, extrapolation = Extrapolation.HoldLastPoint)
  variable q(start = 0, fixed) "integral of the steps"
  der(q) = s.y[1]
  s.u = 2 * sin(time)
  p.u = time
  h.u[1] = time
  h.u[2] = 1 - time
  :simulate until 5 points 10 tol 1e-10
  assert abs(q - (5 + 2 * pi / 3)) < 1e-7, "1, and 1 more while sin > 1/2", q
  assert abs(p.y[1] - 1.5) < 1e-12 and abs(p.y[2] - 3.5) < 1e-12, "a period later" at 2.5
  assert h.y[1] == 0 and h.y[2] == 3, "held at both ends"
  assert abs(h.y[1] - 1.5) < 1e-12 and abs(h.y[2] - 3.5) < 1e-12, "inside" at 0.5
end

test "a table of two inputs is bilinear, in the grid and beyond; or steps"
  // 2 + 3*u1 - u2 + u1*u2 on u1 = 0, 1, 3 and u2 = 0, 2
  parameter grid[:, :] = [0, 0, 2; 0, 2, 0; 1, 5, 5; 3, 11, 15]
  z : CombiTable2Ds(table = grid)
  k : CombiTable2Ds(table = grid, smoothness = Smoothness.ConstantSegments)
  z.u1 = time - 1
  z.u2 = 2 * time - 3
  k.u1 = time
  k.u2 = 0.5 * time
  :simulate until 5 points 20
  assert abs(z.y - (2 - 3 + 3 + 3)) < 1e-12, "before the first rows" at 0
  assert abs(z.y - (2 + 1.5 - 0 + 0)) < 1e-12, "inside" at 1.5
  assert abs(z.y - (2 + 3 * 1.25 - 1.5 + 1.25 * 1.5)) < 1e-12, "inside" at 2.25
  assert abs(z.y - (2 + 3 * 4 - 7 + 4 * 7)) < 1e-12, "beyond both ends"
  assert k.y == 2, "steps" at 0.5
  assert k.y == 5, "steps" at 2.5
end

test "events of a time table: at each row, at jumps, none"
  parameter rows[:, :] = [0, 0; 1, 1; 1, 3; 2, 0]
  a : CombiTimeTable(table = rows, extrapolation = Extrapolation.HoldLastPoint)
  b : CombiTimeTable(table = rows, timeEvents = TimeEvents.AtDiscontinuities, extrapolation = Extrapolation.HoldLastPoint)
  c : CombiTimeTable(table = rows, timeEvents = TimeEvents.NoTimeEvents, extrapolation = Extrapolation.HoldLastPoint)
  variable qa(start = 0, fixed), qb(start = 0, fixed)
  der(qa) = a.y[1]
  der(qb) = b.y[1]
  :simulate until 3 points 12 tol 1e-10
  assert abs(qa - 2) < 1e-12 and abs(qb - 2) < 1e-6, "1/2 and 3/2", qa, qb
  assert a.y[1] == 1.5 and b.y[1] == 1.5 and c.y[1] == 1.5, "the same curve" at 1.5
  assert a.t_min == 0 and a.t_max == 2, "first and last time"
end
