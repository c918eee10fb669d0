// engine/session/model.hpp: a model written in C++. GiNaC's operators make the equations.
//
//   kron::Model m;
//   auto x = m.variable("x", {.start = 1, .fixed = true});
//   auto k = m.parameter("k", 2);
//   m.add(der(x) == -k * x);
#pragma once
#include <ginac/ginac.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/blueprint.hpp"

namespace kron {

struct VariableOptions {
  std::optional<double> start = std::nullopt;
  bool fixed = false;
  model::StateSelect state = model::StateSelect::default_;
  std::optional<double> minimum = std::nullopt, maximum = std::nullopt, nominal = std::nullopt;
  std::string unit = "";
};

class Model {
 public:
  Model();
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  GiNaC::ex variable(const std::string& name, const VariableOptions& = {});
  GiNaC::ex parameter(const std::string& name, double value);
  GiNaC::ex parameter(const std::string& name, const GiNaC::ex& value);  // of other parameters
  static GiNaC::ex time();

  // lhs == rhs; the label is e1, e2, … where none is given. Throws std::invalid_argument where an expression has something that
  // is no quantity of this model, or a function Kron does not know.
  void add(const GiNaC::relational&, const std::string& label = "");
  void initial(const GiNaC::relational&, const std::string& label = "");

  std::shared_ptr<const model::Blueprint> blueprint() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

// The time derivative of an expression, a variable as a rule; der(x, 2) is der(der(x)).
GiNaC::ex der(const GiNaC::ex&, unsigned times = 1);
GiNaC::ex relax(const GiNaC::ex&);
GiNaC::ex residue(const GiNaC::ex&);

}  // namespace kron
