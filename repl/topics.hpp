// repl/topics.hpp: the topics of `:help`.
#pragma once
#include <string_view>
#include <vector>

namespace kron::repl {

struct Topic {
  std::string_view name, title, text;
};
const std::vector<Topic>& topic_table();
const Topic* find_topic(std::string_view name);

}  // namespace kron::repl
