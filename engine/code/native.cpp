#include "engine/code/native.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/base/hash.hpp"
#include "engine/code/kernels.hpp"
#include "engine/code/sequence.hpp"
#include "engine/code/translate.hpp"

namespace kron::code {

// ---- functions

namespace {

constexpr std::size_t function_count = wide_functions + sine_and_cosine_function + 1;

template <Fn fn>
double unary(double x) {
  return Unary<fn>::value(x);
}
template <Fn fn>
double binary(double x, double y) {
  return Binary<fn>::value(x, y);
}
double power(double x, double y) { return power_of(x, y); }

template <Fn fn>
double unary_slope(double x, double value) {
  return Unary<fn>::slope(x, value);
}
template <Fn fn>
double first_partial(double x, double y) {
  return Binary<fn>::slope(x, y).a;
}
template <Fn fn>
double second_partial(double x, double y) {
  return Binary<fn>::slope(x, y).b;
}
double power_partial(double x, double y) { return power_slope(x, y, 0.0).a; }

// Of wide values: in place; of two arguments all lanes of the first before those of the second.
template <Fn fn>
void unary_lanes(double* a) {
  for (std::size_t lane = 0; lane < jit::lanes; ++lane) a[lane] = Unary<fn>::value(a[lane]);
}
template <Fn fn>
void binary_lanes(double* a) {
  for (std::size_t lane = 0; lane < jit::lanes; ++lane) a[lane] = Binary<fn>::value(a[lane], a[jit::lanes + lane]);
}
void power_lanes(double* a) {
  for (std::size_t lane = 0; lane < jit::lanes; ++lane) a[lane] = power_of(a[lane], a[jit::lanes + lane]);
}

std::array<const void*, function_count> make_functions() {
  std::array<const void*, function_count> table{};
  const auto set = [&](std::size_t place, auto* function) { table[place] = reinterpret_cast<const void*>(function); };
#define KRON_UNARY(id)                             \
  set(static_cast<std::size_t>(Fn::id), &unary<Fn::id>); \
  set(wide_functions + static_cast<std::size_t>(Fn::id), &unary_lanes<Fn::id>); \
  set(first_slope + static_cast<std::size_t>(Fn::id), &unary_slope<Fn::id>);
#define KRON_BINARY(id)                                                        \
  set(static_cast<std::size_t>(Fn::id), &binary<Fn::id>);                      \
  set(wide_functions + static_cast<std::size_t>(Fn::id), &binary_lanes<Fn::id>); \
  set(first_slope + static_cast<std::size_t>(Fn::id), &first_partial<Fn::id>); \
  set(second_slope + static_cast<std::size_t>(Fn::id), &second_partial<Fn::id>);
#include "engine/code/functions.def"
#undef KRON_UNARY
#undef KRON_BINARY
  set(power_function, &power);
  set(power_slope_function, &power_partial);
  set(sine_and_cosine_function, &sine_and_cosine);
  set(wide_functions + power_function, &power_lanes);
  static_assert(jit::lanes == sine_lanes);
  set(wide_functions + static_cast<std::size_t>(Fn::sin), &sine_lanes_of);
  set(wide_functions + static_cast<std::size_t>(Fn::cos), &cosine_lanes_of);
  set(wide_functions + sine_and_cosine_function, &sine_and_cosine_lanes_of);
  return table;
}

}  // namespace

const void* const* native_functions() {
  static const auto table = make_functions();
  return table.data();
}

// ---- regions

struct Native::Compilation {
  explicit Compilation(const Program& p) : producers(p), sequence(p, producers), translation(p, producers) {}
  Producers producers;
  Sequence sequence;
  Translation translation;
};

Native::Native(const Program& p, std::shared_ptr<jit::Cache> cache) : p_(p), cache_(std::move(cache)), regions_(count(p)) {
  if (!cache_) cache_ = std::make_shared<jit::Cache>();
}
Native::~Native() = default;

const Native::Region* Native::made(std::uint32_t region) const { return regions_[region].load(std::memory_order_acquire); }

namespace {

struct Source {
  std::uint32_t region = 0;
  Purpose purpose = Purpose::all;
  bool packed = false;
};
Source source_of(const Program& p, std::uint32_t r) {
  if (r < p.regions.size()) return {r};
  if (r == Native::derivatives_only(p)) return {dynamic_section, Purpose::derivatives};
  if (r == Native::tangents(p)) return {dynamic_section, Purpose::tangents};
  if (r == Native::packed_derivatives(p)) return {dynamic_section, Purpose::derivatives, true};
  return {r == Native::packed_dynamic(p) ? dynamic_section : output_section, Purpose::all, true};
}

}  // namespace

const Native::Region* Native::region(std::uint32_t r) {
  if (!jit::available()) return nullptr;
  const std::lock_guard lock(mutex_);
  if (const Region* already = made(r)) return already;
  const auto begin = std::chrono::steady_clock::now();
  if (!compilation_) compilation_ = std::make_unique<Compilation>(p_);
  const Source source = source_of(p_, r);
  const auto nodes = compilation_->sequence.of(source.region, source.purpose);
  auto region = std::make_unique<Region>();
  bool good = true;
  compilation_->translation.run(source.region, source.purpose, source.packed, nodes, *region, [&](std::span<const PlacedSegment> segments) -> std::shared_ptr<const jit::Function> {
    std::vector<std::shared_ptr<const jit::Code>> codes;
    std::vector<jit::Part> parts;
    for (const PlacedSegment& s : segments) {
      codes.push_back(cache_->get(s.code, s.moves, report_.segments));
      parts.push_back({codes.back().get(), s.places, s.wide_places, s.strides, s.table, s.count});
    }
    return jit::Function::link(parts);
  });
  for (const auto& f : region->functions) {
    good = good && f != nullptr;
    if (!f) continue;
    region->frame = std::max(region->frame, f->frame_size());
    report_.bytes += f->bytes();
  }
  if (p_.regions.size() == sections) compilation_.reset();  // without Newton steps there is little more to compile: 50 bytes a register are not kept
  report_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!good) return nullptr;
  ++report_.regions;
  owned_.push_back(std::move(region));
  regions_[r].store(owned_.back().get(), std::memory_order_release);
  return owned_.back().get();
}

NativeReport Native::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

// ---- when

namespace {
bool has_bodies(const Program& p) {  // of Newton steps; their tangents are the interpreter's
  return std::any_of(p.steps.begin(), p.steps.end(), [](const StepPlan& s) { return s.residual_region != 0; });
}
}  // namespace

NativeUse::NativeUse(const Program& p, Backend b) : p_(&p), ready_(Native::count(p), nullptr), left_(Native::count(p), 0) {
  if (b == Backend::interpreter || !jit::available()) return;
  for (std::uint32_t r = 0; r < ready_.size(); ++r) {
    ready_[r] = p.native->made(r);
    const double calls = calls_until_it_pays(r);
    left_[r] = calls > 0 && b == Backend::machine_code ? 1 : static_cast<std::uint32_t>(calls);
    if (!ready_[r]) continue;
    frame_.resize(std::max(frame_.size(), ready_[r]->frame));
    loop_memory_.resize(std::max(loop_memory_.size(), ready_[r]->loop_memory));
  }
  if (!frame_.empty()) jit::fill_numbers(frame_.data());
}

// 0: never.
double NativeUse::calls_until_it_pays(std::uint32_t region) const {
  constexpr double run = 5, instruction = 0.8, compile_region = 60'000, compile_instruction = 150;  // ns
  const bool tangents = region == Native::tangents(*p_);
  if (region > Native::tangents(*p_)) return 0;  // Packed asks for those
  if (tangents && (!jit::wide_available() || has_bodies(*p_))) return 0;
  const Region runs = p_->regions[region < p_->regions.size() ? region : dynamic_section];
  double interpret = 0, compile = 0;
  for (std::uint32_t i = runs.begin; i < runs.end; ++i) {
    interpret += run + instruction * results(p_->runs[i]);
    compile += compile_instruction * results(p_->runs[i]);
  }
  if (compile == 0) return 0;
  const double more = tangents ? 4 : 1;
  return std::ceil((compile_region + more * compile) / (more * interpret));
}

const Native::Region* NativeUse::make(std::uint32_t region) {
  const Native::Region* r = p_->native->region(region);
  ready_[region] = r;
  if (r) loop_memory_.resize(std::max(loop_memory_.size(), r->loop_memory));
  if (r && frame_.size() < r->frame) {
    frame_.resize(r->frame);
    jit::fill_numbers(frame_.data());
  }
  return r;
}

NativeReport& NativeReport::operator+=(const NativeReport& r) {
  regions += r.regions;
  bytes += r.bytes;
  segments.assembled += r.segments.assembled;
  segments.reused += r.segments.reused;
  segments.instructions += r.segments.instructions;
  seconds += r.seconds;
  return *this;
}

NativeReport native_report(const Program& p) { return p.native->report(); }

}  // namespace kron::code
