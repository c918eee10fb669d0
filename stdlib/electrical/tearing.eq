// electrical/tearing.eq: objects that say where a circuit is to be torn. They change no value: residue(x) is zero.
//   [Elmqvist, Otter, "Methods for tearing systems of equations in object-oriented modeling", ESM'94]

model MeshCut extends OnePort
  "A very small inductor in a mesh: v = residue(i). The mesh current is the tearing variable."
  v = residue(i)
end

model NodeCut
  "A very small capacitor from a node to ground: i = residue(v). The node potential is the tearing variable."
  p : Pin
  p.i = residue(p.v)
end

model TearCut
  "In series from p to n; res is at another node. The current i through it is the tearing variable, the current balance at res the residue equation."
  p, n, res : Pin
  variable i : A = p.i "current from p to n"
  p.v = n.v
  p.i + n.i = 0
  res.i = residue(i)
end
