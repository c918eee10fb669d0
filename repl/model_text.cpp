#include "repl/model_text.hpp"

#include <algorithm>

#include "repl/text.hpp"

namespace kron::repl {

using model::FlatModel;
using model::VarId;

std::vector<std::string> names_of(const session::Analysis& a, std::span<const VarId> list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (VarId v : list) names.push_back(session::name(a, v));
  return names;
}

bool is_hidden(const FlatModel& m, VarId v) {
  const std::uint32_t slot = m.is_derivative(v) ? m.integral[v.value - m.slots] : v.value;
  return slot < m.flags.size() && (m.flags[slot] & model::SlotFlag::is_private);
}

namespace {

template <class Typed>
std::string typed_text(const Typed& t, double x) {
  if (t.type == model::ValueType::boolean) return x != 0 ? "true" : "false";
  if (t.type == model::ValueType::enumeration && x >= 1) {
    const auto i = static_cast<std::size_t>(x);
    if (i <= t.literals.size()) return t.enumeration.str() + "." + t.literals[i - 1].str();
  }
  return number(x);
}

}  // namespace

std::string value_text(const model::Declaration& d, double x) { return typed_text(d, x); }
std::string value_text(const elaborate::Quantity& q, double x) { return typed_text(q, x); }

std::string unit_of(Session& s, const syntax::Expr& e, const elaborate::Quantity& q) {
  const session::Analysis* a = s.result_analysis();
  std::string unit = q.unit;
  if (a && e.kind == syntax::ExprKind::reference)
    if (const auto v = model::find(a->flat, reference_text(e)); v && !model::declaration(a->flat, *v).unit.empty())
      unit = model::declaration(a->flat, *v).unit.str();
  return unit == "1" ? std::string() : unit;
}

namespace {

// Calls open, close, element in the order of nested arrays.
template <class Open, class Close, class Element>
void nest(const std::vector<std::uint32_t>& sizes, std::size_t level, std::size_t& at, const Open& open, const Close& close,
          const Element& element) {
  if (level == sizes.size()) return element(at++);
  open();
  for (std::uint32_t i = 0; i < sizes[level]; ++i) nest(sizes, level + 1, at, open, close, element);
  close();
}

}  // namespace

std::string array_text(const std::vector<std::uint32_t>& sizes, const std::vector<std::string>& values) {
  std::string out;
  std::size_t at = 0;
  auto separate = [&] {
    if (!out.empty() && out.back() != '{') out += ", ";
  };
  nest(
      sizes, 0, at, [&] { separate(); out += "{"; }, [&] { out += "}"; },
      [&](std::size_t i) { separate(); out += values[i]; });
  return out;
}

Json array_json(const std::vector<std::uint32_t>& sizes, const std::vector<double>& values) {
  if (sizes.empty()) return Json(values.empty() ? 0.0 : values.front());
  std::vector<Json> open;
  Json done;
  std::size_t at = 0;
  nest(
      sizes, 0, at, [&] { open.push_back(Json::array()); },
      [&] {
        Json finished = std::move(open.back());
        open.pop_back();
        if (open.empty()) done = std::move(finished);
        else open.back().push(std::move(finished));
      },
      [&](std::size_t i) { open.back().push(values[i]); });
  return done;
}

std::string subscript_text(const std::vector<std::uint32_t>& sizes, std::size_t element) {
  std::string s;
  for (std::size_t k = sizes.size(); k-- > 0;) {
    s = std::to_string(element % sizes[k] + 1) + (s.empty() ? "" : "," + s);
    element /= sizes[k];
  }
  return s.empty() ? s : "[" + s + "]";
}

namespace {

bool varies(const FlatModel& m, VarId v) {
  if (m.is_derivative(v)) return true;
  return m.variability[v.value] == model::Variability::continuous || m.variability[v.value] == model::Variability::discrete;
}

void describe(const session::Analysis& a, VarId v, simulate::ResultTable::Column& c) {
  c.name = model::name(a.flat, v);
  const model::Declaration& d = model::declaration(a.flat, v);
  if (!a.flat.is_derivative(v)) {
    c.unit = d.unit.str();
    c.doc = d.doc;
  }
  if (v.value < a.representative.size()) {
    const session::Representative& r = a.representative[v.value];
    if (r.sign != 0 && r.root != v && !is_hidden(a.flat, r.root) && varies(a.flat, r.root) && r.constant == 0) {
      c.alias_of = model::name(a.flat, r.root);
      c.alias_sign = r.sign;
    }
  }
}

}  // namespace

simulate::ResultTable result_table(Session& session, bool parameters) {
  simulate::ResultTable table;
  const session::Analysis& a = *session.result_analysis();
  const auto time = session.result()->trajectory.time();
  table.time.assign(time.begin(), time.end());
  std::vector<VarId> wanted;
  for (std::size_t i = 0; i < a.flat.variables(); ++i) {
    const VarId v{i};
    if (!is_hidden(a.flat, v) && (parameters || varies(a.flat, v))) wanted.push_back(v);
  }
  std::vector<std::vector<double>> columns = session.sampler()->series(wanted);
  for (std::size_t i = 0; i < wanted.size() && i < columns.size(); ++i) {
    simulate::ResultTable::Column c;
    describe(a, wanted[i], c);
    c.values = std::move(columns[i]);
    if (!varies(a.flat, wanted[i]) && c.values.size() > 1) c.values.resize(1);
    table.columns.push_back(std::move(c));
  }
  return table;
}

std::string join_path(const std::string& a, const std::string& b) { return a.empty() ? b : a + "." + b; }

bool has_result_ending(Diagnostics& diagnostics, Span place, const std::string& path) {
  if (simulate::result_ending_known(path)) return true;
  diagnostics.error("E0602", place, "`" + path + "` has no ending of a result file").help = "write to a .csv, .mat or .json file";
  return false;
}

std::vector<std::string> known_names(Session& session, bool components_only, std::size_t most) {
  std::vector<std::string> names;
  struct Open {
    const model::Blueprint* type;
    std::string path;
  };
  const auto top = session.blueprint();
  if (!top) return names;
  std::vector<Open> open{{top.get(), ""}};
  while (!open.empty() && names.size() < most) {
    const Open o = std::move(open.back());
    open.pop_back();
    if (!components_only)
      for (const model::Declaration& d : o.type->declarations)
        if (d.first >= o.type->flags.size() || !(o.type->flags[d.first] & model::SlotFlag::is_private))
          names.push_back(join_path(o.path, d.name.str()));
    for (const model::Child& c : o.type->children) {
      if (c.is_private) continue;
      std::string name = join_path(o.path, c.name.str());
      for (std::size_t i = 0; i < c.index.size(); ++i) name += (i ? "," : "[") + std::to_string(c.index[i]);
      if (!c.index.empty()) name += "]";
      names.push_back(name);
      open.push_back({c.type.get(), name});
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace kron::repl
