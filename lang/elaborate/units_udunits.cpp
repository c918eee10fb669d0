#include <udunits2.h>

#include <cmath>

#include "lang/elaborate/units.hpp"

namespace kron::elaborate {
namespace {

int say_nothing(const char*, va_list) { return 0; }

// Loading reads an XML database (about 10 ms): only when a name is met that the own table lacks.
ut_system* database() {
  static ut_system* const system = [] {
    ut_set_error_message_handler(say_nothing);
    return ut_read_xml(nullptr);
  }();
  return system;
}

struct UnitGuard {
  ut_unit* unit;
  ~UnitGuard() { ut_free(unit); }
};

std::size_t base_index(const char* symbol) {
  constexpr const char* symbols[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  for (std::size_t i = 0; i < 7; ++i)
    if (symbol != nullptr && std::string_view(symbols[i]) == symbol) return i;
  return 7;
}

// The dimension of a unit, or failure for logarithmic and time-stamp units.
bool add_basic(const ut_unit* unit, int power, Dimension& d) {
  const std::size_t i = base_index(ut_get_symbol(unit, UT_UTF8));
  if (i == 7) return ut_is_dimensionless(unit) != 0;  // rad
  d.exponents[i] = static_cast<std::int16_t>(d.exponents[i] + 12 * power);
  return true;
}

struct Reading {
  Dimension dimension = Dimension::one();
  double scale = 1, offset = 0;
  bool good = true;
};

ut_status visit_basic(const ut_unit* u, void* arg) {
  auto& r = *static_cast<Reading*>(arg);
  r.good = r.good && add_basic(u, 1, r.dimension);
  return UT_SUCCESS;
}
ut_status visit_product(const ut_unit*, int count, const ut_unit* const* units, const int* powers, void* arg) {
  auto& r = *static_cast<Reading*>(arg);
  for (int i = 0; i < count; ++i) r.good = r.good && std::abs(powers[i]) < 100 && add_basic(units[i], powers[i], r.dimension);
  return UT_SUCCESS;
}
ut_status refuse(void* arg) {
  static_cast<Reading*>(arg)->good = false;
  return UT_SUCCESS;
}
ut_status visit_stamp(const ut_unit*, const ut_unit*, double, void* arg) { return refuse(arg); }
ut_status visit_log(const ut_unit*, double, const ut_unit*, void* arg) { return refuse(arg); }
ut_status visit_galilean(const ut_unit*, double scale, const ut_unit* under, double offset, void* arg);

const ut_visitor& visitor() {
  static const ut_visitor v{visit_basic, visit_product, visit_galilean, visit_stamp, visit_log};
  return v;
}

// A value x of this unit is scale * (x + offset) ... of the underlying unit, which may be galilean again.
ut_status visit_galilean(const ut_unit*, double scale, const ut_unit* under, double offset, void* arg) {
  auto& r = *static_cast<Reading*>(arg);
  r.offset += r.scale * scale * offset;
  r.scale *= scale;
  return ut_accept_visitor(under, &visitor(), arg);
}

// UDUNITS computes in double: the shortest decimal that reads back is what its tables meant (0.3048, 273.15).
std::optional<Rational> shortest_decimal(double x) {
  if (!std::isfinite(x)) return std::nullopt;
  const std::string text = to_text(std::fabs(x));
  auto r = parse_number(text);
  if (r && x < 0) *r = -*r;
  return r;
}

}  // namespace

std::optional<Unit> udunits_unit(const std::string& text) {
  if (text.empty() || text.size() > 200 || database() == nullptr) return std::nullopt;
  UnitGuard unit{ut_parse(database(), text.c_str(), UT_UTF8)};
  if (unit.unit == nullptr) return std::nullopt;
  Reading r;
  if (ut_accept_visitor(unit.unit, &visitor(), &r) != UT_SUCCESS || !r.good) return std::nullopt;
  auto factor = shortest_decimal(r.scale), offset = shortest_decimal(r.offset);
  if (!factor || !offset || *factor == 0) return std::nullopt;
  Unit u;
  u.dimension = r.dimension;
  u.factor = *factor;
  u.offset = *offset;
  return u;
}

}  // namespace kron::elaborate
