// engine/solve/template.hpp: expressions of the form table as tape templates: written once per expression, played for every
// equation that has the form.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "engine/code/tape.hpp"
#include "engine/model/form.hpp"

namespace kron::solve {

class Templates {
 public:
  // The node's value on the tape, placeholder k standing for values[k].
  code::Ref emit(code::Builder&, model::NodeId, std::span<const code::Ref> values);

 private:
  struct Step {
    model::ExprOp op{};
    Fn fn{};
    std::uint32_t first = 0, count = 0;  // arguments: positions of earlier steps
    std::uint32_t payload = 0;           // placeholder number, or index into literals
    std::optional<code::Ref> unit;       // of the literals 0, 1 and -1, which every tape has
  };
  struct Template {
    std::vector<Step> steps;
    std::vector<std::uint32_t> args;
    std::vector<Rational> literals;
  };
  const Template& get(model::NodeId);
  std::deque<Template> templates_;
  std::vector<const Template*> known_;  // by node; null: not yet
  std::vector<code::Ref> local_, arguments_;
};

}  // namespace kron::solve
