// Equations (24) to (29) of [Otter, Elmqvist, Cellier, "Relaxing", CESA'96] as model text: chains, trees and closed chains of links
// joined by revolute joints, everything known (axes, arms, inertias, bias terms) an input.
#pragma once
#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace chains {

struct Options {
  std::vector<int> parent;          // of each link; -1: the ground
  bool planar = false, marks = false, closed = false;
  bool tear = false;                // the joints' accelerations by `tear` statements
  std::uint32_t shuffle = 0;        // order of the statements, and which side of an equation stands left
};

inline std::vector<int> chain(int n) {
  std::vector<int> p(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) p[static_cast<std::size_t>(i)] = i - 1;
  return p;
}
inline std::vector<int> binary_tree(int n) {
  std::vector<int> p(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) p[static_cast<std::size_t>(i)] = i == 0 ? -1 : (i - 1) / 2;
  return p;
}

class Writer {
 public:
  explicit Writer(const Options& o) : o_(o), random_(o.shuffle) {}

  std::string run() {
    const auto n = static_cast<int>(o_.parent.size());
    for (int i = 0; i < n; ++i) link(i);
    if (o_.shuffle) std::shuffle(lines_.begin(), lines_.end(), random_);
    std::string text;
    for (const std::string& l : lines_) text += l + "\n";
    return text;
  }

 private:
  void declare(const std::string& s) { lines_.push_back(s); }
  void equation(const std::string& left, const std::string& right) {
    lines_.push_back(o_.shuffle && random_() % 2 ? right + " = " + left : left + " = " + right);
  }
  std::string vector(const std::string& name) {
    if (!o_.planar) {
      declare("input " + name + "[3]");
      return name;
    }
    declare("input " + name + "x");
    declare("input " + name + "y");
    return "{" + name + "x, " + name + "y, 0}";
  }
  void bar(const std::string& b, const std::string& a, const std::string& r, const std::string& bias) {  // (25)
    equation(b + "[1:3]", a + "[1:3]");
    equation(b + "[4:6]", a + "[4:6] - cross(" + r + ", " + a + "[1:3]) + " + bias);
  }

  void link(int i) {
    const std::string s = std::to_string(i + 1);
    std::vector<int> children;
    for (int c = 0; c < static_cast<int>(o_.parent.size()); ++c)
      if (o_.parent[static_cast<std::size_t>(c)] == i) children.push_back(c);
    const int parent = o_.parent[static_cast<std::size_t>(i)];
    const std::string r3 = vector("r3_" + s), r4 = vector("r4_" + s), y = vector("y_" + s), x = vector("x_" + s);
    const std::string axis = o_.planar ? "{0, 0, 1}" : vector("n_" + s), none = "{0, 0, 0}";
    const std::string moment = o_.planar ? none : vector("b_" + s), spin = o_.planar ? none : vector("z_" + s);
    for (const char* v : {"a2_", "a3_", "f1_", "f2_", "f3_"}) declare("variable " + (v + s) + "[6]");
    if (!children.empty()) declare("variable a4_" + s + "[6]");
    declare("input m_" + s);
    declare("input J_" + s + "[6]");
    declare("input tau_" + s);
    declare("variable w_" + s + "(start = 0)");
    declare("variable qdd_" + s);
    equation("der(w_" + s + ")", "qdd_" + s);
    const std::string J = "J_" + s;
    equation("[" + J + "[1], " + J + "[2], " + J + "[3]; " + J + "[2], " + J + "[4], " + J + "[5]; " + J + "[3], " + J + "[5], " + J +
                 "[6]]*a3_" + s + "[1:3]",
             "f3_" + s + "[1:3] + " + moment);  // (24)
    equation("m_" + s + "*a3_" + s + "[4:6]", "f3_" + s + "[4:6]");
    bar("a3_" + s, "a2_" + s, r3, y);
    std::string torque = "f3_" + s + "[1:3] + cross(" + r3 + ", f3_" + s + "[4:6])", force = "f3_" + s + "[4:6]";  // (26)
    for (int c : children) {
      const std::string f = "f1_" + std::to_string(c + 1);
      torque += " + " + f + "[1:3] + cross(" + r4 + ", " + f + "[4:6])";
      force += " + " + f + "[4:6]";
    }
    if (o_.closed && children.empty()) {  // the end is held by a spherical joint
      declare("variable cut_" + s + "[3]");
      declare("input hold_" + s + "[3]");
      torque += " + cross(" + r4 + ", cut_" + s + ")";
      force += " + cut_" + s;
      equation("a2_" + s + "[4:6] - cross(" + r4 + ", a2_" + s + "[1:3])", "hold_" + s);
    }
    equation("f2_" + s + "[1:3]", torque);
    equation("f2_" + s + "[4:6]", force);
    const auto relaxed = [&](const std::string& e) { return o_.marks ? "relax(" + e + ")" : e; };
    if (parent >= 0) {
      declare("variable a1_" + s + "[6]");
      equation("a1_" + s, "a4_" + std::to_string(parent + 1));
      equation("a2_" + s + "[1:3]", relaxed("a1_" + s + "[1:3]") + " + " + axis + "*qdd_" + s + " + " + spin);  // (27)
      equation("a2_" + s + "[4:6]", relaxed("a1_" + s + "[4:6]"));
    } else {
      declare("input g_" + s + "[3]");
      equation("a2_" + s + "[1:3]", axis + "*qdd_" + s + " + " + spin);
      equation("a2_" + s + "[4:6]", "g_" + s);
    }
    equation("f1_" + s, "f2_" + s);                                                                          // (28)
    equation(axis + "*f2_" + s + "[1:3]", "tau_" + s + (o_.marks ? " + residue(qdd_" + s + ")" : ""));       // (29)
    if (!children.empty()) bar("a4_" + s, "a2_" + s, r4, x);
    if (o_.tear) declare("tear qdd_" + s);
  }

  const Options& o_;
  std::mt19937 random_;
  std::vector<std::string> lines_;
};

inline std::string text(const Options& o) { return Writer(o).run(); }

}  // namespace chains
