// CSV (RFC 4180 quoting, lines end in a line feed) and JSON. Numbers are the shortest that read back exactly.
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "engine/base/number.hpp"
#include "engine/simulate/result_files.hpp"

namespace kron::simulate {

namespace {

class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {}
  void put(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() && error_ == 0) error_ = errno;
  }
  std::optional<std::string> finish() {
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0) return std::nullopt;
    return std::strerror(error_);
  }
  bool bad() const { return error_ != 0; }

 private:
  std::FILE* file_;
  int error_ = 0;
};

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double x) { return std::isfinite(x) ? to_text(x) : "null"; }

}  // namespace

std::vector<Alias> resolve_aliases(const ResultTable& table) {
  const std::size_t n = table.columns.size();
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < n; ++i) by_name.emplace(table.columns[i].name, i);
  std::vector<Alias> aliases(n);
  for (std::size_t i = 0; i < n; ++i) {
    Alias& a = aliases[i];
    a.column = i;
    for (std::size_t hops = 0; hops < n; ++hops) {
      const auto& column = table.columns[a.column];
      if (column.alias_of.empty()) break;
      const auto base = by_name.find(column.alias_of);
      if (base != by_name.end())
        a = {base->second, a.sign * column.alias_sign, false};
      else if (column.alias_of == "time")
        a = {a.column, a.sign * column.alias_sign, true};
      if (a.time || base == by_name.end()) break;
    }
  }
  return aliases;
}

double value_at(const ResultTable& table, const Alias& alias, std::size_t point) {
  if (alias.time) return alias.sign * table.time[point];
  const auto& values = table.columns[alias.column].values;
  if (values.empty()) return std::nan("");
  const double x = values.size() == 1 ? values[0] : point < values.size() ? values[point] : std::nan("");
  return alias.sign < 0 ? -x : x;
}

std::optional<std::string> write_csv(const ResultTable& table, std::FILE* file) {
  const auto aliases = resolve_aliases(table);
  Writer out(file);
  out.put("time");
  for (const auto& column : table.columns) out.put("," + csv_field(column.name));
  out.put("\n");
  for (std::size_t p = 0; p < table.time.size() && !out.bad(); ++p) {
    out.put(to_text(table.time[p]));
    for (const Alias& a : aliases) {
      out.put(",");
      out.put(to_text(value_at(table, a, p)));
    }
    out.put("\n");
  }
  return out.finish();
}

std::optional<std::string> write_json(const ResultTable& table, std::FILE* file) {
  const auto aliases = resolve_aliases(table);
  Writer out(file);
  auto array = [&](const std::string& name, auto&& value) {
    out.put(json_text(name) + ": [");
    for (std::size_t p = 0; p < table.time.size() && !out.bad(); ++p) {
      if (p > 0) out.put(", ");
      out.put(json_number(value(p)));
    }
    out.put("]");
  };
  out.put("{\n");
  array("time", [&](std::size_t p) { return table.time[p]; });
  for (std::size_t k = 0; k < aliases.size(); ++k) {
    out.put(",\n");
    array(table.columns[k].name, [&](std::size_t p) { return value_at(table, aliases[k], p); });
  }
  out.put("\n}\n");
  return out.finish();
}

}  // namespace kron::simulate
