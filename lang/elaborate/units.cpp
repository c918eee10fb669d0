#include "lang/elaborate/units.hpp"

#include <charconv>
#include <unordered_map>
#include <vector>

namespace kron::elaborate {
namespace {

enum : std::uint8_t { prefixable = 1, turning = 2, radian = 4 };

struct Entry {
  std::string_view name;
  std::array<std::int8_t, 7> exponents;  // m kg s A K mol cd
  const char* factor = "1";              // exact: "p", "p/q"
  int pi_power = 0;
  std::uint8_t flags = 0;
  const char* offset = "0";
};

// The units of every-day models, exactly as UDUNITS-2 has them (a test compares), then Kron's additions.
constexpr Entry own_units[] = {
    {"m", {1}, "1", 0, prefixable},
    {"g", {0, 1}, "1/1000", 0, prefixable},
    {"s", {0, 0, 1}, "1", 0, prefixable},
    {"A", {0, 0, 0, 1}, "1", 0, prefixable},
    {"K", {0, 0, 0, 0, 1}, "1", 0, prefixable},
    {"mol", {0, 0, 0, 0, 0, 1}, "1", 0, prefixable},
    {"cd", {0, 0, 0, 0, 0, 0, 1}, "1", 0, prefixable},
    {"rad", {}, "1", 0, prefixable | radian},
    {"sr", {}},
    {"Hz", {0, 0, -1}, "1", 0, prefixable | turning},
    {"N", {1, 1, -2}, "1", 0, prefixable},
    {"Pa", {-1, 1, -2}, "1", 0, prefixable},
    {"J", {2, 1, -2}, "1", 0, prefixable},
    {"W", {2, 1, -3}, "1", 0, prefixable},
    {"C", {0, 0, 1, 1}, "1", 0, prefixable},
    {"V", {2, 1, -3, -1}, "1", 0, prefixable},
    {"F", {-2, -1, 4, 2}, "1", 0, prefixable},
    {"Ohm", {2, 1, -3, -2}, "1", 0, prefixable},
    {"ohm", {2, 1, -3, -2}, "1", 0, prefixable},
    {"Ω", {2, 1, -3, -2}, "1", 0, prefixable},
    {"S", {-2, -1, 3, 2}, "1", 0, prefixable},
    {"Wb", {2, 1, -2, -1}, "1", 0, prefixable},
    {"T", {0, 1, -2, -1}, "1", 0, prefixable},
    {"H", {2, 1, -2, -2}, "1", 0, prefixable},
    {"lm", {0, 0, 0, 0, 0, 0, 1}},
    {"lx", {-2, 0, 0, 0, 0, 0, 1}},
    {"Bq", {0, 0, -1}},
    {"Gy", {2, 0, -2}},
    {"Sv", {2, 0, -2}},
    {"kat", {0, 0, -1, 0, 0, 1}},
    {"min", {0, 0, 1}, "60"},
    {"h", {0, 0, 1}, "3600"},
    {"d", {0, 0, 1}, "86400"},
    {"day", {0, 0, 1}, "86400"},
    {"L", {3}, "1/1000", 0, prefixable},
    {"l", {3}, "1/1000", 0, prefixable},
    {"t", {0, 1}, "1000"},
    {"bar", {-1, 1, -2}, "100000", 0, prefixable},
    {"%", {}, "1/100"},
    {"degC", {0, 0, 0, 0, 1}, "1", 0, 0, "27315/100"},
    {"°C", {0, 0, 0, 0, 1}, "1", 0, 0, "27315/100"},
    {"VA", {2, 1, -3}, "1", 0, prefixable},
    // Kron's own
    {"deg", {}, "1/180", 1, radian},
    {"°", {}, "1/180", 1, radian},
    {"rev", {}, "2", 1, radian},
    {"rpm", {0, 0, -1}, "1/30", 1, radian},
    {"Wh", {2, 1, -2}, "3600", 0, prefixable},
    {"Ah", {0, 0, 1, 1}, "3600", 0, prefixable},
    {"var", {2, 1, -3}, "1", 0, prefixable},
    {"mph", {1, 0, -1}, "1397/3125"},  // UDUNITS: milliphot
    {"kph", {1, 0, -1}, "5/18"},
    {"PS", {2, 1, -3}, "588399/800"},  // 75 kg, g = 9.80665 m/s^2, 1 m/s; UDUNITS: petasiemens
};

struct SiPrefix {
  std::string_view name;
  int power;
};
constexpr SiPrefix prefixes[] = {{"da", 1},  {"Y", 24}, {"Z", 21},  {"E", 18},  {"P", 15},  {"T", 12},  {"G", 9},
                                 {"M", 6},   {"k", 3},  {"h", 2},   {"d", -1},  {"c", -2},  {"m", -3},  {"u", -6},
                                 {"µ", -6},  {"μ", -6}, {"n", -9},  {"p", -12}, {"f", -15}, {"a", -18}, {"z", -21},
                                 {"y", -24}};

Rational ten_to(int power) {
  const Integer n = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(power < 0 ? -power : power));
  return power < 0 ? Rational(Integer(1), n) : Rational(n);
}

Unit make(const Entry& e) {
  Unit u;
  u.dimension = Dimension::one();
  for (std::size_t i = 0; i < 7; ++i) u.dimension.exponents[i] = static_cast<std::int16_t>(12 * e.exponents[i]);
  u.factor = Rational(e.factor);
  u.pi_power = e.pi_power;
  u.offset = Rational(e.offset);
  u.counting = e.flags & turning ? Counting::turns : e.flags & radian ? Counting::radians : Counting::none;
  return u;
}

const Entry* entry(std::string_view name) {
  static const std::unordered_map<std::string_view, const Entry*> index = [] {
    std::unordered_map<std::string_view, const Entry*> m;
    for (const Entry& e : own_units) m.emplace(e.name, &e);
    return m;
  }();
  auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

// A name of a unit, with prefix: own table first, then UDUNITS.
std::optional<Unit> named(std::string_view name) {
  if (const Entry* e = entry(name)) return make(*e);
  for (const SiPrefix& p : prefixes) {
    if (name.size() <= p.name.size() || name.substr(0, p.name.size()) != p.name) continue;
    const Entry* e = entry(name.substr(p.name.size()));
    if (e == nullptr || !(e->flags & prefixable)) continue;
    Unit u = make(*e);
    u.factor *= ten_to(p.power);
    return u;
  }
  return udunits_unit(std::string(name));
}

bool letter(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u >= 0x80 || u == '_' || u == '%';
}

constexpr int largest_exponent = 20;
constexpr const char* bad_exponent = "an exponent must be an integer up to 20";

// unit := factor { (* | /) factor };  factor := (name | 1 | "(" unit ")") [ ^ integer ]
class UnitParser {
 public:
  UnitParser(std::string_view text, std::string& reason) : text_(text), reason_(reason) {}
  std::optional<Unit> whole() {
    auto u = unit(0);
    blanks();
    if (u && at_ != text_.size()) return fail("unexpected `" + std::string(text_.substr(at_, 1)) + "`");
    return u;
  }

 private:
  std::optional<Unit> fail(std::string why) {
    if (reason_.empty()) reason_ = std::move(why);
    return std::nullopt;
  }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<Unit> unit(int depth) {
    auto left = factor(depth);
    while (left) {
      const bool times = take('*');
      if (!times && !take('/')) return left;
      auto right = factor(depth);
      if (!right) return right;
      left = combined(*left, *right, times);
    }
    return left;
  }
  static Unit combined(const Unit& a, const Unit& b, bool times) {
    Unit u;
    u.dimension = times ? product(a.dimension, b.dimension) : quotient(a.dimension, b.dimension);
    u.factor = times ? Rational(a.factor * b.factor) : Rational(a.factor / b.factor);
    u.pi_power = times ? a.pi_power + b.pi_power : a.pi_power - b.pi_power;
    // rad/s counts radians; rad alone and everything else that is no frequency counts nothing in particular
    if (!times && a.counting == Counting::radians) u.counting = Counting::radians;
    return u;
  }
  std::optional<Unit> factor(int depth) {
    if (depth > 50) return fail("brackets are nested too deeply");
    std::optional<Unit> u;
    if (take('(')) {
      u = unit(depth + 1);
      if (u && !take(')')) return fail("a `)` is missing");
    } else {
      u = atom();
    }
    if (u && take('^')) return raised(*u);
    return u;
  }
  std::optional<Unit> atom() {
    blanks();
    const std::size_t begin = at_;
    if (take('1')) {
      Unit u;
      u.dimension = Dimension::one();
      return u;
    }
    while (at_ < text_.size() && letter(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) return fail(begin < text_.size() ? "unexpected `" + std::string(text_.substr(begin, 1)) + "`" : "it ends too early");
    auto u = named(name);
    if (!u) return fail("no unit is called `" + std::string(name) + "`");
    return u;
  }
  std::optional<Unit> raised(const Unit& base) {
    const bool negative = take('-');
    if (!negative) take('+');
    blanks();
    int n = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
    if (error != std::errc{} || n > largest_exponent) return fail(bad_exponent);
    at_ = static_cast<std::size_t>(end - text_.data());
    Unit u;
    u.dimension = power(base.dimension, negative ? -n : n);
    if (!u.dimension.is_known()) return fail("its exponents are too large");
    for (int i = 0; i < n; ++i) u.factor *= base.factor;
    if (negative) u.factor = 1 / u.factor;
    u.pi_power = base.pi_power * (negative ? -n : n);
    return u;
  }

  std::string_view text_;
  std::string& reason_;
  std::size_t at_ = 0;
};

// UDUNITS takes `.` for a product, so that m^2.5 is 5 m^2 to it: a point with a digit behind an exponent; and exponents of any size.
bool has_bad_exponent(std::string_view text) {
  const auto is_digit = [&](std::size_t k) { return k < text.size() && text[k] >= '0' && text[k] <= '9'; };
  for (std::size_t k = 1; k < text.size(); ++k) {
    if (!is_digit(k) || is_digit(k - 1)) continue;
    std::size_t before = k - 1, end = k;
    if (before > 0 && (text[before] == '-' || text[before] == '+')) --before;
    while (is_digit(end)) ++end;
    const bool is_exponent = text[before] == '^' || (letter(text[before]) && !(end < text.size() && letter(text[end])));
    constexpr std::size_t most_digits = 2;
    if (is_exponent && (end - k > most_digits || (end < text.size() && text[end] == '.' && is_digit(end + 1)))) return true;
    if (is_exponent && std::stoi(std::string(text.substr(k, end - k))) > largest_exponent) return true;
  }
  return false;
}

// A lone unit keeps its offset and what it counts; `combined` drops both.
std::optional<Unit> parse(std::string_view text, std::string& reason) {
  if (has_bad_exponent(text)) {
    reason = bad_exponent;
    return std::nullopt;
  }
  auto u = UnitParser(text, reason).whole();
  if (!u) u = udunits_unit(std::string(text));  // UDUNITS writes products in more ways: kg.m2, "m s-1"
  if (u && u->counting == Counting::radians && u->dimension.is_one()) u->counting = Counting::none;  // an angle, no speed
  return u;
}

struct NamedDimension {
  const char* text;
  std::array<std::int8_t, 7> e;
};
constexpr NamedDimension derived[] = {{"V", {2, 1, -3, -1}}, {"Ohm", {2, 1, -3, -2}}, {"N", {1, 1, -2}},     {"W", {2, 1, -3}},
                                      {"N*m", {2, 1, -2}},   {"Pa", {-1, 1, -2}},     {"C", {0, 0, 1, 1}},   {"F", {-2, -1, 4, 2}},
                                      {"H", {2, 1, -2, -2}}, {"S", {-2, -1, 3, 2}},   {"Wb", {2, 1, -2, -1}}, {"T", {0, 1, -2, -1}}};

std::string exponent_text(int twelfths) {
  if (twelfths == 12) return {};
  if (twelfths % 12 == 0) return "^" + std::to_string(twelfths / 12);
  int n = twelfths, d = 12;
  for (int f : {2, 2, 3})
    if (n % f == 0 && d % f == 0) n /= f, d /= f;
  return "^(" + std::to_string(n) + "/" + std::to_string(d) + ")";
}

}  // namespace

Dimension product(const Dimension& a, const Dimension& b) {
  using S = Dimension::State;
  if (a.state == S::unknown || b.state == S::unknown) return {};
  Dimension d = a;
  for (std::size_t i = 0; i < 7; ++i) d.exponents[i] = static_cast<std::int16_t>(a.exponents[i] + b.exponents[i]);
  // a number times something without dimension may still be meant as any quantity: 5 * sin(x)
  const bool known = (a.is_known() && b.is_known()) || (a.is_known() && !a.is_one()) || (b.is_known() && !b.is_one());
  d.state = known ? S::known : S::flexible;
  return d;
}

Dimension quotient(const Dimension& a, const Dimension& b) {
  Dimension inverse = b;
  for (std::int16_t& e : inverse.exponents) e = static_cast<std::int16_t>(-e);
  return product(a, inverse);
}

Dimension power(const Dimension& a, const Rational& exponent) {
  if (a.state == Dimension::State::unknown) return a;
  Dimension d = a;
  for (std::size_t i = 0; i < 7; ++i) {
    const Rational e = exponent * a.exponents[i];
    const auto n = small_integer(e);
    if (!n || *n > 1200 || *n < -1200) return {};
    d.exponents[i] = static_cast<std::int16_t>(*n);
  }
  return d;
}

bool clash(const Dimension& a, const Dimension& b) { return a.is_known() && b.is_known() && a.exponents != b.exponents; }

Dimension either(const Dimension& a, const Dimension& b) {
  using S = Dimension::State;
  if (a.state == S::unknown || b.state == S::unknown || clash(a, b)) return {};
  return a.state == S::flexible ? b : a;
}

const Unit* find_unit(std::string_view text, std::string& reason) {
  struct Memo {
    std::optional<Unit> unit;
    std::string reason;
  };
  static std::unordered_map<std::string, Memo> memo;
  auto [it, fresh] = memo.try_emplace(std::string(text));
  if (fresh) {
    if (text.size() > 200) it->second.reason = "it is too long";
    else it->second.unit = parse(text, it->second.reason);
  }
  if (!it->second.unit) reason = it->second.reason;
  return it->second.unit ? &*it->second.unit : nullptr;
}

std::string dimension_text(const Dimension& d) {
  if (d.state == Dimension::State::unknown) return {};
  if (d.exponents == std::array<std::int16_t, 7>{}) return d.is_known() ? "1" : "";
  for (const NamedDimension& n : derived) {
    bool equal = true;
    for (std::size_t i = 0; i < 7; ++i) equal = equal && d.exponents[i] == 12 * n.e[i];
    if (equal) return n.text;
  }
  constexpr const char* names[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  constexpr std::size_t order[] = {1, 0, 2, 3, 4, 5, 6};  // kg*m/s
  std::string above, below;
  for (std::size_t i : order) {
    const int e = d.exponents[i];
    if (e > 0) above += (above.empty() ? "" : "*") + std::string(names[i]) + exponent_text(e);
    if (e < 0) below += (below.empty() ? "" : "*") + std::string(names[i]) + exponent_text(-e);
  }
  if (below.empty()) return above;
  if (above.empty()) above = "1";
  return above + "/" + (below.find('*') == std::string::npos ? below : "(" + below + ")");
}

}  // namespace kron::elaborate
