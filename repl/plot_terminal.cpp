#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "repl/plot.hpp"
#include "repl/text.hpp"

namespace kron::repl {

// ---- ticks --------------------------------------------------------------------------------------------------------------------------

namespace {

double round_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (double m : {1.0, 2.0, 5.0})
    if (m * power >= rough * (1 - 1e-9)) return m * power;
  return 10 * power;
}

// A range with a width, whatever was measured.
void widen(double& low, double& high) {
  const double limit = 1e300;
  low = std::clamp(low, -limit, limit);
  high = std::clamp(high, -limit, limit);
  if (high < low) std::swap(low, high);
  const double least = std::max({std::fabs(low), std::fabs(high)}) * 1e-12;  // below this there are no digits left to show
  if (high - low > least && high - low > 1e-300) return;
  const double half = low == 0 ? 1 : std::fabs(low) * 0.1;
  low -= half;
  high += half;
}

}  // namespace

Ticks round_ticks(double low, double high, std::size_t most) {
  widen(low, high);
  most = std::max<std::size_t>(most, 3);  // a range around zero needs three
  Ticks t;
  double rough = (high - low) / static_cast<double>(most - 1);
  for (;;) {
    t.step = round_step(rough);
    const double first = std::floor(low / t.step + 1e-9), last = std::ceil(high / t.step - 1e-9);
    if (last - first + 1 <= static_cast<double>(most)) {
      for (double k = first; k <= std::max(last, first + 1); ++k) t.at.push_back(k * t.step);
      return t;
    }
    rough = t.step * 1.01;
  }
}

std::string Ticks::label(std::size_t i) const {
  const double v = at[i], largest = std::max(std::fabs(low()), std::fabs(high()));
  if (std::fabs(v) < step * 1e-6) return "0";
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  char buffer[64];
  if (largest < 1e6 && largest >= 1e-3 && decimals <= 9) {
    std::snprintf(buffer, sizeof buffer, "%.*f", decimals, v);
    return buffer;
  }
  auto power = [](double x) { return static_cast<int>(std::floor(std::log10(x) + 1e-9)); };
  const int wanted = std::clamp(power(std::fabs(v)) - power(step), 0, 15);
  std::snprintf(buffer, sizeof buffer, "%.*e", wanted, v);
  std::string s = buffer;
  const std::size_t e = s.find('e');
  std::string exponent = s.substr(e + 1);
  const bool negative = exponent[0] == '-';
  exponent.erase(0, exponent.find_first_not_of("+-0"));
  return s.substr(0, e) + (negative ? "e-" : "e") + (exponent.empty() ? "0" : exponent);
}

// ---- dots ---------------------------------------------------------------------------------------------------------------------------

namespace {

std::string utf8(char32_t c) {
  return {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
}

// Characters of 2 x 4 dots; each knows the curve that drew into it last.
class Dots {
 public:
  Dots(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows), bits_(columns * rows), owner_(columns * rows, -1), mark_(columns * rows, -1) {}
  std::size_t dot_columns() const { return 2 * columns_; }
  std::size_t dot_rows() const { return 4 * rows_; }

  void set(long x, long y, int curve) {  // y upward
    if (x < 0 || y < 0 || x >= static_cast<long>(dot_columns()) || y >= static_cast<long>(dot_rows())) return;
    const auto down = dot_rows() - 1 - static_cast<std::size_t>(y);
    const std::size_t cell = down / 4 * columns_ + static_cast<std::size_t>(x) / 2;
    static constexpr std::uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    bits_[cell] |= bit[down % 4][x % 2];
    owner_[cell] = curve;
  }

  void line(long x0, long y0, long x1, long y1, int curve) {  // Bresenham
    const long dx = std::labs(x1 - x0), dy = -std::labs(y1 - y0), sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
    for (long error = dx + dy;;) {
      set(x0, y0, curve);
      if (x0 == x1 && y0 == y1) return;
      const long twice = 2 * error;
      if (twice >= dy) { error += dy; x0 += sx; }
      if (twice <= dx) { error += dx; y0 += sy; }
    }
  }

  void mark(std::size_t column, std::size_t row, int curve) { mark_[row * columns_ + column] = curve; }
  int owner(std::size_t column, std::size_t row) const { return owner_[row * columns_ + column]; }
  int marked(std::size_t column, std::size_t row) const { return mark_[row * columns_ + column]; }
  std::string cell(std::size_t column, std::size_t row) const {
    const std::uint8_t b = bits_[row * columns_ + column];
    return b ? utf8(0x2800 + b) : " ";
  }
  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }

 private:
  std::size_t columns_, rows_;
  std::vector<std::uint8_t> bits_;
  std::vector<int> owner_, mark_;
};

constexpr std::array<const char*, 8> markers = {"o", "x", "+", "#", "*", "@", "%", "&"};
constexpr std::array<int, 7> colours = {36, 33, 32, 35, 34, 31, 37};

std::string marker(std::size_t curve) { return markers[curve % markers.size()]; }
std::string coloured(const std::string& text, int curve) {
  return "\033[" + std::to_string(colours[static_cast<std::size_t>(curve) % colours.size()]) + "m" + text + "\033[0m";
}

struct Box {
  Ticks x, y;
  bool empty = true;
};

// Range of all finite points.
Box measure(const Figure& f, std::size_t columns, std::size_t rows) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  double x0 = inf, x1 = -inf, y0 = inf, y1 = -inf;
  for (const Curve& c : f.curves)
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      if (!std::isfinite(c.x[i]) || !std::isfinite(c.y[i])) continue;
      x0 = std::min(x0, c.x[i]);
      x1 = std::max(x1, c.x[i]);
      y0 = std::min(y0, c.y[i]);
      y1 = std::max(y1, c.y[i]);
    }
  Box b;
  b.empty = x0 > x1;
  if (b.empty) x0 = y0 = 0, x1 = y1 = 1;
  b.x = round_ticks(x0, x1, std::clamp<std::size_t>(columns / 12, 2, 11));
  b.y = round_ticks(y0, y1, std::clamp<std::size_t>(rows / 2, 3, 10));
  return b;
}

long dot(double v, const Ticks& t, std::size_t dots) {
  const double share = (v / 2 - t.low() / 2) / (t.high() / 2 - t.low() / 2);  // halves: the range may exceed the largest double
  return std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(dots - 1));
}

void draw_curve(Dots& dots, const Curve& c, const Box& box, int index, bool marks, std::size_t curves) {
  bool pen = false;
  long px = 0, py = 0;
  const std::size_t spacing = std::max<std::size_t>(8, dots.columns() / 7);
  std::size_t next_mark = spacing * (static_cast<std::size_t>(index) + 1) / (curves + 1);
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    if (!std::isfinite(c.x[i]) || !std::isfinite(c.y[i])) {
      pen = false;
      continue;
    }
    const long x = dot(c.x[i], box.x, dots.dot_columns()), y = dot(c.y[i], box.y, dots.dot_rows());
    if (pen) dots.line(px, py, x, y, index);
    else dots.set(x, y, index);
    if (marks)
      for (; static_cast<long>(2 * next_mark) <= x && next_mark < dots.columns(); next_mark += spacing) {
        const double share = x == px || !pen ? 1 : static_cast<double>(static_cast<long>(2 * next_mark) - px) / static_cast<double>(x - px);
        const long at = py + std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(y - py));
        dots.mark(next_mark, (dots.dot_rows() - 1 - static_cast<std::size_t>(pen ? at : y)) / 4, index);
      }
    px = x;
    py = y;
    pen = true;
  }
}

std::string legend_entry(const Figure& f, std::size_t i, bool colour, bool marks) {
  std::string s = f.curves[i].name;
  if (!f.curves[i].unit.empty() && f.curves[i].unit != "1") s += " [" + f.curves[i].unit + "]";
  if (colour) return coloured("──", static_cast<int>(i)) + " " + s;
  return marks ? marker(i) + " " + s : s;
}

std::string legend(const Figure& f, std::size_t width, bool colour, bool marks, std::size_t indent) {
  std::string out, line(indent, ' ');
  std::size_t used = indent;
  for (std::size_t i = 0; i < f.curves.size(); ++i) {
    const std::string entry = legend_entry(f, i, colour, marks);
    const std::size_t w = display_width(legend_entry(f, i, false, marks)) + (colour ? 3 : 0);
    if (used > indent && used + 3 + w > width) {
      out += line + "\n";
      line.assign(indent, ' ');
      used = indent;
    }
    if (used > indent) {
      line += "   ";
      used += 3;
    }
    line += entry;
    used += w;
  }
  return out + line + "\n";
}

std::string x_axis(const Figure& f, const Box& box, std::size_t columns, std::size_t indent, std::size_t width) {
  std::string axis(indent, ' '), labels(width + 8, ' ');
  std::vector<std::string> cells(columns, "─");
  std::size_t free_from = 0;
  for (std::size_t i = 0; i < box.x.at.size(); ++i) {
    const auto column = static_cast<std::size_t>(dot(box.x.at[i], box.x, 2 * columns)) / 2;
    cells[column] = "┬";
    const std::string label = box.x.label(i);
    std::size_t at = indent + 1 + column;
    at -= std::min(at, label.size() / 2);
    if (at + label.size() > width) at = width > label.size() ? width - label.size() : 0;
    if (at < free_from) continue;
    labels.replace(at, label.size(), label);
    free_from = at + label.size() + 1;
  }
  axis += "└";
  for (const std::string& c : cells) axis += c;
  labels.erase(labels.find_last_not_of(' ') + 1);
  std::string name = f.x_name;
  if (!f.x_unit.empty() && f.x_unit != "1") name += " [" + f.x_unit + "]";
  const std::size_t w = display_width(name);
  const std::size_t centre = indent + 1 + columns / 2;
  return axis + "\n" + labels + "\n" + std::string(centre > w / 2 ? centre - w / 2 : 0, ' ') + name + "\n";
}

// One line of cells; neighbours of one colour share its escape sequence.
std::string plot_row(const Dots& dots, std::size_t row, bool colour, bool marks) {
  std::string out, run;
  int owner = -1;
  auto finish = [&] {
    if (!run.empty()) out += colour && owner >= 0 ? coloured(run, owner) : run;
    run.clear();
  };
  std::size_t columns = dots.columns();
  while (columns > 0 && dots.owner(columns - 1, row) < 0) --columns;
  for (std::size_t c = 0; c < columns; ++c) {
    if (dots.owner(c, row) != owner) {
      finish();
      owner = dots.owner(c, row);
    }
    const bool marked = marks && dots.marked(c, row) >= 0;
    run += marked ? marker(static_cast<std::size_t>(dots.marked(c, row))) : dots.cell(c, row);
  }
  finish();
  return out;
}

}  // namespace

std::string draw(const Figure& f, const Canvas& canvas) {
  const bool marks = !canvas.colour && f.curves.size() > 1;
  const std::size_t rows = std::max<std::size_t>(5, canvas.height > 5 ? canvas.height - 5 : 5);
  Box box = measure(f, canvas.width, rows);
  std::size_t label_width = 1;
  for (std::size_t i = 0; i < box.y.at.size(); ++i) label_width = std::max(label_width, box.y.label(i).size());
  const std::size_t indent = label_width + 1;
  const std::size_t columns = canvas.width > indent + 12 ? canvas.width - indent - 2 : 10;
  Dots dots(columns, rows);
  for (std::size_t i = 0; i < f.curves.size(); ++i) draw_curve(dots, f.curves[i], box, static_cast<int>(i), marks, f.curves.size());
  std::vector<std::string> labels(rows);
  for (std::size_t i = 0; i < box.y.at.size(); ++i)
    labels[(dots.dot_rows() - 1 - static_cast<std::size_t>(dot(box.y.at[i], box.y, dots.dot_rows()))) / 4] = box.y.label(i);
  std::string out = legend(f, canvas.width, canvas.colour, marks, indent + 1);
  for (std::size_t r = 0; r < rows; ++r) {
    out += padded(labels[r], label_width, true) + (labels[r].empty() ? " │" : " ┤");
    out += plot_row(dots, r, canvas.colour, marks) + "\n";
  }
  if (box.empty) out += std::string(indent, ' ') + "(no finite value to show)\n";
  return out + x_axis(f, box, columns, indent, canvas.width);
}

std::string draw_pattern(std::size_t rows, std::size_t columns, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& points,
                         std::size_t most_columns) {
  if (rows == 0 || columns == 0) return {};
  const std::size_t width = std::clamp<std::size_t>((columns + 1) / 2, 1, most_columns);
  const double scale = std::min(1.0, static_cast<double>(2 * width) / static_cast<double>(columns));
  const auto height = static_cast<std::size_t>(std::ceil(static_cast<double>(rows) * scale / 4));
  Dots dots(width, std::max<std::size_t>(height, 1));
  for (auto [r, c] : points) {
    const auto x = static_cast<long>(static_cast<double>(c) * scale), y = static_cast<long>(static_cast<double>(r) * scale);
    dots.set(x, static_cast<long>(dots.dot_rows()) - 1 - y, 0);
  }
  std::string out;
  for (std::size_t r = 0; r < dots.rows(); ++r) {
    out += "  │";
    for (std::size_t c = 0; c < dots.columns(); ++c) out += dots.cell(c, r);
    out += "│\n";
  }
  return out;
}

}  // namespace kron::repl
