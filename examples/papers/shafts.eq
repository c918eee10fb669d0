// Drive-train classes of Otter, Elmqvist and Cellier, "Relaxing", CESA'96, sections 3 and 10. A library: `use "shafts.eq"`.
// The paper's `cut l (w, a / tl)` and `cut r (w, a / -tr)` are connectors l and r that share w and a; tl and tr are the torques that
// go in at the left and out at the right.

connector Cut "end of a shaft"
  potential w : rad/s "speed"
  potential a : rad/s^2 "acceleration"
  flow t : N*m "torque into the component"
end

partial model RigidShaft "two ends with one speed and one acceleration"
  parameter J : kg*m^2 = 1 "moment of inertia"
  l, r : Cut
  variable w : rad/s = l.w "speed"
  variable a : rad/s^2 = l.a "acceleration"
  variable tl : N*m = l.t "torque from the left"
  variable tr : N*m = -r.t "torque to the right"
  r.w = w
  r.a = a
end

model Shaft extends RigidShaft "solved for a torque: its acceleration is relaxed"
  J * relax(a) = tl - tr
end

model ShaftS extends RigidShaft "its speed is a state"
  der(w) = a
  J * a = tl - tr
end

model PlainShaft extends RigidShaft "without annotation"
  J * a = tl - tr
end

model TornShaftS extends RigidShaft "its speed is a state, its acceleration a tearing variable (section 10)"
  der(w) = a
  J * a = tl - tr + residue(a)
end

partial model IdealGear "wl = i*wr, i*tl = tr"
  parameter i : 1 = 1 "transmission ratio"
  l, r : Cut
  variable al : rad/s^2 = l.a "acceleration on the left"
  variable ar : rad/s^2 = r.a "acceleration on the right"
  variable tl : N*m = l.t "torque from the left"
  variable tr : N*m = -r.t "torque to the right"
  l.w = i * r.w
  i * tl = tr
end

model Gear extends IdealGear "solved for the acceleration on the left: the one on the right is relaxed"
  al = i * relax(ar)
end

model PlainGear extends IdealGear "without annotation"
  al = i * ar
end

model Drive "torque source"
  r : Cut
  input tau : N*m "torque to the right"
  r.t = -tau
end
