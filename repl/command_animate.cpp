// :animate
#include <cstdlib>

#include "repl/files.hpp"
#include "repl/scene.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

namespace {

// three.js and its orbit controls, as Debian's libjs-three has them; $KRON_THREE names another folder.
std::optional<std::vector<std::string>> three_js(Arguments& a, Span place) {
  const char* chosen = std::getenv("KRON_THREE");
  const std::string folder = chosen && *chosen ? chosen : "/usr/share/javascript/three";
  std::vector<std::string> scripts;
  for (const char* name : {"/build/three.min.js", "/examples/js/controls/OrbitControls.js"}) {
    FileText script = read_file(folder + name);
    if (!script.why.empty()) {
      a.error("E0521", place, "the page is drawn by three.js, which is not there: " + script.why).help =
          "install the package libjs-three, or let the environment variable KRON_THREE name the folder of three.js (release 111 or near it)";
      return std::nullopt;
    }
    scripts.push_back(std::move(script.text));
  }
  return scripts;
}

std::string title_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.size() - std::string_view(".html").size());
}

bool make_page(Shell& shell, Arguments& a, const std::string& path, Span place, Reply& reply) {
  const Scene scene = scene_of(shell.session());
  if (scene.shapes.empty() || scene.time.empty()) {
    a.error("E0520", place, "the model has nothing to draw").help =
        "parts of the library `multibody` are drawn; `:plot` shows other variables as curves";
    return false;
  }
  const auto scripts = three_js(a, place);
  if (!scripts) return false;
  if (const auto why = write_file(path, animation_page(scene, title_of(path), *scripts))) return a.error("E0505", place, *why), false;
  reply.text = "wrote " + plural(scene.shapes.size(), "shape") + " at " + plural(scene.time.size(), "point") + " to " + path + "\n";
  reply.confirmation = true;
  reply.json.set("file", path);
  return true;
}

}  // namespace

bool do_animate(Shell& shell, Arguments& a, Reply& reply) {
  std::string path = "animation.html";
  Span place = a.whole();
  if (!a.empty()) {
    if (!a.keyword("to")) return a.misuse(a.place(), "`:animate` wants `to` and a file name"), false;
    place = a.place();
    const auto file = a.word("a file name");
    if (!file || !a.end()) return false;
    path = *file;
  }
  if (!path.ends_with(".html")) {
    a.error("E0506", place, "`" + path + "` has no ending of a page").help = "write to a .html file";
    return false;
  }
  if (!shell.session().result() || shell.session().result()->trajectory.size() == 0) {
    a.error("E0503", place, "there is no result to show").help = "run `:simulate until …` first";
    return false;
  }
  return make_page(shell, a, path, place, reply);
}

}  // namespace kron::repl
