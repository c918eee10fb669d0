// Pictures in files, drawn by gnuplot: a script on its standard input, the file written beside its name and renamed.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "engine/base/number.hpp"
#include "repl/plot.hpp"

extern char** environ;

namespace kron::repl {

namespace {

std::string quoted(const std::string& s) {  // gnuplot's single quotes: only the quote itself is doubled
  std::string q = "'";
  for (char c : s) {
    if (c == '\'') q += '\'';
    if (static_cast<unsigned char>(c) >= 0x20) q += c;
  }
  return q + "'";
}

std::optional<std::string> terminal_of(const std::string& path, int width, int height) {
  const std::string size = std::to_string(width) + "," + std::to_string(height);
  if (path.ends_with(".svg")) return "svg size " + size + " font 'Helvetica,14' noenhanced background 'white' name 'kron'";
  if (path.ends_with(".png")) return "pngcairo size " + size + " font 'Sans,12' noenhanced";
  if (path.ends_with(".pdf"))
    return "pdfcairo size " + std::to_string(width / 100) + "," + std::to_string(height / 100) + " font 'Sans,12' noenhanced";
  return std::nullopt;
}

struct Run {
  int status = 0;
  std::string said;
};

void feed(int to, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(to, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
}

// Runs gnuplot with the script; status 127: there is none.
Run gnuplot(const std::string& script) {
  int in[2];
  if (pipe2(in, O_CLOEXEC) != 0) return {126, std::strerror(errno)};
  std::FILE* said = std::tmpfile();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  if (said) {
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDOUT_FILENO);
  }
  char name[] = "gnuplot", option[] = "-";
  char* arguments[] = {name, option, nullptr};
  pid_t child = 0;
  const int problem = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  Run run;
  if (problem == 0) feed(in[1], script);
  close(in[1]);
  if (problem != 0) {
    run.status = problem == ENOENT ? 127 : 126;
  } else {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 125;
  }
  if (said) {
    std::rewind(said);
    char buffer[512];
    while (std::fgets(buffer, sizeof buffer, said)) run.said += buffer;
    std::fclose(said);
  }
  return run;
}

// The first line of what gnuplot said that tells a reason.
std::string reason(const Run& run) {
  std::size_t at = 0;
  while (at < run.said.size()) {
    const std::size_t end = std::min(run.said.find('\n', at), run.said.size());
    std::string line = run.said.substr(at, end - at);
    line.erase(0, line.find_first_not_of(" \t^"));
    if (!line.empty() && line.find("gnuplot>") == std::string::npos) return line;
    at = end + 1;
  }
  return "gnuplot ended with status " + std::to_string(run.status);
}

// Whether a picture is there to its end: gnuplot does not say when the disk is full.
bool is_whole(const std::string& file) {
  constexpr long tail = 64;  // bytes; each of the formats closes with a word of its own
  std::FILE* in = std::fopen(file.c_str(), "rb");
  if (!in) return false;
  if (std::fseek(in, -tail, SEEK_END) != 0) std::rewind(in);
  char buffer[tail];
  const std::string_view end(buffer, std::fread(buffer, 1, sizeof buffer, in));
  std::fclose(in);
  for (const char* word : {"</svg>", "IEND", "%%EOF"})
    if (end.find(word) != std::string_view::npos) return true;
  return false;
}

std::optional<PlotProblem> draw_file(const std::string& path, int width, int height, const std::string& body) {
  const auto terminal = terminal_of(path, width, height);
  if (!terminal) return PlotProblem{"E0506", "`" + path + "` has no ending of a picture", "write to a .svg, .png or .pdf file"};
  const std::string beside = path + ".part" + std::to_string(getpid());
  std::FILE* probe = std::fopen(beside.c_str(), "wb");
  if (!probe) return PlotProblem{"E0505", "cannot write `" + path + "`: " + std::strerror(errno), ""};
  std::fclose(probe);
  const Run run = gnuplot("set terminal " + *terminal + "\nset output " + quoted(beside) + "\nset encoding utf8\n" + body + "\nset output\n");
  const bool whole = run.status == 0 && is_whole(beside);
  if (whole && std::rename(beside.c_str(), path.c_str()) == 0) return std::nullopt;
  const std::string why = whole ? std::strerror(errno) : "the disk is full or failing";
  std::remove(beside.c_str());
  if (run.status == 0) return PlotProblem{"E0505", "cannot write `" + path + "`: " + why, ""};
  if (run.status == 127)
    return PlotProblem{"E0516", "pictures in files are drawn by gnuplot, which is not installed", "install the package gnuplot-nox; without `to FILE` the plot appears on the terminal"};
  return PlotProblem{"E0516", "gnuplot could not draw `" + path + "`: " + reason(run), ""};
}

constexpr const char* plot_style =
    "set border 3 lw 1 lc rgb '#404040'\nset tics nomirror textcolor rgb '#202020'\nset grid lw 1 lc rgb '#e0e0e0'\n"
    "set key outside top center horizontal\nset lmargin 10\n"
    "set linetype 1 lc rgb '#0072b2' lw 2\nset linetype 2 lc rgb '#d55e00' lw 2\nset linetype 3 lc rgb '#009e73' lw 2\n"
    "set linetype 4 lc rgb '#cc79a7' lw 2\nset linetype 5 lc rgb '#e69f00' lw 2\nset linetype 6 lc rgb '#56b4e9' lw 2\n"
    "set linetype 7 lc rgb '#000000' lw 2\n";

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "1" ? name : name + " [" + unit + "]";
}

// One unit for all curves labels the axis; else each carries its own.
std::string common_unit(const Figure& f) {
  for (const Curve& c : f.curves)
    if (c.unit != f.curves.front().unit) return "";
  return f.curves.empty() ? "" : f.curves.front().unit;
}

}  // namespace

std::optional<PlotProblem> plot_to_file(const Figure& f, const std::string& path) {
  std::string body = plot_style;
  const std::string unit = common_unit(f);
  body += "set xlabel " + quoted(with_unit(f.x_name, f.x_unit)) + "\n";
  if (!unit.empty() && unit != "1") body += "set ylabel " + quoted("[" + unit + "]") + "\n";
  std::string plots;
  for (std::size_t i = 0; i < f.curves.size(); ++i) {
    const Curve& c = f.curves[i];
    const std::string data = "$curve" + std::to_string(i);
    body += data + " << EOD\n";
    bool any = false;
    for (std::size_t k = 0; k < c.x.size(); ++k) {
      const bool finite = std::isfinite(c.x[k]) && std::isfinite(c.y[k]);
      any |= finite;
      body += finite ? to_text(c.x[k]) + " " + to_text(c.y[k]) + "\n" : "\n";
    }
    if (!any) body += "0 NaN\n";
    body += "EOD\n";
    plots += (i ? ", " : "plot ") + data + " with lines lt " + std::to_string(i + 1) + " title " +
             quoted(unit.empty() ? with_unit(c.name, c.unit) : c.name);
  }
  return draw_file(path, 900, 560, body + plots);
}

std::optional<PlotProblem> plot_to_file(const std::vector<PatternPicture>& pictures, const std::string& path) {
  std::string body = "set border 15 lw 1 lc rgb '#404040'\nunset key\nunset grid\nset xtics scale 0\nset ytics scale 0\n";
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    body += "$points" + std::to_string(i) + " << EOD\n";
    for (auto [r, c] : pictures[i].points) body += std::to_string(c + 1) + " " + std::to_string(r + 1) + "\n";
    if (pictures[i].points.empty()) body += "0 NaN\n";
    body += "EOD\n";
  }
  body += "set multiplot layout 1," + std::to_string(pictures.size()) + "\n";
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const PatternPicture& p = pictures[i];
    const double size = std::max(0.15, std::min(2.0, 90.0 / static_cast<double>(std::max<std::size_t>(p.columns, 1))));
    body += "set title " + quoted(p.title) + "\nset size square\nset xrange [0.5:" + std::to_string(p.columns) + ".5]\nset yrange [" +
            std::to_string(p.rows) + ".5:0.5]\nset xlabel 'unknown'\nset ylabel 'equation'\nplot $points" + std::to_string(i) +
            " with points pt 5 ps " + std::to_string(size) + " lc rgb '#0072b2'\n";
  }
  return draw_file(path, 1000, 560, body + "unset multiplot");
}

}  // namespace kron::repl
