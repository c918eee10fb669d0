// engine/model/form.hpp: forms (architecture.md idea 1). A form is a scalar expression in placeholders p0, p1, …, numbered by
// first occurrence, interned: ten thousand resistors share one. Symbolic work (GiNaC) is done per form and kept for ever.
//   Only literals 0, 1, -1 and literal exponents belong to a form; other numbers are bound constants.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/expr.hpp"

namespace kron::model {

struct FormTag;
using FormId = Id<FormTag>;

// A form bound to operands: placeholder k stands for operands[k].
struct Bound {
  FormId form;
  std::vector<Operand> operands;
};

// residual = constant + Σ coefficient[k]·p_k with integer coefficients.
struct IntegerRow {
  std::vector<std::int64_t> coefficient;
  std::int64_t constant = 0;
};

// How placeholder k enters a residual.
struct Linear {
  bool linear = false;        // residual = coefficient·p_k + rest with neither holding p_k
  NodeId coefficient, rest;   // in forms().exprs()
};

// Solving residual = 0 for placeholder k where that has at most one real solution for every value of the others.
struct Isolated {
  NodeId value;  // p_k = value
  // Divisors that must be non-zero; empty when the isolation is always valid.
  std::vector<NodeId> divisors;
};

// What replaces a placeholder when variables merge or are known: itself as new number, with a sign, or a literal.
struct Replacement {
  std::int32_t placeholder = -1;  // number in the new form, or -1: the literal
  std::int8_t sign = 1;
  std::int8_t literal = 0;        // 0, 1, -1
  friend bool operator==(const Replacement&, const Replacement&) = default;
};

class Forms {
 public:
  Forms();
  ~Forms();

  // Interns an expression over operands (of any pool) as a form and its bindings. Literals other than 0, ±1 and exponents
  // become bound constants; bound constants 0 and ±1 become literals.
  Bound intern(const Exprs&, NodeId);
  FormId intern_placeholders(NodeId root_in_exprs);   // an expression over placeholders of exprs(), with the numbers they have

  Exprs& exprs();
  const Exprs& exprs() const;
  NodeId root(FormId) const;
  std::uint32_t arity(FormId) const;         // number of placeholders: of operands it is bound to
  std::uint64_t content_hash(FormId) const;  // same in every session
  std::size_t size() const;

  // Memoised symbolic results, by GiNaC; nodes live in exprs() over the form's own placeholders.
  const std::optional<IntegerRow>& integer_row(FormId);
  const Linear& linear(FormId, std::uint32_t placeholder);
  const std::optional<Isolated>& isolate(FormId, std::uint32_t placeholder);
  NodeId partial(FormId, std::uint32_t placeholder);
  bool depends_on(NodeId, std::uint32_t placeholder);
  std::span<const std::uint32_t> placeholders(NodeId);  // sorted, that the node depends on
  std::span<const std::uint32_t> occurring(FormId);     // sorted, that the form without marks depends on
  // Whether placeholder k occurs only inside relax(…) (language.md section 6), and whether the form has residue(p_k).
  bool only_relaxed(FormId, std::uint32_t placeholder);
  bool has_residue(FormId, std::uint32_t placeholder);
  bool has_marks(FormId) const;
  // Marks taken out: relax(e) -> e, residue(v) -> 0, noEvent(e) -> e, homotopy(e, s) -> e. Computation uses this form; same
  // placeholders, though some may be gone.
  FormId unmarked(FormId);

  // The form with placeholders replaced (one entry a placeholder), renumbered by first occurrence. `order` receives, for each
  // placeholder of the result, the number used in the replacements.
  FormId specialise(FormId, std::span<const Replacement>, std::vector<std::uint32_t>& order);

  // d/dt: the result's operands are the bound operands and their derivatives (value(s, k) -> value(s, k+1); constants,
  // parameters (is_constant) have none; time has 1).
  Bound time_derivative(FormId, std::span<const Operand>, const std::function<bool(Operand)>& is_constant);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

Forms& forms();  // the process's table: append only, like the interned names

// d/dt of an expression over operands in the same pool.
NodeId time_derivative(Exprs&, NodeId, const std::function<bool(Operand)>& is_constant);

std::string print(const Bound&, const std::function<std::string(Operand)>& name);

}  // namespace kron::model
