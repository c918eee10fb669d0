use "own.eq"
model Own
  variable x = sin(time)
end
