// Circuit classes of the tearing paper (Elmqvist and Otter, "Methods for tearing systems of equations in object-oriented modeling",
// ESM'94) and of the relaxing paper (Otter, Elmqvist and Cellier, CESA'96, section 6). A library: `use "circuits.eq"`.

connector Pin "electrical pin"
  potential V : V "potential" @hint("potentials are fixed only up to a constant: connect a Common")
  flow i : A "current into the component"
end

partial model OnePort "two pins, voltage drop u, current i from p to n"
  p, n : Pin
  variable u : V = p.V - n.V "voltage drop"
  variable i : A = p.i "current"
  p.i + n.i = 0
end

model Common "reference potential"
  p : Pin
  p.V = 0
end

model VoltageSource extends OnePort "u = e"
  input e : V "voltage"
  u = e
end

model Resistor extends OnePort "Ohm's law"
  parameter R : Ohm = 1 "resistance"
  R * i = u
end

model Capacitor extends OnePort "C*du/dt = i"
  parameter C : F = 1 "capacitance"
  C * der(u) = i
end

model RelaxedResistor extends OnePort "solved for the current: the potentials are relaxed"
  parameter R : Ohm = 1 "resistance"
  R * i = relax(p.V) - relax(n.V)
end

model RelaxedCapacitor extends OnePort "solved for the current: the rate of the voltage is relaxed"
  parameter C : F = 1 "capacitance"
  C * relax(der(u)) = i
end

model MeshCut extends OnePort "a very small inductor: the mesh current is a tearing variable"
  u = residue(i)
end

model NodeCut "a very small capacitor to ground: the node's potential is a tearing variable"
  A : Pin
  A.i = residue(A.V)
end

model TearCut "in series: the current is a tearing variable; Res is where its residue equation is"
  A, B, Res : Pin
  variable i : A = A.i "current from A to B"
  A.V = B.V
  A.i + B.i = 0
  Res.i = residue(i)
end
