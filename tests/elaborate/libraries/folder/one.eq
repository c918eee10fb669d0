model One
  two : Two
end
