// blocks/tables.eq: curves through the rows of a table. The first column has the abscissas, increasing, column k the values.
//   LinearSegments: straight lines between the rows. ConstantSegments: the value of the last row passed. The others: a cubic between
//   each two rows, with slopes at the rows that follow from those of the lines beside them: ContinuousDerivative [Akima 1970],
//   ModifiedContinuousDerivative (the same, without overshoot beside level parts) [Ionita 2019], MonotoneContinuousDerivative1 [Fritsch,
//   Butland 1984] and 2 [Steffen 1990], which rise where the values rise. Beyond the ends a curve goes on straight; where it ends with a
//   step, along the line through the last two rows.

// Slope of the line from row j to the next; beyond the ends it goes on changing as between the last two lines.
function table_line_slope(table[:, :], k, j) =
  if size(table, 1) == 2 then (table[2, k] - table[1, k]) / (table[2, 1] - table[1, 1])
  elseif j < 1 then table_line_slope(table, k, 1) + (1 - j) * (table_line_slope(table, k, 1) - table_line_slope(table, k, 2))
  elseif j >= size(table, 1) then table_line_slope(table, k, size(table, 1) - 1) +
      (j - size(table, 1) + 1) * (table_line_slope(table, k, size(table, 1) - 1) - table_line_slope(table, k, size(table, 1) - 2))
  else (table[j+1, k] - table[j, k]) / (table[j+1, 1] - table[j, 1])

// Slope at a row from those of the lines before and after it, m2 and m3: weighted by the change of the slope on the other side, w2 and w3,
// or for lines of lengths h2 and h3; 0 where one rises and the other falls.
function akima_slope(m2, m3, w2, w3) = if w2 + w3 > 0 then (w3 * m2 + w2 * m3) / (w2 + w3) else (m2 + m3) / 2
function fritsch_butland_slope(m2, m3, h2, h3) =
  if m2 * m3 <= 0 then 0 else 3 * (h2 + h3) / ((h2 + 2 * h3) / m2 + (h3 + 2 * h2) / m3)
function steffen_slope(m2, m3, h2, h3) =
  if m2 * m3 <= 0 then 0 else sign(m2) * min({abs(m2 * h3 + m3 * h2) / (h2 + h3), 2 * abs(m2), 2 * abs(m3)})

// Slope of the curve at row j.
function table_slope(table[:, :], k, j, smoothness)
  n = size(table, 1)
  m1 = table_line_slope(table, k, j - 2)
  m2 = table_line_slope(table, k, j - 1)
  m3 = table_line_slope(table, k, j)
  m4 = table_line_slope(table, k, j + 1)
  h2 = if j > 1 then table[j, 1] - table[j-1, 1] else 1
  h3 = if j < n then table[j+1, 1] - table[j, 1] else 1
  return if smoothness == Smoothness.ContinuousDerivative then akima_slope(m2, m3, abs(m2 - m1), abs(m4 - m3))
    elseif smoothness == Smoothness.ModifiedContinuousDerivative then
      akima_slope(m2, m3, abs(m2 - m1) + abs(m2 + m1) / 2, abs(m4 - m3) + abs(m4 + m3) / 2)
    elseif j == 1 then m3
    elseif j == n then m2
    elseif smoothness == Smoothness.MonotoneContinuousDerivative1 then fritsch_butland_slope(m2, m3, h2, h3)
    else steffen_slope(m2, m3, h2, h3)
end

// The cubic through rows j and j + 1 with the slopes s1 and s2 there.
function table_cubic(x, table[:, :], k, j, s1, s2)
  h = table[j+1, 1] - table[j, 1]
  m = (table[j+1, k] - table[j, k]) / h
  u = x - table[j, 1]
  return table[j, k] + u * (s1 + u / h * (3 * m - 2 * s1 - s2 + u / h * (s1 + s2 - 2 * m)))
end

function table_curve(x, table[:, :], k, smoothness)
  n = size(table, 1)
  s = {table_slope(table, k, j, smoothness) for j in 1:n}
  return noEvent(if x < table[1, 1] then table[1, k] + s[1] * (x - table[1, 1])
    elseif x >= table[n, 1] then table[n, k] + s[n] * (x - table[n, 1])
    else sum(if (j == 1 or x >= table[j, 1]) and (j == n - 1 or x < table[j+1, 1]) then table_cubic(x, table, k, j, s[j], s[j+1]) else 0
      for j in 1:n-1))
end

function table_steps(x, table[:, :], k)
  n = size(table, 1)
  return if x < table[1, 1] then table[1, k] + table_line_slope(table, k, 1) * (x - table[1, 1])
    elseif x >= table[n, 1] then table[n, k] + table_line_slope(table, k, n - 1) * (x - table[n, 1])
    else table[1, k] + sum(if x >= table[j, 1] then table[j, k] - table[j-1, k] else 0 for j in 2:n)
end

// Value at x of a table; of one row its value. Events at steps only.
function table_value(x, table[:, :], k, smoothness = Smoothness.LinearSegments) =
  if size(table, 1) == 1 then table[1, k]
  elseif smoothness == Smoothness.LinearSegments then interpolate(x, table[:, 1], table[:, k])
  elseif smoothness == Smoothness.ConstantSegments then table_steps(x, table, k)
  else table_curve(x, table, k, smoothness)

// The same for a signal of time, straight lines, and jumps where two rows have the same x: an event at each row, or at jumps only, or none.
function table_line(x, x1, y1, x2, y2) = if x2 > x1 then y1 + (x - x1) * (y2 - y1) / (x2 - x1) else y2
function table_jumps(table[:, :], j) =
  j > 1 and table[max(j - 1, 1), 1] == table[j, 1] or j < size(table, 1) and table[j, 1] == table[min(j + 1, size(table, 1)), 1]
function table_reached(x, table[:, :], j, timeEvents) =
  if timeEvents == TimeEvents.Always or timeEvents == TimeEvents.AtDiscontinuities and table_jumps(table, j) then x >= table[j, 1]
  else noEvent(x >= table[j, 1])
function table_signal(x, table[:, :], k, timeEvents = TimeEvents.Always) =
  sum(if (j == 1 or table_reached(x, table, j, timeEvents)) and (j == size(table, 1) - 1 or not table_reached(x, table, j + 1, timeEvents))
      then table_line(x, table[j, 1], table[j, k], table[j+1, 1], table[j+1, k]) else 0
    for j in 1:size(table, 1)-1)

// Where to look in a table for x: x itself, the end that is nearest, or so many periods back.
function table_argument(x, table[:, :], extrapolation)
  first = table[1, 1]
  last = table[end, 1]
  return if extrapolation == Extrapolation.Periodic then first + mod(x - first, last - first)
    elseif extrapolation == Extrapolation.LastTwoPoints then x
    else min(max(x, first), last)
end

partial model Table1D "rows of abscissa and values, and how to go between and beyond them"
  parameter table[:, :] "rows of abscissa and values; abscissas increase"
  parameter columns[:] : Integer = 2:size(table, 2) "columns to be used"
  parameter smoothness : Smoothness = Smoothness.LinearSegments "how to go from row to row"
  parameter extrapolation : Extrapolation = Extrapolation.LastTwoPoints "before the first and after the last row"
  final parameter u_min = table[1, 1] "first abscissa"
  final parameter u_max = table[end, 1] "last abscissa"
  for j in 2:size(table, 1)
    assert table[j-1, 1] < table[j, 1], "the abscissas of the table must increase", table[j-1, 1], table[j, 1]
  end
end

model CombiTable1Ds extends Table1D, MO(final nout = size(columns, 1))
  "y[k] = column columns[k] of the table at u. Steps make events; linear segments and smooth curves do not. [MSL]"
  input u "abscissa"
  assert extrapolation != Extrapolation.NoExtrapolation or noEvent(u >= u_min and u <= u_max), "u is outside the table", u, u_min, u_max
  for k in 1:nout
    y[k] = table_value(table_argument(u, table, extrapolation), table, columns[k], smoothness)
  end
end

model CombiTable1Dv extends Table1D, MIMO(final nin = size(columns, 1), final nout = size(columns, 1))
  "y[k] = column columns[k] of the table at u[k]. Steps make events; linear segments and smooth curves do not. [MSL]"
  for k in 1:nout
    assert extrapolation != Extrapolation.NoExtrapolation or noEvent(u[k] >= u_min and u[k] <= u_max),
      "u is outside the table", u[k], u_min, u_max
    y[k] = table_value(table_argument(u[k], table, extrapolation), table, columns[k], smoothness)
  end
end

model CombiTable2Ds extends SI2SO
  "y = table at u1, the first column, and u2, the first row: bilinear between the grid points, or the value of the last one passed. [MSL]"
  parameter table[:, :] "the first column has the abscissas of u1, the first row those of u2; table[1, 1] is not used"
  parameter smoothness : Smoothness = Smoothness.LinearSegments "LinearSegments or ConstantSegments"
  parameter extrapolation : Extrapolation = Extrapolation.LastTwoPoints "beyond the grid"
  final parameter u_min[2] = {table[2, 1], table[1, 2]} "first abscissas"
  final parameter u_max[2] = {table[end, 1], table[1, end]} "last abscissas"
  private parameter n : Integer = size(table, 1)
  private parameter m : Integer = size(table, 2)
  private parameter across[m-1, n] = table[:, 2:m]' "rows of the abscissa of u2 and the values"
  private variable along[n-1] "values at u2, for each abscissa of u1"
  assert smoothness == Smoothness.LinearSegments or smoothness == Smoothness.ConstantSegments, "smooth surfaces are not available"
  assert extrapolation != Extrapolation.NoExtrapolation or noEvent(u1 >= u_min[1] and u1 <= u_max[1] and u2 >= u_min[2] and u2 <= u_max[2]),
    "u1 or u2 is outside the table", u1, u2
  for i in 1:n-1
    along[i] = table_value(table_argument(u2, across, extrapolation), across, i + 1, smoothness)
  end
  y = sum(along[i] * table_value(table_argument(u1, table[2:n, :], extrapolation), [table[2:n, 1], identity(n - 1)], i + 1, smoothness)
    for i in 1:n-1)
end
