// Places of variables: by the classes of the components that have them, from the outermost one, then in the natural order of names.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/model/part_order.hpp"
#include "tests/support/blueprints.hpp"

using namespace kron;
using namespace kron::model;
using kron::test::Maker;

namespace {

const std::vector<std::string> names = {"r", "r1", "r2", "r10", "r1a", "R", "der1", "d", "des", "df", "frame_a", "frame_", "frame", "x", "x9", "x10", "xZ", "a", "e"};

// A class with own quantities and components called at random, of names that are beginnings of each other, with numbers and capitals.
std::shared_ptr<const Blueprint> random_class(std::mt19937& random, const std::string& name, const std::vector<std::shared_ptr<const Blueprint>>& types) {
  std::vector<std::string> all = names;
  std::shuffle(all.begin(), all.end(), random);
  Maker m(name);
  for (int k = 0; k < 5; ++k) {
    std::vector<std::uint32_t> sizes;
    if (random() % 2 == 0) sizes = {12};
    if (random() % 4 == 0) sizes = {2, 11};
    m.own(all[static_cast<std::size_t>(k)], Variability::continuous, 0, sizes);
  }
  for (std::size_t k = 5; k < 10 && !types.empty(); ++k) {
    const auto& type = types[random() % types.size()];
    if (random() % 2 == 0) m.child(all[k], {}, type);
    else
      for (std::uint32_t i = 1; i <= 11; ++i) m.child(all[k], {i}, type);
  }
  return m.done();
}

std::vector<std::string> classes(const FlatModel& m, std::uint32_t slot) {
  std::vector<std::string> all;
  for (std::uint32_t i = instance_of(m, SlotId{slot}); i != 0; i = m.instances[i].parent) all.insert(all.begin(), m.instances[i].type->class_name.str());
  return all;
}

// The name with the class in front of each component, and with what sorts behind all classes in front of the quantity.
std::string with_classes(const FlatModel& m, std::uint32_t slot) {
  const std::uint32_t holder = instance_of(m, SlotId{slot});
  const std::string name = model::name(m, VarId{slot}), path = model::path(m, holder);
  std::string out = "~" + (path.empty() ? name : name.substr(path.size() + 1));
  for (std::uint32_t i = holder; i != 0; i = m.instances[i].parent) {
    const std::string own = model::path(m, i), above = model::path(m, m.instances[i].parent);
    out = m.instances[i].type->class_name.str() + " " + (above.empty() ? own : own.substr(above.size() + 1)) + "." + out;
  }
  return out;
}

}  // namespace

TEST_CASE("part order: by classes, then as natural_less has the names, derivatives last") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::shared_ptr<const Blueprint>> types = {random_class(random, "First", {}), random_class(random, "Alone", {})};
    types.push_back(random_class(random, "Holder", {types[0], types[1]}));
    Diagnostics ignored;
    const FlatModel m = flatten(random_class(random, "Top", types), ignored);
    const PartOrder order(m);
    struct Variable {
      std::vector<std::string> classes;
      std::string name;
      bool derivative;
      unsigned times;
      std::uint64_t place;
    };
    std::vector<Variable> all;
    for (std::uint32_t s = 0; s < m.slots; ++s)
      for (unsigned times : {0u, 1u, 2u}) all.push_back({classes(m, s), with_classes(m, s), times > 0, times, order.place(s, times)});
    std::sort(all.begin(), all.end(), [](const Variable& x, const Variable& y) {
      if (x.derivative != y.derivative) return y.derivative;
      if (x.classes != y.classes) return x.classes < y.classes;
      return x.name != y.name ? natural_less(x.name, y.name) : x.times < y.times;
    });
    const auto behind = std::adjacent_find(all.begin(), all.end(), [](const Variable& x, const Variable& y) { return x.place >= y.place; });
    if (behind != all.end()) CAPTURE(behind->name);
    CHECK(behind == all.end());
  }
}

TEST_CASE("part order: parts of links stand together by their classes, connectors with the part they belong to") {
  Maker frame("Frame"), body("Body"), joint("Joint"), link("Link"), top("Top");
  frame.own("x");
  frame.b->is_connector = true;
  const auto frames = frame.done();
  body.own("m");
  body.child("frame_a", {}, frames);
  joint.own("phi");
  joint.child("frame_a", {}, frames);
  joint.child("frame_b", {}, frames);
  link.child("axis", {}, joint.done());
  link.child("load", {}, body.done());
  top.child("a", {}, link.b);
  top.child("b", {}, link.done());
  Diagnostics ignored;
  const FlatModel m = flatten(top.done(), ignored);
  const PartOrder order(m);
  std::vector<std::uint32_t> slots(m.slots);
  std::iota(slots.begin(), slots.end(), 0u);
  std::ranges::sort(slots, {}, [&](std::uint32_t s) { return order.place(s, 0); });
  std::vector<std::string> in_order;
  for (std::uint32_t s : slots) in_order.push_back(model::name(m, VarId{s}));
  CHECK(in_order == std::vector<std::string>{"a.load.frame_a.x", "a.load.m", "b.load.frame_a.x", "b.load.m", "a.axis.frame_a.x", "a.axis.frame_b.x",
                                             "a.axis.phi", "b.axis.frame_a.x", "b.axis.frame_b.x", "b.axis.phi"});
  CHECK(Kinds(m).kind(SlotId{slots[4]}) == "Link.Joint.Frame frame_a.x");
}

TEST_CASE("part order: what a component is called decides nothing but among those of its class") {
  const auto part = [](const std::string& type) {
    Maker m(type);
    m.own("x");
    return m.done();
  };
  const auto first = part("First"), second = part("Second");
  for (const auto& [a, b] : {std::pair{"a", "b"}, std::pair{"b", "a"}}) {
    Maker m("Top");
    m.child(b, {}, second);
    m.child(a, {}, first);
    Diagnostics ignored;
    const FlatModel flat = flatten(m.done(), ignored);
    const PartOrder order(flat);
    const auto place = [&](const std::string& name) {
      for (std::uint32_t s = 0; s < flat.slots; ++s)
        if (model::name(flat, VarId{s}) == name + ".x") return order.place(s, 0);
      FAIL("no " << name);
      return std::uint64_t{0};
    };
    CHECK(place(a) < place(b));
    Kinds kinds(flat);
    CHECK(kinds.kind(SlotId{0}) != kinds.kind(SlotId{1}));
    CHECK((kinds.kind(SlotId{0}) == "First.x" || kinds.kind(SlotId{0}) == "Second.x"));
  }
}
