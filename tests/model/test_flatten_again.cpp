// Flat models made beside one of before: they are what they would be without it.
#include <doctest/doctest.h>

#include <random>

#include "tests/support/blueprints.hpp"
#include "tests/support/flat_models.hpp"

using namespace kron;
using namespace kron::model;
using kron::test::Maker;
using kron::test::pin;

namespace {

// Two pins, a variable, and what else a class may have to do with its surroundings.
enum Version { plain, derivative, second_derivative, relation, discrete_inside, inner_part, inner_events, another_variable, versions };

std::shared_ptr<const Blueprint> part(int version) {
  Maker m("Part" + std::to_string(version));
  const auto x = m.own("x"), k = m.own("k", Variability::parameter);
  const auto more = version == another_variable ? m.own("more", Variability::continuous, 0, {3}) : x;
  const auto jumping = version == discrete_inside ? m.own("n", Variability::discrete) : x;
  const auto p = m.child("p", {}, pin()), n = m.child("n", {}, pin());
  if (version == inner_part) {
    const auto q = m.child("q", {}, part(derivative));
    m.connect({{p, q + 2}}, {{{p + 1, true}, {q + 3, false}}});
  }
  if (version == inner_events) {  // of which this class differentiates a variable
    const auto q = m.child("q", {}, part(relation));
    m.equation(m.v(q + 1, 1), m.v(q + 4));
  }
  m.binding(BindingKind::value, k, m.e.literal(2 + version));
  m.equation(m.v(p), m.e.mul(m.v(k), m.v(x)));
  m.equation(m.v(more), m.v(n + 1));
  if (version == derivative) m.equation(m.v(x, 1), m.v(p));
  if (version == second_derivative) m.equation(m.v(x, 2), m.v(n));
  if (version == relation) m.equation(m.v(x), m.e.call(Fn::select, {m.e.call(Fn::lt, {m.v(p), m.v(n)}), m.v(k), m.v(p)}));
  if (version == discrete_inside) m.equation(m.v(jumping), m.e.call(Fn::floor, {m.v(x)}));
  return m.done();
}

// A model as a list of parts with what the top says of each.
struct Spec {
  struct Part {
    std::string name;
    std::shared_ptr<const Blueprint> type;
    unsigned differentiated = 0;  // so often, by the top:
    std::uint32_t variable = 0;   // this one of it
    bool when = false;            // a `when` of the top gives its variable
    bool bound = false;           // the top gives its parameter a value
    int connected = -1;           // its pin p to the pin n of that part
  };
  std::vector<Part> parts;
  int own = 1;
  bool own_flow = false;

  std::shared_ptr<const Blueprint> top() const {
    Maker m("Top");
    for (int k = 0; k < own; ++k) m.own("y" + std::to_string(k), Variability::continuous, k == 0 ? SlotFlag::input : 0);
    if (own_flow) m.own("j", Variability::continuous, SlotFlag::flow);
    std::vector<std::uint32_t> base, pins;
    for (const Part& p : parts) {
      base.push_back(m.child(p.name, {}, p.type));
      pins.push_back(base.back() + p.type->own_slots);
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Part& p = parts[k];
      if (p.differentiated > 0) m.equation(m.v(0), m.v(base[k] + p.variable % p.type->slots, p.differentiated));
      if (p.when) {
        m.equation(m.v(base[k]), m.e.call(Fn::sample, {m.e.literal(0), m.e.literal(2)}));
        m.b->equations.back().origin = EquationOrigin::when;
        m.b->equations.back().target = base[k];
      }
      if (p.bound) m.binding(BindingKind::value, base[k] + 1, m.e.literal(7));
      if (const auto c = static_cast<std::size_t>(p.connected); p.connected >= 0 && c < parts.size())
        m.connect({{pins[k], pins[c] + 2}}, {{{pins[k] + 1, false}, {pins[c] + 3, false}}});
    }
    return m.done();
  }
};

class Editor {
 public:
  explicit Editor(std::uint64_t seed) : g_(seed) {
    for (int v = 0; v < versions; ++v) types_.push_back(part(v));
    for (int k = 0; k < 8; ++k) insert();
  }
  std::shared_ptr<const Blueprint> next() {
    Spec::Part& p = spec_.parts[pick(spec_.parts.size())];
    switch (pick(12)) {
      case 0: case 1: insert(); break;
      case 2: if (spec_.parts.size() > 3) spec_.parts.erase(spec_.parts.begin() + static_cast<std::ptrdiff_t>(pick(spec_.parts.size()))); break;
      case 3: p.type = types_[pick(versions)]; break;
      case 4:
        p.differentiated = static_cast<unsigned>(pick(4));
        p.variable = static_cast<std::uint32_t>(pick(20));
        break;
      case 5: p.when = pick(3) == 0 && !p.when; break;
      case 6: p.bound = !p.bound; break;
      case 7: case 8: p.connected = static_cast<int>(pick(spec_.parts.size() + 1)) - 1; break;
      case 9: spec_.own = 1 + static_cast<int>(pick(4)); break;
      case 10: spec_.own_flow = !spec_.own_flow; break;
      default: std::swap(p, spec_.parts[pick(spec_.parts.size())]); break;
    }
    return spec_.top();
  }

 private:
  std::size_t pick(std::size_t n) { return g_() % n; }
  void insert() {
    const auto place = spec_.parts.begin() + static_cast<std::ptrdiff_t>(pick(spec_.parts.size() + 1));
    spec_.parts.insert(place, {"part" + std::to_string(++made_), types_[pick(3) == 0 ? pick(versions) : 0], 0, 0, false, false, -1});
  }
  std::mt19937_64 g_;
  std::vector<std::shared_ptr<const Blueprint>> types_;
  Spec spec_;
  int made_ = 0;
};

}  // namespace

TEST_CASE("a model beside the one of before: it is what its blueprint alone gives") {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    CAPTURE(seed);
    Editor editor(seed);
    Diagnostics ignored;
    FlatModel m = flatten(editor.next(), ignored);
    for (int k = 0; k < 12; ++k) {
      CAPTURE(k);
      m = flatten(editor.next(), ignored, &m);
      CHECK(kron::test::different_from_scratch(m) == "");
    }
  }
}
