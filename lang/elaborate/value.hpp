// lang/elaborate/value.hpp: what an expression of the language becomes while it is elaborated: an array of scalar nodes with a type.
//   A record value holds its members' scalars one after the other (own declarations, then nested records: the order of slots).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/small.hpp"
#include "engine/base/source.hpp"
#include "engine/model/blueprint.hpp"
#include "lang/elaborate/units.hpp"

namespace kron::elaborate {

using model::NodeId;
using model::ValueType;
using model::Variability;

using Sizes = Small<std::uint32_t, 3>;
using Nodes = Small<NodeId, 3>;

// More elements than this in one array, loop or class are a mistake, not a model.
inline constexpr std::uint64_t max_elements = std::uint64_t{1} << 24;

std::uint64_t count(const Sizes&);              // product; saturates above max_elements
std::string shape_text(const Sizes&);           // "a scalar", "[3]", "[3, 2]"
Sizes joined(const Sizes& a, const Sizes& b);   // a's sizes, then b's

struct Definition;

struct EnumType {
  Name name;  // "Init"
  std::vector<Name> literals;
  std::optional<std::uint32_t> ordinal(Name literal) const;  // from 1
};

struct RecordType;
struct RecordField {
  Name name;
  Sizes sizes;
  std::uint32_t offset = 0;  // of its first scalar
  ValueType type{};
  const EnumType* enumeration = nullptr;
  Dimension dimension;
  std::shared_ptr<const RecordType> record;  // of a nested record
};
struct RecordType {
  const Definition* definition = nullptr;
  std::vector<RecordField> fields;
  std::uint32_t width = 0;  // scalars of one record
  const RecordField* field(Name) const;
};
bool same_record(const RecordType&, const RecordType&);

struct Value {
  ValueType type = ValueType::real;
  Variability variability = Variability::constant;
  Counting counting = Counting::none;
  Sizes sizes;  // empty: scalar
  Nodes nodes;  // row-major; of records: width each
  Dimension dimension = Dimension::flexible();
  const EnumType* enumeration = nullptr;
  std::shared_ptr<const RecordType> record;
  std::shared_ptr<const std::vector<std::string>> texts;  // of strings, in place of nodes

  bool is_scalar() const { return sizes.empty() && !record; }
  bool is_number() const { return !record && (type == ValueType::real || type == ValueType::integer); }
  std::size_t rank() const { return sizes.size(); }
};

// A value known while elaborating: of a structural parameter. It outlives the pool of nodes.
struct Known {
  Value shape;  // all but its nodes
  std::vector<Rational> numbers;
  std::uint64_t hash() const;
};

const char* type_name(ValueType);
std::string type_text(const Value&);  // "a Real vector [3]", for messages

}  // namespace kron::elaborate
