// repl/plot.hpp: curves as a picture: on the terminal in Braille dots, or in a file by gnuplot.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kron::repl {

struct Curve {
  std::string name, unit;
  std::vector<double> x, y;  // same length; points that are not finite are left out
};

struct Figure {
  std::string x_name, x_unit;
  std::vector<Curve> curves;
};

// Round numbers, at most `most` (at least 3) of them, at equal steps of 1, 2 or 5 times a power of ten, that enclose [low, high].
struct Ticks {
  std::vector<double> at;        // ascending
  double step = 1;
  double low() const { return at.front(); }
  double high() const { return at.back(); }
  std::string label(std::size_t i) const;  // all with the same number of decimals
};
Ticks round_ticks(double low, double high, std::size_t most);

struct Canvas {
  std::size_t width = 80, height = 24;  // of the whole picture, in characters
  bool colour = false;                  // else curves carry markers, where there are several
};
std::string draw(const Figure&, const Canvas&);

// Points of a matrix pattern (row, column) in Braille dots, at most so many characters wide.
std::string draw_pattern(std::size_t rows, std::size_t columns, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& points,
                         std::size_t most_columns);

// By ending: .svg, .png, .pdf. Return nothing, or the code and text of what went wrong.
struct PlotProblem {
  std::string code, message, help;
};
std::optional<PlotProblem> plot_to_file(const Figure&, const std::string& path);
struct PatternPicture {
  std::string title;
  std::size_t rows = 0, columns = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> points;
};
std::optional<PlotProblem> plot_to_file(const std::vector<PatternPicture>&, const std::string& path);

}  // namespace kron::repl
