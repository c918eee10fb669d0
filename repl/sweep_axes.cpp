#include "repl/sweep_axes.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <random>

#include "lang/elaborate/units.hpp"

namespace kron::repl {

namespace {

bool number_after(Arguments& a, const char* word, const Axis& x, double& to) {
  if (!a.keyword(word)) return a.misuse(a.place(), "`:sweep` wants `" + std::string(word) + "` and a number here"), false;
  if (a.empty()) return a.misuse(a.place(), "`:sweep` wants a number after `" + std::string(word) + "`"), false;
  const auto v = a.number(x.name.text, a.unit_of(x.name));
  if (v) to = *v;
  return v.has_value();
}

// Also where the difference of the two is no number.
double between(double from, double to, double s) { return std::isfinite(to - from) ? from + (to - from) * s : from * (1 - s) + to * s; }

std::vector<double> spaced(double from, double to, std::size_t n, bool logarithmic) {
  std::vector<double> list;
  for (std::size_t i = 0; i < n; ++i) {
    const double s = n == 1 ? 0 : static_cast<double>(i) / static_cast<double>(n - 1);
    list.push_back(i + 1 == n && n > 1 ? to : logarithmic ? from * std::pow(to / from, s) : between(from, to, s));
  }
  return list;
}

bool read_range(Arguments& a, Axis& x) {
  const Span place = a.place();
  double from = 0, to = 0;
  if (!number_after(a, "from", x, from) || !number_after(a, "to", x, to)) return false;
  if (!a.keyword("points")) return a.misuse(a.place(), "`:sweep` wants `points` and their number here"), false;
  const auto n = a.count("points");
  if (!n) return false;
  if (*n > Axes::most) return a.misuse(a.whole(), "this sweep has over ten million runs"), false;
  const bool logarithmic = a.keyword("log");
  if (logarithmic && !(from * to > 0)) {
    a.misuse(place, "a logarithmic range wants two numbers of one sign, neither of them zero");
    return false;
  }
  x.list = spaced(from, to, *n, logarithmic);
  return true;
}

// What stands behind a name that is varied.
bool is_varied(const Word* next) {
  const auto ways = {"from", "in", "uniform", "normal"};
  return next != nullptr && std::any_of(ways.begin(), ways.end(), [&](const char* w) { return next->text == w; });
}

// A word that a number begins with, an element of an enumeration (`Mode.fast`), or an expression.
bool at_number(const Arguments& a) {
  const Word* w = a.peek();
  if (!w || w->kind == Word::quoted) return false;
  if (w->kind == Word::expression) return true;
  if (std::isalpha(static_cast<unsigned char>(w->text[0])) && w->text.find('.') != std::string::npos) return !is_varied(a.peek(1));
  const char c = w->text.find_first_not_of("+-.") == std::string::npos ? ' ' : w->text[w->text.find_first_not_of("+-.")];
  return c >= '0' && c <= '9';
}

bool read_list(Arguments& a, Axis& x) {
  const std::string unit = a.unit_of(x.name);
  for (;;) {
    if (a.keyword("true")) x.list.push_back(1);
    else if (a.keyword("false")) x.list.push_back(0);
    else if (!at_number(a)) break;
    else if (const auto v = a.number(x.name.text, unit, true)) x.list.push_back(*v);
    else return false;
  }
  if (x.list.empty()) a.misuse(a.place(), "`in` wants the values to run with: numbers, true, false or elements of an enumeration, with spaces between them" + (a.peek() ? ", and `" + a.peek()->text + "` is none" : std::string{}));
  return !x.list.empty();
}

// `20 [degC]` is a temperature on a scale with another zero, and no difference.
bool has_offset(const Word& w) {
  const std::size_t open = w.text.find('['), close = w.text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return false;
  std::string reason;
  const elaborate::Unit* unit = elaborate::find_unit(w.text.substr(open + 1, close - open - 1), reason);
  return unit != nullptr && unit->offset != 0;
}

bool read_distribution(Arguments& a, Axis& x) {
  const Span place = a.place();
  if (x.kind == Axis::uniform) return number_after(a, "from", x, x.a) && number_after(a, "to", x, x.b);
  if (!number_after(a, "mean", x, x.a)) return false;
  for (const std::size_t ahead : {1, 2})
    if (const Word* w = a.at_keyword("sd") ? a.peek(ahead) : nullptr; w && has_offset(*w))
      return a.misuse(w->span, "a standard deviation is a difference: give it in K"), false;
  if (!number_after(a, "sd", x, x.b)) return false;
  if (x.b >= 0) return true;
  a.misuse(place, "a standard deviation is not negative");
  return false;
}

// Standard numbers by the textbook, as std::normal_distribution differs between libraries [Box and Muller 1958].
class Samples {
 public:
  Samples(std::uint64_t seed, std::uint32_t axis) {
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), axis};
    random_.seed(words);
  }
  double next(const Axis& x) {
    if (x.kind == Axis::uniform) return between(x.a, x.b, unit());
    const double size = std::sqrt(-2 * std::log(1 - unit()));
    return x.a + x.b * size * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }  // in [0, 1)
  std::mt19937_64 random_;
};

}  // namespace

bool Axes::random() const {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& x) { return x.kind != Axis::values; });
}

std::size_t Axes::size() const {
  std::size_t n = random() ? samples : 1;
  for (const Axis& x : axes)
    if (x.kind == Axis::values) n = n > most / x.list.size() ? most + 1 : n * x.list.size();
  return n;
}

std::vector<std::vector<double>> Axes::sets() const {
  const std::size_t n = random() ? samples : 1;
  std::vector<std::vector<double>> drawn(axes.size());
  std::uint32_t place = 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].kind == Axis::values) continue;
    Samples s(seed, place++);
    for (std::size_t i = 0; i < n; ++i) drawn[k].push_back(s.next(axes[k]));
  }
  std::vector<std::vector<double>> list(size(), std::vector<double>(axes.size()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::size_t rest = i / n;
    for (std::size_t k = axes.size(); k-- > 0;) {
      if (axes[k].kind != Axis::values) {
        list[i][k] = drawn[k][i % n];
        continue;
      }
      list[i][k] = axes[k].list[rest % axes[k].list.size()];
      rest /= axes[k].list.size();
    }
  }
  return list;
}

bool at_axis(const Arguments& a) {
  if (a.empty()) return false;
  const auto settings = {"values", "until", "every", "tol", "method", "trajectories"};
  return std::none_of(settings.begin(), settings.end(), [&](const char* w) { return a.at_keyword(w); });
}

bool read_axis(Arguments& a, Axes& to) {
  if (a.keyword("samples")) {
    const auto n = a.count("samples");
    to.samples = n.value_or(1);
    return n.has_value();
  }
  if (a.keyword("seed")) {
    const Span place = a.place();
    const auto v = a.number("seed");
    if (!v) return false;
    if (*v < 0 || *v > 0x1p53 || *v != std::floor(*v)) return a.misuse(place, "`seed` wants a whole number from 0 on"), false;
    to.seed = static_cast<std::uint64_t>(*v);
    return true;
  }
  Axis x;
  x.name = a.take();
  std::erase(x.name.text, ' ');
  bool good = true;
  if (a.keyword("in")) good = read_list(a, x);
  else if (a.keyword("uniform")) x.kind = Axis::uniform, good = read_distribution(a, x);
  else if (a.keyword("normal")) x.kind = Axis::normal, good = read_distribution(a, x);
  else good = read_range(a, x);
  if (good && std::any_of(to.axes.begin(), to.axes.end(), [&](const Axis& other) { return other.name.text == x.name.text; })) {
    a.misuse(x.name.span, "`" + x.name.text + "` is varied twice");
    return false;
  }
  to.axes.push_back(std::move(x));
  return good;
}

}  // namespace kron::repl
