// The page of `:animate`: the scene as JSON, the scripts, and page_script.hpp, which draws it.
#include "repl/page_script.hpp"

#include <cmath>

#include "repl/json.hpp"
#include "repl/scene.hpp"

namespace kron::repl {

namespace {

constexpr const char* page_style = R"css(
  html, body { margin: 0; height: 100%; overflow: hidden; font: 14px system-ui, sans-serif; color: #222; background: #eef1f5; }
  #view { position: absolute; left: 0; right: 0; top: 0; bottom: 44px; }
  #bar { position: absolute; left: 0; right: 0; bottom: 0; height: 44px; display: flex; align-items: center; gap: 10px; padding: 0 12px;
         background: #fff; border-top: 1px solid #ccd; box-sizing: border-box; }
  #place { flex: 1; min-width: 60px; }
  #time { min-width: 9em; font-variant-numeric: tabular-nums; text-align: right; }
  #play { width: 5em; }
  #name, #title, #trouble { position: absolute; left: 12px; pointer-events: none; }
  #title { top: 10px; font-weight: 600; }
  #name { top: 32px; color: #556; }
  #trouble { top: 60px; color: #a00; }
)css";

constexpr const char* controls = R"html(
<div id="view"></div>
<div id="title"></div><div id="name"></div><div id="trouble"></div>
<div id="bar">
  <button id="play" title="space">play</button>
  <input id="place" type="range" min="0" max="1" step="any" value="0" aria-label="time"/>
  <span id="time"></span>
  <label>speed <select id="speed"></select></label>
  <button id="reset" title="r">view</button>
</div>
)html";

// Seven digits are more than a screen shows.
double rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(x))) - 6);
  return unit == 0 ? x : std::round(x / unit) * unit;
}

Json numbers(const double* begin, const double* end) {
  Json list = Json::array();
  for (; begin != end; ++begin) list.push(static_cast<double>(static_cast<float>(rounded(*begin))));
  return list;
}

Json shape_json(const Shape& s) {
  Json measures = Json::object();
  for (const auto& [name, values] : s.measures) measures.set(name, values.size() == 1 ? Json(values[0]) : Json(values));
  Json j = Json::object();
  j.set("name", s.name).set("type", s.type).set("from", s.from).set("to", s.to ? Json(*s.to) : Json()).set("measures", std::move(measures));
  return j;
}

Json scene_json(const Scene& scene) {
  Json tracks = Json::array(), shapes = Json::array();
  for (const Track& t : scene.tracks) tracks.push(numbers(t.front().data(), t.front().data() + 7 * t.size()));
  for (const Shape& s : scene.shapes) shapes.push(shape_json(s));
  Json j = Json::object();
  j.set("time", scene.time).set("up", numbers(scene.up.data(), scene.up.data() + 3)).set("shapes", std::move(shapes)).set("tracks", std::move(tracks));
  return j;
}

// Text that may stand inside an element.
std::string escaped(const std::string& s) {
  std::string out;
  for (char c : s) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out;
}

// JSON inside a script element: no `<` may begin an end of it. A `<` occurs in strings only.
std::string harmless(std::string json) {
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;) json.replace(at, 1, "\\u003c");
  return json;
}

}  // namespace

std::string animation_page(const Scene& scene, const std::string& title, const std::vector<std::string>& libraries) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>" + escaped(title) + "</title>\n<style>" + page_style +
                     "</style>\n</head>\n<body>" + controls + "<script type=\"application/json\" id=\"data\">" + harmless(scene_json(scene).dump()) +
                     "</script>\n";
  for (const std::string& text : libraries) page += "<script>\n" + text + "\n</script>\n";
  return page + "<script>" + page_script + "</script>\n</body>\n</html>\n";
}

}  // namespace kron::repl
