// engine/code/compiler.hpp: compiles one tape after the other, where each begins like the one before, as after an edit.
//   in    a tape, the roots that are wanted, and how much of its beginning is that of the tape before
//   out   the program that compile() makes of it: what is kept is what would be made once more
//   keep  the tape is cut in pieces. A piece's items, who wants them, where and in which order they run are kept for as long as all pieces up to
//         it are the same
//   cost  lowering, placing and ordering what is new; of the rest a pass over its items
#pragma once
#include "engine/code/program.hpp"

namespace kron::code {

// What a tape has in common with another one.
struct Beginning {
  std::shared_ptr<const Builder> of{};
  Builder::End end{};
};

class Compiler {
 public:
  Compiler();
  ~Compiler();
  Compiler(Compiler&&) noexcept;
  Compiler& operator=(Compiler&&) noexcept;

  // In one go, or step by step: what needs no roots; what needs not know how many inputs there are; the rest.
  void lower(std::shared_ptr<const Builder>, const Beginning& = {});
  void order(const Roots&);
  std::shared_ptr<const Program> lay_out(const Roots&, std::shared_ptr<jit::Cache> = nullptr);
  std::shared_ptr<const Program> compile(std::shared_ptr<const Builder>, const Roots&, std::shared_ptr<jit::Cache> = nullptr,
                                         const Beginning& = {});
  std::size_t pieces_kept() const;  // by the last compilation

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace kron::code
