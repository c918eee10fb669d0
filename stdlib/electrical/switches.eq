// electrical/switches.eq: ideal diodes, thyristors and switches. They switch at events; what blocks has the conductance Goff, what conducts the resistance Ron.

model IdealDiode extends IdealSemiconductor
  "Conducts from p (anode) to n where v > Vknee: v = Vknee + Ron*i about, else i = Goff*v. [MSL]"
  off = s < 0
end

model IdealThyristor extends IdealSemiconductor
  "Starts to conduct from p (anode) to n when it is fired while v > Vknee, stops when the current ends. [MSL]"
  input fire : Boolean "true: may start"
  off = s < 0 or pre(off) and not fire
end

model IdealGTOThyristor extends IdealSemiconductor
  "Gate turn-off thyristor: conducts from p (anode) to n while it is fired and v > Vknee. [MSL]"
  input fire : Boolean "true: may conduct; false: blocks"
  off = s < 0 or not fire
end

model IdealOpeningSwitch extends IdealSwitch "Open while control is true. [MSL]"
  input control : Boolean "true: open, false: p and n connected"
  off = control
end

model IdealClosingSwitch extends IdealSwitch "Closed while control is true. [MSL]"
  input control : Boolean "true: p and n connected, false: open"
  off = not control
end

model IdealTwoWaySwitch extends ConditionalHeatPort
  "Connects p with n2 while control is true, else with n1; the open way has the conductance Goff, the closed one the resistance Ron. [MSL]"
  parameter Ron(min = 0) : Ohm = 1e-5 "resistance of the closed way"
  parameter Goff(min = 0) : S = 1e-5 "conductance of the open way"
  input control : Boolean "true: p and n2 connected, false: p and n1"
  p, n1, n2 : Pin
  private constant unitVoltage : V = 1
  private constant unitCurrent : A = 1
  private variable s1 : 1 "voltage or current of the way to n1"
  private variable s2 : 1 "voltage or current of the way to n2"
  p.i + n1.i + n2.i = 0
  p.v - n1.v = s1 * (if control then unitVoltage else Ron * unitCurrent)
  n1.i = -s1 * (if control then Goff * unitVoltage else unitCurrent)
  p.v - n2.v = s2 * (if control then Ron * unitCurrent else unitVoltage)
  n2.i = -s2 * (if control then unitCurrent else Goff * unitVoltage)
  LossPower = p.i * p.v + n1.i * n1.v + n2.i * n2.v
end

model IdealCommutingSwitch = IdealTwoWaySwitch

model IdealIntermediateSwitch extends ConditionalHeatPort
  "Connects p1 with n2 and p2 with n1 while control is true, else p1 with n1 and p2 with n2; open ways have the conductance Goff, closed ones the resistance Ron. [MSL]"
  parameter Ron(min = 0) : Ohm = 1e-5 "resistance of a closed way"
  parameter Goff(min = 0) : S = 1e-5 "conductance of an open way"
  input control : Boolean "true: crossed, false: straight"
  p1, p2, n1, n2 : Pin
  private constant unitVoltage : V = 1
  private constant unitCurrent : A = 1
  private variable s1 : 1 "voltage or current of the way from p1 to n1"
  private variable s2 : 1 "of that from p2 to n2"
  private variable s3 : 1 "of that from p1 to n2"
  private variable s4 : 1 "of that from p2 to n1"
  private variable straight : V = if control then unitVoltage else Ron * unitCurrent "voltage of a straight way at s = 1"
  private variable crossed : V = if control then Ron * unitCurrent else unitVoltage
  private variable i_straight : A = if control then Goff * unitVoltage else unitCurrent "current of a straight way at s = 1"
  private variable i_crossed : A = if control then unitCurrent else Goff * unitVoltage
  p1.v - n1.v = s1 * straight
  p2.v - n2.v = s2 * straight
  p1.v - n2.v = s3 * crossed
  p2.v - n1.v = s4 * crossed
  p1.i = s1 * i_straight + s3 * i_crossed
  p2.i = s2 * i_straight + s4 * i_crossed
  -n1.i = s1 * i_straight + s4 * i_crossed
  -n2.i = s2 * i_straight + s3 * i_crossed
  LossPower = p1.i * p1.v + p2.i * p2.v + n1.i * n1.v + n2.i * n2.v
end

model Thyristor extends ConditionalHeatPort
  """Thyristor with gate: a control voltage vControl follows vContot within TON or TOFF and carries the resistance between anode and cathode from Roff over
  to Ron. A gate current of about IGT raises it; the current through the device (> IH) or an overvoltage (> VDRM) holds it. In reverse it blocks down to
  -VRRM, then breaks through. [MSL]"""
  parameter VDRM(min = 0) : V = 100 "forward breakthrough voltage"
  parameter VRRM(min = 0) : V = 100 "reverse breakthrough voltage"
  parameter IDRM : A = 0.1 "saturation current; not used"
  parameter VTM : V = 1.7 "voltage while conducting ITM"
  parameter IH : A = 6e-3 "holding current"
  parameter ITM : A = 25 "current at VTM"
  parameter VGT : V = 0.7 "gate trigger voltage"
  parameter IGT : A = 5e-3 "gate trigger current"
  parameter TON : s = 1e-6 "time of switching on"
  parameter TOFF : s = 15e-6 "time of switching off"
  parameter Vt : V = 0.04 "thermal voltage k*T/(q*n)"
  parameter Nbv : 1 = 0.74 "emission coefficient of the reverse breakthrough"
  parameter vRef : V = 0.65 "knee of the gate's characteristic"
  Anode, Cathode, Gate : Pin
  variable iGK : A = Gate.i "gate current"
  variable vGK : V = Gate.v - Cathode.v "voltage from gate to cathode"
  variable vAK : V = Anode.v - Cathode.v "voltage from anode to cathode"
  variable vControl(start = 0) : V "control voltage: below Voff it blocks, above Von it conducts"
  variable vContot : V "target of vControl"
  variable vConmain : V = if Anode.i > IH or vAK > VDRM then Von else 0 "the part of vContot that holds"
  private constant Von : V = 5
  private constant Voff : V = 1.5
  private parameter Ron : Ohm = (VTM - 0.7 [V]) / ITM "while conducting"
  private parameter Roff : Ohm = VDRM^2 / VTM / IH "while blocking"
  private variable x : 1 = (2 * vControl - Von - Voff) / (2 * (Von - Voff)) "-1/2 at Voff, 1/2 at Von"
  Anode.i + Gate.i + Cathode.i = 0
  vGK = smooth(0, if vGK < vRef then VGT / IGT * iGK else vRef^2 / VGT + iGK * (VGT - vRef) / IGT)
  vContot = vConmain + smooth(0, if iGK < 0.95 * IGT then 0 elseif iGK < 0.95 * IGT + 1 [mA] then 1e4 [1/A] * (iGK - 0.95 * IGT) * vAK else 10 * vAK)
  der(vControl) = (vContot - vControl) / noEvent(if vContot > vControl then 1.87 * TON else 0.638 * TOFF)
  Anode.i = smooth(1, if vAK < -VRRM then -VRRM / Roff * exp(-(vAK + VRRM) / (Nbv * Vt))
    elseif vControl < Voff then vAK / Roff
    elseif vControl < Von then vAK / (sqrt(Ron * Roff) * (Ron / Roff)^((3 * x - 4 * x^3) / 2))
    else vAK / Ron)
  LossPower = Anode.i * Anode.v + Cathode.i * Cathode.v + Gate.i * Gate.v
end
