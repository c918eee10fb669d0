#include "engine/code/packed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "engine/code/machine.hpp"
#include "engine/code/producers.hpp"

namespace kron::code {
namespace {

constexpr std::size_t lanes = Packed::lanes;
static_assert(lanes == jit::lanes);

// Memory that begins with a cache line.
class Lines {
 public:
  explicit Lines(std::size_t size) : memory_(size + line), first_(memory_.data()) {
    while (reinterpret_cast<std::uintptr_t>(first_) % (sizeof(double) * line) != 0) ++first_;
  }
  double* data() { return first_; }

 private:
  static constexpr std::size_t line = 8;
  std::vector<double> memory_;
  double* first_;
};

bool straight(const Program& p, std::uint32_t section) {
  for (std::uint32_t i = p.regions[section].begin; i < p.regions[section].end; ++i) {
    const Run& run = p.runs[i];
    if (is_table(run) || (run.kernel == Kernel::step && !p.steps[run.result].guarded)) return false;
  }
  return true;
}

bool can_pack(const Program& p) {
  return jit::wide_available() && p.selections.empty() && p.chosen.empty() && p.event.empty() && straight(p, dynamic_section) && straight(p, output_section);
}

}  // namespace

struct Packed::Data {
  explicit Data(std::shared_ptr<const Program> p) : program(std::move(p)), values(program->registers * lanes), frame(0) {
    if (!can_pack(*program)) return;
    derivatives = program->native->region(Native::packed_derivatives(*program));
    dynamic = program->native->region(Native::packed_dynamic(*program));
    outputs = program->native->region(Native::packed_output(*program));
    possible = derivatives && dynamic && outputs;
    if (!possible) return;
    frame = Lines(std::max({derivatives->frame, dynamic->frame, outputs->frame, jit::numbers}));
    jit::fill_numbers(frame.data());
    std::vector<bool> later(program->registers, false);
    for (std::uint32_t section : {dynamic_section, output_section})
      for (std::uint32_t i = program->regions[section].begin; i < program->regions[section].end; ++i)
        for (std::uint32_t k = 0; k < results(program->runs[i]); ++k) later[program->runs[i].result + k] = true;
    for (std::uint32_t r = 0; r < program->registers; ++r)
      if (!later[r]) entered.push_back(r);
  }

  double* input(InputKind kind) { return values.data() + lanes * program->input_begin[static_cast<std::size_t>(kind)]; }

  bool run(const Native::Region& region) {
    for (const Native::Piece& piece : region.pieces)
      if (!(*region.functions[piece.index])(values.data(), frame.data(), native_functions(), values.data())) return false;
    return true;
  }

  // Whether all are finite.
  KRON_FOR_LANES bool copy(const std::vector<Signed>& roots, double* at) {
    using Numbers [[gnu::vector_size(8 * lanes)]] = double;
    Numbers sum{}, x;  // sum: of zeros, unless something is not finite
    for (Signed s : roots) {
      std::memcpy(&x, values.data() + lanes * s.reg(), sizeof x);
      if (s.negative()) x = -x;
      std::memcpy(at, &x, sizeof x);
      sum += 0 * x;
      at += lanes;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (!(sum[lane] == 0)) return false;
    return true;
  }

  std::shared_ptr<const Program> program;
  Lines values, frame;  // values: lanes of each register
  const Native::Region *derivatives = nullptr, *dynamic = nullptr, *outputs = nullptr;
  std::vector<std::uint32_t> entered;  // registers that are known before the dynamic section runs
  bool possible = false;
};

Packed::Packed(std::shared_ptr<const Program> p) : data_(std::make_unique<Data>(std::move(p))) {}
Packed::~Packed() = default;
Packed::Packed(Packed&&) noexcept = default;
Packed& Packed::operator=(Packed&&) noexcept = default;

bool Packed::possible() const { return data_->possible; }

bool Packed::enter(std::size_t lane, const Machine<double>& machine) {
  Data& d = *data_;
  auto& m = *machine.data_;
  if (m.program != d.program) return false;
  for (const Native::Region* region : {d.derivatives, d.dynamic, d.outputs}) {
    for (std::uint32_t s : region->early)
      if (!m.early_trusted(s)) return false;
    for (std::uint32_t s : region->trusted)
      if (d.program->steps[s].section == parameter_section && m.steps[s].cold) return false;
  }
  for (std::uint32_t r : d.entered) d.values.data()[lanes * r + lane] = m.reg[r];
  return true;
}

std::span<double> Packed::time() { return {data_->input(InputKind::time), lanes}; }
std::span<double> Packed::states() {
  return {data_->input(InputKind::state), lanes * data_->program->input_size[static_cast<std::size_t>(InputKind::state)]};
}

bool Packed::derivative(std::span<double> der) {
  Data& d = *data_;
  return d.run(*d.derivatives) && d.copy(d.program->derivative, der.data());
}

bool Packed::output(std::span<double> values) {
  Data& d = *data_;
  if (!d.run(*d.dynamic) || !d.run(*d.outputs)) return false;
  d.copy(d.program->output, values.data());
  return true;
}

}  // namespace kron::code
