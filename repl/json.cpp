#include "repl/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace kron::repl {

struct Json::Value {
  nlohmann::ordered_json json;
};

Json::Json() : value_(std::make_unique<Value>()) {}
Json::Json(bool v) : Json() { value_->json = v; }
Json::Json(double v) : Json() {
  if (std::isfinite(v)) value_->json = v;
}
Json::Json(long long v, integer_tag) : Json() { value_->json = v; }
Json::Json(std::string_view s) : Json() { value_->json = std::string(s); }
Json::Json(const Json& o) : value_(std::make_unique<Value>(*o.value_)) {}
Json::Json(Json&& o) noexcept : value_(std::move(o.value_)) {}
Json& Json::operator=(Json o) {
  std::swap(value_, o.value_);
  return *this;
}
Json::~Json() = default;

Json Json::object() {
  Json j;
  j.value_->json = nlohmann::ordered_json::object();
  return j;
}
Json Json::array() {
  Json j;
  j.value_->json = nlohmann::ordered_json::array();
  return j;
}

Json& Json::set(std::string_view key, Json value) {
  value_->json[std::string(key)] = std::move(value.value_->json);
  return *this;
}
Json& Json::push(Json value) {
  value_->json.push_back(std::move(value.value_->json));
  return *this;
}
bool Json::is_null() const { return value_->json.is_null(); }
void Json::merge(const Json& o) {
  for (const auto& [key, value] : o.value_->json.items()) value_->json[key] = value;
}
std::string Json::dump() const { return value_->json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

}  // namespace kron::repl
