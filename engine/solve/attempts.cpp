#include "engine/solve/attempts.hpp"

#include <algorithm>

#include "engine/solve/views.hpp"

namespace kron::solve {

Attempts::Attempts(const OrderingProblem& p) : problem_(p), form_(ties_by_form(p)), neighbours_(ties_by_neighbours(p)) {
  if (p.kind.empty()) return;
  kind_ = ties_by_kind(p);
  quantity_ = ties_by_quantity(p);
}

std::vector<Attempt> Attempts::of_block(std::uint32_t unknowns) const {
  if (kind_.row.empty()) return {{", ties by form", {&form_}}, {", ties by neighbours", {&neighbours_}}};
  std::vector<Attempt> all = {{", ties by kind", {&kind_}}, {", ties by neighbours", {&neighbours_}}, {", ties by quantity", {&quantity_}}};
  if (unknowns > small_block) return all;
  add_counted(all, Compared::few, ", by operations");
  add_counted(all, Compared::few_in_all, ", by all operations");
  const std::uint32_t lots = std::clamp(few_unknowns / 2 / unknowns, 2u, 14u);
  for (std::uint32_t lot = 1; lot <= lots; ++lot)  // by arrays and by single pivots in turn
    all.push_back({", ties by lot", {.lot = lot, .arrays = lot % 2 ? &problem_.other_group : nullptr}, lot % 2 ? Compared::equals : Compared::few});
  return all;
}

std::vector<Attempt> Attempts::of_end(Ends::Effort effort) const {
  if (effort == Ends::Effort::quick) return {{""}};
  std::vector<Attempt> all = {{""}, {", ties by form", {&form_}}, {", ties by neighbours", {&neighbours_}}};
  if (!kind_.row.empty()) all.push_back({", ties by kind", {&kind_}});
  if (effort == Ends::Effort::thorough) add_counted(all, Compared::few_in_all, ", by all operations");
  return all;
}

void Attempts::add_counted(std::vector<Attempt>& all, Compared compared, const std::string& how) const {
  all.push_back({how, {}, compared});
  if (kind_.row.empty()) return;
  all.push_back({how + ", ties by quantity", {&quantity_}, compared});
  all.push_back({how + ", ties by kind", {&kind_}, compared});
}

}  // namespace kron::solve
