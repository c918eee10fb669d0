// Places of variables in the natural order of their names, against the names.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "engine/model/name_order.hpp"
#include "tests/support/blueprints.hpp"

using namespace kron;
using namespace kron::model;
using kron::test::Maker;

namespace {

// A class with own quantities and components called at random, of names that are beginnings of each other, with numbers and capitals.
std::shared_ptr<const Blueprint> random_class(std::mt19937& random, const std::vector<std::shared_ptr<const Blueprint>>& types) {
  std::vector<std::string> names = {"r", "r1", "r2", "r10", "r1a", "R", "der1", "d", "des", "df", "frame_a", "frame_", "frame", "x", "x9", "x10", "xZ", "a", "e"};
  std::shuffle(names.begin(), names.end(), random);
  Maker m("Random");
  for (int k = 0; k < 5; ++k) {
    std::vector<std::uint32_t> sizes;
    if (random() % 2 == 0) sizes = {12};
    if (random() % 4 == 0) sizes = {2, 11};
    m.own(names[static_cast<std::size_t>(k)], Variability::continuous, 0, sizes);
  }
  for (std::size_t k = 5; k < 10 && !types.empty(); ++k) {
    const auto& type = types[random() % types.size()];
    if (random() % 2 == 0) m.child(names[k], {}, type);
    else
      for (std::uint32_t i = 1; i <= 11; ++i) m.child(names[k], {i}, type);
  }
  return m.done();
}

}  // namespace

TEST_CASE("name order: as natural_less has the names") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::shared_ptr<const Blueprint>> types;
    for (int k = 0; k < 2; ++k) types.push_back(random_class(random, {}));
    types.push_back(random_class(random, {types[0], types[1]}));
    Diagnostics ignored;
    const FlatModel m = flatten(random_class(random, types), ignored);
    const NameOrder order(m);
    struct Variable {
      std::string name;
      std::uint64_t place;
    };
    std::vector<Variable> all;
    for (std::uint32_t s = 0; s < m.slots; ++s) {
      const std::string name = model::name(m, VarId{s});
      all.push_back({name, order.place(s, 0)});
      all.push_back({"der(" + name + ")", order.place(s, 1)});
      all.push_back({"der(" + name + ",2)", order.place(s, 2)});
    }
    std::sort(all.begin(), all.end(), [](const Variable& x, const Variable& y) { return natural_less(x.name, y.name); });
    const auto behind = std::adjacent_find(all.begin(), all.end(), [](const Variable& x, const Variable& y) { return x.place >= y.place; });
    if (behind != all.end()) CAPTURE(behind->name);
    CHECK(behind == all.end());
  }
}
