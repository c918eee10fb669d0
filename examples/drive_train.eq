// The drive train of Otter, Elmqvist and Cellier, "Relaxing", CESA'96, section 3: a motor's rotor s1 drives a load s2 through an
// ideal gear g. A cut carries speed, acceleration and torque (w, a / t), so no equation has to be differentiated.
// Look at `:blt`: four equations in four unknowns become eight assignments; the load's speed is the closed form
// dw/dt = i*tau/(J2 + i^2*J1), printed after it.

connector Cut "end of a shaft"
  potential w : rad/s "speed"
  potential a : rad/s^2 "acceleration"
  flow t : N*m "torque into the component"
end

model Shaft "rigid shaft: J*a = tl - tr"
  parameter J : kg*m^2 = 1 "moment of inertia"
  l, r : Cut
  variable a : rad/s^2 = l.a "acceleration"
  variable tl : N*m = l.t "torque from the left"
  variable tr : N*m = -r.t "torque to the right"
  l.w = r.w
  l.a = r.a
  J * relax(a) = tl - tr
end

model ShaftS "rigid shaft whose speed w is a state: dw/dt = a, J*a = tl - tr"
  parameter J : kg*m^2 = 1 "moment of inertia"
  l, r : Cut
  variable w : rad/s = l.w "speed"
  variable a : rad/s^2 = l.a "acceleration"
  variable tl : N*m = l.t "torque from the left"
  variable tr : N*m = -r.t "torque to the right"
  l.w = r.w
  l.a = r.a
  der(w) = a
  J * a = tl - tr
end

model Gear "ideal gear: wl = i*wr, i*tl = tr"
  parameter i : 1 = 1 "transmission ratio"
  l, r : Cut
  variable tl : N*m = l.t "torque from the left"
  variable tr : N*m = -r.t "torque to the right"
  l.w = i * r.w
  l.a = i * relax(r.a)
  i * tl = tr
end

model Drive "torque source"
  r : Cut
  input tau : N*m "torque to the right"
  r.t = -tau
end

motor : Drive
s1 : Shaft(J = 0.1)
g : Gear(i = 10)
s2 : ShaftS(J = 2, w(start = 0, fixed))
motor.tau = 6 * cos(time)
connect motor.r, s1.l
connect s1.r, g.l
connect g.r, s2.l

:simulate until 10 tol 1e-8
:blt
:value s2.w
:value (10 * 6 * sin(10) / (2 + 10^2 * 0.1))
:plot s2.w
