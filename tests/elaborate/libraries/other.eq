function helper(x) = 10 * x
model Shared
  variable x = 2
end
