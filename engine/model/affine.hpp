// engine/model/affine.hpp: expressions over placeholders as sums: with integer coefficients, or as a·p + b for one placeholder p.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "engine/model/form.hpp"

namespace kron::model {

// Σ factor·placeholder + constant of an expression of + - neg, whole numbers and products with them; nullopt for anything else.
// What cancels may be anything.
std::optional<IntegerRow> read_integer_row(const Exprs&, NodeId root, std::uint32_t arity);

// a·p + b bottom-up, keeping the expression's own structure (GiNaC's expansion would multiply out what the user factored).
// nullopt: not seen to be linear.
std::optional<std::pair<NodeId, NodeId>> read_affine(Exprs&, NodeId root, std::uint32_t placeholder);

// A sum of many terms: a question about a placeholder of one term costs that term, not the sum.
class LongSum {
 public:
  LongSum(Exprs&, NodeId root, std::uint32_t arity);
  // The one term that holds the placeholder; nullopt: several do, or none.
  std::optional<std::size_t> only(std::uint32_t placeholder) const;
  NodeId term(std::size_t i) const { return terms_[i].node; }
  NodeId with_sign(Exprs&, std::size_t i, NodeId) const;      // as the term enters the sum
  NodeId replaced(Exprs&, std::size_t i, NodeId term) const;  // the sum with another i-th term

 private:
  struct Term {
    NodeId node;
    bool negative = false;
  };
  std::vector<Term> terms_;
  std::vector<NodeId> before_, after_;  // sums of the terms in front of and behind each
  std::vector<std::uint32_t> holder_;   // by placeholder: term + 1; 0: none, `several`
};

}  // namespace kron::model
