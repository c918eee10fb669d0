// engine/code/klu.hpp: sparse LU by KLU [Davis & Palamadai Natarajan, ACM TOMS 907, 2010].
//   The ordering is found once, at the first matrix since forget(). A factorisation reuses the pivots of the last accepted point and is done
//   anew when they have become bad; new pivots are kept only by accept(), so a result depends on nothing evaluated since.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "engine/code/layout.hpp"

namespace kron::code {

enum class Factored : std::uint8_t { ok, singular, not_a_number };

// Operations of a factorisation and a solution, from the pattern: fill-in as in the symbolic factorisation.
struct LuCount {
  std::size_t products = 0, divisions = 0;
};
LuCount count_lu(const MatrixShape&);

class Klu {
 public:
  explicit Klu(const MatrixShape&);  // keeps a reference to the shape
  ~Klu();
  Klu(Klu&&) noexcept;
  Factored factor(std::span<const double> values);
  void solve(double* b);
  std::vector<double> pivots() const;  // their magnitudes; none: it has no factors
  void accept();
  void forget();  // the order and the accepted pivots
  struct Data;

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace kron::code
