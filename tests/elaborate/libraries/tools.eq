// A library of the tests.
use other

constant offset = 3
constant double_offset = 2 * offset
enum Mode slow, fast
function shifted(x) = x + offset

connector Flange
  potential w
  flow t
end
model Part "a part"
  parameter k = double_offset
  parameter mode : Mode = Mode.slow
  f : Flange
  variable y = shifted(k) + helper(1)
end
model Shared
  variable x = 1
end
