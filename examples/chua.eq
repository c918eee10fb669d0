// Chua's circuit: an inductor, two capacitors, and a resistor whose slope is negative; the simplest circuit with a chaotic oscillation.
// Values in ns, V, A as in MSL's ChuaCircuit. Look at the double scroll in the plane of the two capacitor voltages.
use electrical

model ChuaResistor extends OnePort "odd curve with slope Ga up to Ve and Gb beyond"
  parameter Ga : S = -0.757576
  parameter Gb : S = -0.409091
  parameter Ve : V = 1
  i = Gb * v + (Ga - Gb) * max(-Ve, min(v, Ve))
end

L : Inductor(L = 18, i(start = 0, fixed))
Ro : Resistor(R = 12.5e-3)
G : Conductor(G = 0.565)
C1 : Capacitor(C = 10, v(start = 4, fixed))
C2 : Capacitor(C = 100, v(start = 0, fixed))
Nr : ChuaResistor
ground : Ground
connect L.p, G.p, C2.p
connect L.n, Ro.p
connect G.n, Nr.p, C1.p
connect Ro.n, C2.n, C1.n, Nr.n, ground.p

:simulate until 5e4 points 5000 tol 1e-8
:value C1.v C2.v L.i at 1000
:plot C1.v
:plot C2.v vs C1.v
