// Two four-bar loops that share a rocker, written as equations: five angles, four constraints. The crank q1 is found to be the state
// and stays it; `:states` after a run shows no change.
variable q1(start = 0.5, fixed)
variable q2(start = 0.9)
variable q3(start = 1.6)
variable q4(start = 0.3)
variable q5(start = 1.9)
variable w1(start = 3, fixed) = der(q1)
variable w2 = der(q2)
variable w3 = der(q3)
variable w4 = der(q4)
variable w5 = der(q5)
variable l1
variable l2
variable l3
variable l4
c1 :: cos(q1) + 3.5*cos(q2) - 3*cos(q3) = 4
c2 :: sin(q1) + 3.5*sin(q2) - 3*sin(q3) = 0
c3 :: 1.5*cos(q3) + 3.2*cos(q4) - 2.5*cos(q5) = 3
c4 :: 1.5*sin(q3) + 3.2*sin(q4) - 2.5*sin(q5) = 0
2*der(w1) = 1 - 0.2*w1 - sin(q1)*l1 + cos(q1)*l2
0.7*der(w2) = -3.5*sin(q2)*l1 + 3.5*cos(q2)*l2
0.9*der(w3) = 3*sin(q3)*l1 - 3*cos(q3)*l2 - 1.5*sin(q3)*l3 + 1.5*cos(q3)*l4
0.3*der(w4) = -3.2*sin(q4)*l3 + 3.2*cos(q4)*l4
0.4*der(w5) = 2.5*sin(q5)*l3 - 2.5*cos(q5)*l4
:simulate until 20 tol 1e-8
:states
:value q1 q3 q5
