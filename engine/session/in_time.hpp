// engine/session/in_time.hpp: what of a tape depends on time as a straight line does.
#pragma once
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/code/tape.hpp"

namespace kron::session {

// Nodes that are slope * time + value with numbers that hold between events.
class InTime {
 public:
  struct Line {
    code::Ref slope, value;
  };
  explicit InTime(code::Builder& tape) : tape_(tape) {}
  std::optional<Line> line(code::Ref);

 private:
  std::optional<Line> of(std::uint32_t root);
  std::optional<Line> make(std::uint32_t n, const code::Node&, const std::vector<code::Ref>& arguments);
  code::Builder& tape_;
  std::unordered_map<std::uint32_t, std::optional<Line>> known_;
};

// A node that is the sine or cosine of a phase that goes at this rate, in rad/s, which parameters tell.
struct Wave {
  std::uint32_t node = 0;
  code::Ref rate;
};
// All of the tape. Pulses that steep functions make of them may be short against a step that sees nothing of them, and relations may change
// there and back within it where a stiff branch holds the states (simulate::Run::longest_step()): without steep functions and not `steep`, none.
std::vector<Wave> waves(code::Builder&, bool steep);

}  // namespace kron::session
