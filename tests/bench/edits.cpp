// What an edit costs until the model is ready to integrate again: each kind of edit, models of several sizes, both ways of writing
// them. Every repetition edits another place, so that nothing of it has been met before; the median counts.
//   edits [MODEL...]      those whose names begin so
//     --stages            with the time of each stage
//     --kind=KIND         these kinds of edits alone
//     --repetitions=N     three unless told
//     --least             the least of the repetitions in place of the median, for a machine on which others work
//     --memory=N          memory along N rounds of three edits
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lang/workspace/kron.hpp"
#include "repl/memory_options.hpp"
#include "tests/bench/models.hpp"

namespace kron::bench {
namespace {

// Instructions of this process in user space; 0 where the kernel does not count them.
class Instructions {
 public:
  Instructions() {
    perf_event_attr attr{};
    attr.type = PERF_TYPE_HARDWARE;
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = attr.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
  }
  ~Instructions() { if (file_ >= 0) close(file_); }
  Instructions(const Instructions&) = delete;
  Instructions& operator=(const Instructions&) = delete;
  double now() const {
    std::uint64_t n = 0;
    return file_ >= 0 && read(file_, &n, sizeof n) == static_cast<ssize_t>(sizeof n) ? static_cast<double>(n) : 0;
  }

 private:
  int file_ = -1;
};

struct Edit {
  std::string kind;
  std::function<std::string(int)> text;  // by repetition
};
struct Model {
  std::string name, text;
  double fixed_bound;  // seconds, besides 2 us for each touched equation
  std::vector<Edit> edits;
};

struct Measured {
  double seconds = 0, processor = 0, instructions = 0, numbers = 0;
  session::Phases phases;
  session::Reuse reuse;
};

// Of all threads of this process: what others do on the machine shows less in it.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run(Session& s, const std::string& text) {
  if (s.run_text(text) && s.analysis().complete && s.check_numbers()) return;
  std::string why = text.substr(0, 200);
  for (const Diagnostics* list : std::initializer_list<const Diagnostics*>{&s.diagnostics(), &s.analysis().diagnostics})
    for (const Diagnostic& d : list->list())
      if (d.severity == Severity::error) throw std::runtime_error(why + "\n" + render(d));
  throw std::runtime_error(why);
}

[[gnu::noinline]] Measured measure(Session& s, const std::string& text, const Instructions& counter) {
  Measured m;
  const double before = counter.now(), processor_before = processor_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const bool fine = s.run_text(text) && s.analysis().complete;
  const auto analysed = std::chrono::steady_clock::now();
  if (!fine || !s.check_numbers()) run(s, text);
  m.numbers = seconds_since(analysed);
  m.seconds = seconds_since(begin);
  m.processor = processor_seconds() - processor_before;
  m.instructions = counter.now() - before;
  m.phases = s.phases();
  m.reuse = s.reuse();
  return m;
}

Measured chosen(std::vector<Measured> all, bool least) {
  std::sort(all.begin(), all.end(), [](const Measured& x, const Measured& y) { return x.seconds < y.seconds; });
  return all[least ? 0 : all.size() / 2];
}

// ---- models -----------------------------------------------------------------------------------------------------------------------

std::string at(const std::string& array, int k, bool arrays) { return arrays ? array + "[" + std::to_string(k) + "]" : array + std::to_string(k); }
std::string number(int k) { return std::to_string(k + 2) + ".25"; }

std::string load(const std::string& factor) {
  return "model Load extends OnePort\n  parameter R = 50\n  R * i = " + factor + " * v\nend\n";
}
std::string cell(const std::string& leak) {
  return "model Cell extends OnePort(v(start = 0, fixed))\n  parameter C = 1\n  C * der(v) = i" + leak + "\nend\n";
}

Model ladder(int cells, bool arrays, double fixed_bound) {
  Model m{"ladder " + std::to_string(cells) + (arrays ? " array" : " declared"), "use electrical\n" + load("1") + cell(""), fixed_bound, {}};
  m.text += "source : SineVoltage(V = 1, f = 1)\nground : Ground\nload : Load\nprobe : Resistor(R = 100)\n"
            "connect source.n, ground.p\nconnect load.n, ground.p\nconnect load.p, source.p\n"
            "connect probe.p, source.p\nconnect probe.n, ground.p\n";
  if (arrays) {
    m.text += "r[" + std::to_string(cells) + "] : Resistor(R = 1)\nc[" + std::to_string(cells) + "] : Cell\nconnect source.p, r[1].p\nfor k in 1:" +
              std::to_string(cells) + "\n  connect r[k].n, c[k].p\n  connect c[k].n, ground.p\nend\nfor k in 1:" + std::to_string(cells - 1) +
              "\n  connect r[k].n, r[k + 1].p\nend\n";
  } else {
    std::string before = "source.p";
    for (int k = 1; k <= cells; ++k) {
      const std::string r = at("r", k, false), c = at("c", k, false);
      m.text += r + " : Resistor(R = 1)\n" + c + " : Cell\nconnect " + before + ", " + r + ".p\nconnect " + r + ".n, " + c + ".p\nconnect " + c + ".n, ground.p\n";
      before = r + ".n";
    }
  }
  const auto place = [cells](int k) { return cells / 2 + k; };
  const auto resistor = [=](int k) { return at("r", place(k), arrays); };
  const auto capacitor = [=](int k) { return at("c", place(k), arrays); };
  m.edits = {
      {"parameter", [=](int k) { return resistor(k) + ".R := " + number(k); }},
      {"start value", [=](int k) { return capacitor(k) + ".v.start := 0." + std::to_string(k + 1); }},
      {"equation", [=](int k) { return "variable extra" + std::to_string(k) + " = " + number(k) + " * " + resistor(k) + ".v"; }},
      {"component", [=](int k) {
         const std::string x = "x" + std::to_string(k);
         return x + " : Resistor(R = 7)\nconnect " + x + ".p, " + resistor(k) + ".n\nconnect " + x + ".n, ground.p";
       }},
      {"connection", [=](int k) {
         const std::string before = k == 0 ? "source.p" : resistor(k - 1) + ".n";
         return "delete connect probe.p, " + before + "\nconnect probe.p, " + resistor(k) + ".n";
       }},
      {"class of one", [=](int k) { return load(number(k)); }},
      {"class of all", [=](int k) { return cell(" - " + number(k) + " * v"); }},
  };
  return m;
}

std::string link(const std::string& more) { return "model Link extends BodyShape\n" + more + "end\n"; }
std::string tip(const std::string& more) { return "model Tip extends Body\n" + more + "end\n"; }

Model chain(int bodies, bool arrays) {
  Model m{"chain " + std::to_string(bodies) + (arrays ? " array" : " declared"), "use multibody\n" + link("") + tip(""), 0.01, {}};
  const std::string shape = "(r = {0.7, 0, 0}, r_CM = {0.3, 0.02, 0.05}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.3, I_21 = 0.01, I_31 = 0.02, I_32 = 0.03)\n";
  m.text += "world : World\ntip : Tip(m = 0.5)\nprobe : Body(m = 0.2)\nconnect probe.frame_a, world.frame_b\n";
  if (arrays) {
    const std::string n = std::to_string(bodies);
    m.text += "joint[" + n + "] : Revolute(n = {if mod(k, 2) == 0 then {0, 0, 1} else {0, 1, 0} for k in 1:" + n + "})\nbody[" + n + "] : Link" + shape +
              "connect world.frame_b, joint[1].frame_a\nfor k in 1:" + n + "\n  connect joint[k].frame_b, body[k].frame_a\nend\nfor k in 2:" + n +
              "\n  connect body[k - 1].frame_b, joint[k].frame_a\nend\n";
  } else {
    std::string before = "world.frame_b";
    for (int k = 1; k <= bodies; ++k) {
      const std::string j = at("joint", k, false), b = at("body", k, false);
      m.text += j + " : Revolute(n = " + (k % 2 == 0 ? "{0, 0, 1}" : "{0, 1, 0}") + ")\n" + b + " : Link" + shape + "connect " + before + ", " + j +
                ".frame_a\nconnect " + j + ".frame_b, " + b + ".frame_a\n";
      before = b + ".frame_b";
    }
  }
  m.text += "connect " + at("body", bodies, arrays) + ".frame_b, tip.frame_a\n";
  const auto body = [=](int k) { return at("body", bodies / 2 + k, arrays); };
  const auto joint = [=](int k) { return at("joint", bodies / 2 + k, arrays); };
  m.edits = {
      {"parameter", [=](int k) { return body(k) + ".m := " + number(k); }},
      {"start value", [=](int k) { return joint(k) + ".phi.start := 0." + std::to_string(k + 1); }},
      {"equation", [=](int k) { return "variable extra" + std::to_string(k) + " = " + number(k) + " * " + joint(k) + ".phi"; }},
      {"component", [=](int k) {
         const std::string x = "x" + std::to_string(k);
         return x + " : Body(m = 0.3, r_CM = {0.1, 0, 0})\nconnect " + x + ".frame_a, " + body(k) + ".frame_b";
       }},
      {"connection", [=](int k) {
         const std::string before = k == 0 ? "world.frame_b" : body(k - 1) + ".frame_b";
         return "delete connect probe.frame_a, " + before + "\nconnect probe.frame_a, " + body(k) + ".frame_b";
       }},
      {"class of one", [=](int k) { return tip("  variable extra = " + number(k) + " * frame_a.f[1]\n"); }},
      {"class of all", [=](int k) { return link("  variable extra = " + number(k) + " * frame_a.f[1]\n"); }},
  };
  if (!arrays) m.edits.push_back({"axis", [=](int k) { return joint(k) + " : Revolute(n = {1, 0, 0})"; }});
  return m;
}

Model rod(int cells, double fixed_bound) {
  const std::string n = std::to_string(cells);
  Model m{"rod " + n, "parameter a = 2\n" + heat_rod(cells) + "variable mean = a * T[1]\n", fixed_bound, {}};
  m.edits = {
      {"parameter", [](int k) { return "a := " + number(k); }},
      {"start value", [=](int k) { return "T[" + std::to_string(cells / 2 + k) + "].start := 0.5"; }},
      {"equation", [](int k) { return "variable extra" + std::to_string(k) + " = " + number(k) + " * T[5]"; }},
  };
  return m;
}

std::vector<Model> models() {
  std::vector<Model> list;
  constexpr int large = 6660;  // cells that make 100,000 equations
  for (const int n : {100, 1000, large})
    for (const bool arrays : {true, false}) list.push_back(ladder(n, arrays, n == large ? 0.1 : 0.01));
  for (const int n : {10, 30, 100})
    for (const bool arrays : {true, false}) list.push_back(chain(n, arrays));
  list.push_back(rod(100'000, 0.1));
  return list;
}

// ---- table ------------------------------------------------------------------------------------------------------------------------

void show(const Model& model, const Edit& edit, const Measured& m, bool stages) {
  const auto ms = [](double s) { return s * 1e3; };
  const double bound = edit.kind == "parameter" ? 1e-3 : model.fixed_bound + 2e-6 * static_cast<double>(m.reuse.equations_solved);
  char counted[32] = "-";  // the kernel does not count them here
  if (m.instructions > 0) std::snprintf(counted, sizeof counted, "%.1f", m.instructions / 1e6);
  std::printf("%-20s %-13s %9zu %8zu %8zu %9.2f %9.2f %9.2f %7.2f %9s", model.name.c_str(), edit.kind.c_str(),
              m.reuse.equations_total, m.reuse.equations_solved,
              m.reuse.blocks_reused, ms(m.seconds), ms(m.processor), ms(bound), m.seconds / bound, counted);
  if (stages)
    for (const double s : {m.phases.parse, m.phases.elaborate, m.phases.flatten, m.phases.match, m.phases.index, m.phases.blt, m.phases.solve, m.phases.code, m.numbers})
      std::printf(" %8.2f", ms(s));
  std::printf("\n");
  std::fflush(stdout);
}

void measure_model(const Model& model, int repetitions, bool stages, bool least, const std::function<bool(const std::string&)>& wanted,
                   const Instructions& counter) {
  Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
  run(s, model.text);
  for (const Edit& edit : model.edits) {
    if (!wanted(edit.kind)) continue;
    std::vector<Measured> all;
    for (int k = 0; k < repetitions; ++k) all.push_back(measure(s, edit.text(k), counter));
    show(model, edit, chosen(std::move(all), least), stages);
  }
}

// ---- memory -----------------------------------------------------------------------------------------------------------------------

double resident_megabytes() {
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  if (f != nullptr && std::fscanf(f, "%ld %ld", &size, &resident) != 2) resident = 0;
  if (f != nullptr) std::fclose(f);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// A component comes and goes, and an equation changes, many times.
void growth(const Model& model, int rounds) {
  Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
  run(s, model.text);
  const int report = std::max(rounds / 5, 1);
  for (int k = 0; k < rounds; ++k) {
    if (k % report == 0) std::printf("%-20s %5d edits %9.1f MB\n", model.name.c_str(), 3 * k, resident_megabytes());
    std::fflush(stdout);
    const Edit& edit = model.edits[3];  // a component
    run(s, edit.text(k % 5));
    s.run_text("delete x" + std::to_string(k % 5));
    run(s, model.edits[2].text(k % 5));
  }
  std::printf("%-20s %5d edits %9.1f MB\n", model.name.c_str(), 3 * rounds, resident_megabytes());
}

}  // namespace
}  // namespace kron::bench

int main(int argc, char** argv) {
  using namespace kron::bench;
  kron::repl::set_memory_options();
  bool stages = false, least = false;
  int repetitions = 3, grow = 0;
  std::vector<std::string> names, kinds;
  for (int i = 1; i < argc; ++i) {
    const std::string_view a = argv[i];
    if (a == "--stages") stages = true;
    else if (a == "--least") least = true;
    else if (a.starts_with("--repetitions=")) repetitions = std::stoi(std::string(a.substr(14)));
    else if (a.starts_with("--kind=")) kinds.emplace_back(a.substr(7));
    else if (a.starts_with("--memory=")) grow = std::stoi(std::string(a.substr(9)));
    else names.emplace_back(a);
  }
  const auto begins = [](const std::vector<std::string>& list, const std::string& name) {
    return list.empty() || std::any_of(list.begin(), list.end(), [&](const std::string& x) { return name.starts_with(x); });
  };
  const Instructions counter;
  if (grow == 0) {
    std::printf("%-20s %-13s %9s %8s %8s %9s %9s %9s %7s %9s", "model", "edit", "equations", "touched", "kept", "ms", "cpu ms", "bound ms", "ratio", "M instr.");
    if (stages)
      for (const char* stage : {"parse", "elaborate", "flatten", "reduce", "index", "sort", "solve", "code", "numbers"}) std::printf(" %8s", stage);
    std::printf("\n");
  }
  for (const Model& m : models()) {
    if (!begins(names, m.name)) continue;
    if (grow > 0) growth(m, grow);
    else measure_model(m, repetitions, stages, least, [&](const std::string& kind) { return begins(kinds, kind); }, counter);
  }
  return 0;
}
