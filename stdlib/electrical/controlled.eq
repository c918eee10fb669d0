// electrical/controlled.eq: linear controlled sources; port 1 controls port 2.

model VCV extends TwoPort "Voltage-controlled voltage source: v2 = gain*v1, i1 = 0. [MSL]"
  parameter gain(start = 1) : 1 "voltage gain"
  v2 = gain * v1
  i1 = 0
end

model VCC extends TwoPort "Voltage-controlled current source: i2 = transConductance*v1, i1 = 0. [MSL]"
  parameter transConductance(start = 1) : S "transconductance"
  i2 = transConductance * v1
  i1 = 0
end

model CCV extends TwoPort "Current-controlled voltage source: v2 = transResistance*i1, v1 = 0. [MSL]"
  parameter transResistance(start = 1) : Ohm "transresistance"
  v2 = transResistance * i1
  v1 = 0
end

model CCC extends TwoPort "Current-controlled current source: i2 = gain*i1, v1 = 0. [MSL]"
  parameter gain(start = 1) : 1 "current gain"
  i2 = gain * i1
  v1 = 0
end
