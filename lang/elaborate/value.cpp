#include "lang/elaborate/value.hpp"

#include "engine/base/hash.hpp"
#include "lang/elaborate/library.hpp"

namespace kron::elaborate {

std::uint64_t count(const Sizes& s) {
  std::uint64_t n = 1;
  for (std::uint32_t d : s) {
    if (d == 0) return 0;
    n = n > max_elements ? n : n * d;
  }
  return n;
}

std::string shape_text(const Sizes& s) {
  if (s.empty()) return "a scalar";
  std::string t = "[";
  for (std::size_t i = 0; i < s.size(); ++i) t += (i ? ", " : "") + std::to_string(s[i]);
  return t + "]";
}

Sizes joined(const Sizes& a, const Sizes& b) {
  Sizes s = a;
  s.append(b);
  return s;
}

std::optional<std::uint32_t> EnumType::ordinal(Name literal) const {
  for (std::size_t i = 0; i < literals.size(); ++i)
    if (literals[i] == literal) return static_cast<std::uint32_t>(i + 1);
  return std::nullopt;
}

const RecordField* RecordType::field(Name n) const {
  for (const RecordField& f : fields)
    if (f.name == n) return &f;
  return nullptr;
}

bool same_record(const RecordType& a, const RecordType& b) {
  if (&a == &b) return true;
  if (a.definition != b.definition || a.width != b.width || a.fields.size() != b.fields.size()) return false;
  for (std::size_t i = 0; i < a.fields.size(); ++i)
    if (a.fields[i].name != b.fields[i].name || !(a.fields[i].sizes == b.fields[i].sizes)) return false;
  return true;
}

std::uint64_t Known::hash() const {
  std::uint64_t h = combine(static_cast<std::uint64_t>(shape.type), shape.sizes.size());
  for (std::uint32_t s : shape.sizes) h = combine(h, s);
  for (const Rational& r : numbers) h = combine(h, content_hash(r));
  if (shape.texts)
    for (const std::string& t : *shape.texts) h = combine(h, hash_text(t));
  if (shape.enumeration != nullptr) h = combine(h, shape.enumeration->name.hash());
  if (shape.record) h = combine(h, reinterpret_cast<std::uintptr_t>(shape.record->definition));
  return h;
}

const char* type_name(ValueType t) {
  switch (t) {
    case ValueType::real: return "Real";
    case ValueType::integer: return "Integer";
    case ValueType::boolean: return "Boolean";
    case ValueType::string: return "String";
    case ValueType::enumeration: return "enumeration";
  }
  return "?";
}

std::string type_text(const Value& v) {
  std::string t = v.record                          ? v.record->definition->name.str()
                  : v.enumeration != nullptr         ? v.enumeration->name.str()
                                                     : std::string(type_name(v.type));
  return v.sizes.empty() ? t : t + shape_text(v.sizes);
}

}  // namespace kron::elaborate
