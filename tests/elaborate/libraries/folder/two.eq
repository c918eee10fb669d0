model Two
  variable x = limit
end

test "two"
  t : Two
end
