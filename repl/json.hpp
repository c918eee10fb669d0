// repl/json.hpp: a JSON value to be written. A thin front of nlohmann::ordered_json, whose header is heavy and stays in json.cpp.
//   Keys keep their order; doubles are written so that they read back exactly; what is no number is null.
#pragma once
#include <concepts>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kron::repl {

class Json {
 public:
  Json();  // null
  Json(bool);
  Json(double);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Json(T v) : Json(static_cast<long long>(v), integer_tag{}) {}
  Json(std::string_view);
  Json(const std::string& s) : Json(std::string_view(s)) {}
  Json(const char* s) : Json(std::string_view(s)) {}
  template <class T>
  Json(const std::vector<T>& list) : Json(array()) {
    for (const T& x : list) push(Json(x));
  }
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(Json);
  ~Json();

  static Json object();
  static Json array();
  Json& set(std::string_view key, Json value);  // of an object
  Json& push(Json value);                       // of an array
  bool is_null() const;
  void merge(const Json& object);               // its entries, in order
  std::string dump() const;                     // on one line; bytes that are no UTF-8 are replaced

 private:
  struct integer_tag {};
  Json(long long, integer_tag);
  struct Value;
  std::unique_ptr<Value> value_;
};

}  // namespace kron::repl
