// Circuits of any size, for Kron and for ngspice.
#include "tests/bench/models.hpp"

namespace kron::bench {

std::string step_ladder(int cells) {
  return "use electrical\nparameter n : Integer = " + std::to_string(cells) +
         "\nsource : StepVoltage(V = 1)\nR[n] : Resistor(R = 1000 / n)\nC[n] : Capacitor(C = 1e-6 / n, v(start = 0, fixed))\nground : Ground\n"
         "connect source.p, R[1].p\nconnect source.n, ground.p\n"
         "for k in 1:n\n  connect R[k].n, C[k].p\n  connect C[k].n, ground.p\nend\nfor k in 2:n\n  connect R[k - 1].n, R[k].p\nend\n";
}

std::string diode_grid(int n, bool capacitor_everywhere) {
  std::string text = "use electrical\nparameter n : Integer = " + std::to_string(n) +
                     "\nsource : SineVoltage(V = 5, f = 1000)\nfeed : Resistor(R = 100)\nH[n, n - 1], V[n - 1, n] : Resistor(R = 100)\n"
                     "D[n, n] : Diode(Ids = 1e-12, Vt = 0.025864186, Maxexp = 40, R = 1e12)\nground : Ground\n"
                     "connect source.n, ground.p\nconnect source.p, feed.p\nconnect feed.n, D[1, 1].p\n"
                     "for i in 1:n, j in 1:n\n  connect D[i, j].n, ground.p\nend\n";
  text += capacitor_everywhere ? "C[n, n] : Capacitor(C = 10e-9, v(start = 0, fixed))\n"
                                 "for i in 1:n, j in 1:n\n  connect C[i, j].p, D[i, j].p\n  connect C[i, j].n, ground.p\nend\n"
                               : "C[n] : Capacitor(C = 100e-9, v(start = 0, fixed))\n"
                                 "for i in 1:n\n  connect C[i].p, D[i, i].p\n  connect C[i].n, ground.p\nend\n";
  return text + "for i in 1:n, j in 1:n - 1\n  connect H[i, j].p, D[i, j].p\n  connect H[i, j].n, D[i, j + 1].p\nend\n"
                "for i in 1:n - 1, j in 1:n\n  connect V[i, j].p, D[i, j].p\n  connect V[i, j].n, D[i + 1, j].p\nend\n";
}

std::string varying_block(int size) {
  return "parameter n : Integer = " + std::to_string(size) +
         "\nvariable x(start = 1, fixed)\nvariable y[n]\nder(x) = -y[1]\n"
         "for i in 1:n\n  sum((if i == j then n + 1 + x else x / (i + j)) * y[j] for j in 1:n) = x\nend\n";
}

namespace {

std::string node(int i, int j) { return "n" + std::to_string(i) + "_" + std::to_string(j); }

std::string run(const std::string& step, const std::string& stop, const std::string& a, const std::string& b) {
  return ".tran " + step + " " + stop + " uic\n.save v(" + a + ") v(" + b + ")\n.print tran v(" + a + ") v(" + b + ")\n.end\n";
}

}  // namespace

std::string step_ladder_netlist(int cells) {
  const std::string resistance = std::to_string(1000.0 / cells), capacitance = std::to_string(1e6 / cells) + "p";
  std::string text = "RC ladder\nVin n0 0 DC 1\n";
  for (int k = 1; k <= cells; ++k) {
    const std::string i = std::to_string(k);
    text += "R" + i + " n" + std::to_string(k - 1) + " n" + i + " " + resistance + "\nC" + i + " n" + i + " 0 " + capacitance + " IC=0\n";
  }
  return text + run("5u", "5m", "n" + std::to_string((cells + 1) / 2), "n" + std::to_string(cells));
}

std::string diode_grid_netlist(int n) {
  std::string text = "grid of diodes\nVin s 0 SIN(0 5 1000)\nRf s n1_1 100\n.model dd D(IS=1e-12 N=1)\n";
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j) {
      const std::string here = node(i, j), name = here.substr(1);
      text += "D" + name + " " + here + " 0 dd\nC" + name + " " + here + " 0 10n IC=0\n";
      if (j < n) text += "RH" + name + " " + here + " " + node(i, j + 1) + " 100\n";
      if (i < n) text += "RV" + name + " " + here + " " + node(i + 1, j) + " 100\n";
    }
  return text + run("3u", "3m", node((n + 1) / 2, (n + 1) / 2), node(n, n));
}

}  // namespace kron::bench
