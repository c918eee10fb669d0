#include "tests/bench/models.hpp"

namespace kron::bench {

std::string rc_ladder(int cells) {
  const std::string n = std::to_string(cells);
  return "use electrical\nparameter n = " + n +
         "\nsource : SineVoltage(V = 1, f = 1)\nr[n] : Resistor(R = 1)\nc[n] : Capacitor(C = 1, v(start = 0, fixed))\nground : Ground\n"
         "connect source.p, r[1].p\nconnect source.n, ground.p\n"
         "for k in 1:n\n  connect r[k].n, c[k].p\n  connect c[k].n, ground.p\nend\n"
         "for k in 1:n - 1\n  connect r[k].n, r[k + 1].p\nend\n";
}

std::string declared_ladder(int cells) {
  std::string text = "use electrical\nsource : SineVoltage(V = 1, f = 1)\nground : Ground\nconnect source.n, ground.p\n", before = "source.p";
  for (int k = 1; k <= cells; ++k) {
    const std::string r = "r" + std::to_string(k), c = "c" + std::to_string(k);
    text += r + " : Resistor(R = 1)\n" + c + " : Capacitor(C = 1, v(start = 0, fixed))\n";
    text += "connect " + before + ", " + r + ".p\nconnect " + r + ".n, " + c + ".p\nconnect " + c + ".n, ground.p\n";
    before = r + ".n";
  }
  return text;
}

std::string heat_rod(int cells) {
  return "parameter n = " + std::to_string(cells) +
         "\nvariable T[n](start = 0, fixed)\nder(T[1]) = n^2 * (1 - 2 * T[1] + T[2])\nder(T[n]) = n^2 * (T[n - 1] - T[n])\n"
         "for k in 2:n - 1\n  der(T[k]) = n^2 * (T[k - 1] - 2 * T[k] + T[k + 1])\nend\n";
}

std::string equations(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) {
    const std::string i = std::to_string(k);
    switch (k % 4) {
      case 0: text += "parameter k" + i + " : N/m = " + i + ".5 \"stiffness\"\n"; break;
      case 1: text += "R" + i + " : Resistor(R = " + i + " [kOhm], v(start = 1, fixed))\n"; break;
      case 2: text += "connect R" + i + ".p, c[" + i + "].n, ground.p\n"; break;
      default: text += "m * der(v" + i + ") = -k * (x[" + i + "] - sin(2 * pi * time)) + if x > 0 then a.b.c else -1e-3\n";
    }
  }
  return text;
}

std::string coupled(int size) {
  const std::string n = std::to_string(size);
  return "parameter n = " + n + "\nvariable x(start = 1, fixed)\nvariable y[n]\nder(x) = -y[1]\n"
         "for i in 1:n\n  sum((if i == j then n + 1 else 1 / (i + j)) * y[j] for j in 1:n) = x\nend\n";
}

}  // namespace kron::bench
