// Andrews' squeezing mechanism (index 3): seven bodies in a plane, six constraints, one degree of freedom.
// Look at `:states`: six of the seven angles follow from the one that is the state, and which one that is changes on the way.
// Data and reference values: W. Schiehlen (ed.), Multibody Systems Handbook, 1990; test set of IVP solvers, problem "andrews".
parameter m1 = 0.04325
parameter m2 = 0.00365
parameter m3 = 0.02373
parameter m4 = 0.00706
parameter m5 = 0.07050
parameter m6 = 0.00706
parameter m7 = 0.05498
parameter xa = -0.06934
parameter ya = -0.00227
parameter xb = -0.03635
parameter yb = 0.03273
parameter xc = 0.014
parameter yc = 0.072
parameter c0 = 4530
parameter i1 = 2.194e-6
parameter i2 = 4.410e-7
parameter i3 = 5.255e-6
parameter i4 = 5.667e-7
parameter i5 = 1.169e-5
parameter i6 = 5.667e-7
parameter i7 = 1.912e-5
parameter d = 28e-3
parameter da = 115e-4
parameter e = 2e-2
parameter ea = 1421e-5
parameter rr = 7e-3
parameter ra = 92e-5
parameter l0 = 7785e-5
parameter ss = 35e-3
parameter sa = 1874e-5
parameter sb = 1043e-5
parameter sc = 18e-3
parameter sd = 2e-2
parameter ta = 2308e-5
parameter tb = 916e-5
parameter u = 4e-2
parameter ua = 1228e-5
parameter ub = 449e-5
parameter zf = 2e-2
parameter zt = 4e-2
parameter fa = 1421e-5
parameter mom = 33e-3
variable beta(start = -0.0617138900142764496358948458001)
variable theta(start = 0)
variable gamma(start = 0.455279819163070380255912382449)
variable phi(start = 0.222668390165885884674473185609)
variable delta(start = 0.487364979543842550225598953530)
variable omega(start = -0.222668390165885884674473185609)
variable eps(start = 1.23054744454982119249735015568)
variable dbeta = der(beta)
variable dtheta = der(theta)
variable dgamma = der(gamma)
variable dphi = der(phi)
variable ddelta = der(delta)
variable domega = der(omega)
variable deps = der(eps)
variable l1
variable l2
variable l3
variable l4
variable l5
variable l6
variable xd = sd*cos(gamma) + sc*sin(gamma) + xb
variable yd = sd*sin(gamma) - sc*cos(gamma) + yb
variable length = sqrt((xd - xc)^2 + (yd - yc)^2)
variable force = -c0*(length - l0)/length
g1 :: rr*cos(beta) - d*cos(beta + theta) - ss*sin(gamma) = xb
g2 :: rr*sin(beta) - d*sin(beta + theta) + ss*cos(gamma) = yb
g3 :: rr*cos(beta) - d*cos(beta + theta) - e*sin(phi + delta) - zt*cos(delta) = xa
g4 :: rr*sin(beta) - d*sin(beta + theta) + e*cos(phi + delta) - zt*sin(delta) = ya
g5 :: rr*cos(beta) - d*cos(beta + theta) - zf*cos(omega + eps) - u*sin(eps) = xa
g6 :: rr*sin(beta) - d*sin(beta + theta) - zf*sin(omega + eps) + u*cos(eps) = ya
(m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(theta) + da^2) + i1 + i2)*der(dbeta) + (m2*(da^2 - da*rr*cos(theta)) + i2)*der(dtheta) = mom - m2*da*rr*dtheta*(dtheta + 2*dbeta)*sin(theta) - (-rr*sin(beta) + d*sin(beta + theta))*(l1 + l3 + l5) - (rr*cos(beta) - d*cos(beta + theta))*(l2 + l4 + l6)
(m2*(da^2 - da*rr*cos(theta)) + i2)*der(dbeta) + (m2*da^2 + i2)*der(dtheta) = m2*da*rr*dbeta^2*sin(theta) - d*sin(beta + theta)*(l1 + l3 + l5) + d*cos(beta + theta)*(l2 + l4 + l6)
(m3*(sa^2 + sb^2) + i3)*der(dgamma) = force*(xd - xc)*(sc*cos(gamma) - sd*sin(gamma)) + force*(yd - yc)*(sd*cos(gamma) + sc*sin(gamma)) + ss*cos(gamma)*l1 + ss*sin(gamma)*l2
(m4*(e - ea)^2 + i4)*der(dphi) + (m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + i4)*der(ddelta) = m4*zt*(e - ea)*ddelta^2*cos(phi) + e*cos(phi + delta)*l3 + e*sin(phi + delta)*l4
(m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + i4)*der(dphi) + (m4*(zt^2 + 2*zt*(e - ea)*sin(phi) + (e - ea)^2) + m5*(ta^2 + tb^2) + i4 + i5)*der(ddelta) = -m4*zt*(e - ea)*dphi*(dphi + 2*ddelta)*cos(phi) + (e*cos(phi + delta) - zt*sin(delta))*l3 + (e*sin(phi + delta) + zt*cos(delta))*l4
(m6*(zf - fa)^2 + i6)*der(domega) + (m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + i6)*der(deps) = -m6*u*(zf - fa)*deps^2*cos(omega) - zf*sin(omega + eps)*l5 + zf*cos(omega + eps)*l6
(m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + i6)*der(domega) + (m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(omega) + u^2) + m7*(ua^2 + ub^2) + i6 + i7)*der(deps) = m6*u*(zf - fa)*domega*(domega + 2*deps)*cos(omega) - (zf*sin(omega + eps) - u*cos(eps))*l5 + (zf*cos(omega + eps) + u*sin(eps))*l6
:simulate until 0.03 tol 1e-10
:states
:value beta theta gamma phi delta omega eps
