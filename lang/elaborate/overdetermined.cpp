// Over-determined connectors: branch, root, rooted, and connections that close a loop (language.md section 4).
#include "lang/elaborate/overdetermined.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_set>

#include "engine/base/hash.hpp"
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/text.hpp"
#include "lang/elaborate/visit.hpp"
#include "lang/syntax/printer.hpp"

namespace kron::elaborate {
using syntax::Stmt;

// The record in a connector that a reference names: its first slot, known once the slots exist.
std::optional<std::uint32_t> ClassBuilder::graph_node(const syntax::Expr& x, Evaluator& e, const char* what) {
  const auto m = x.kind == syntax::ExprKind::reference ? find(x.path[0].name, e.home.layer) : std::nullopt;
  if (!m) c_.report.fail("E0254", x.span, std::string("`") + what + "` takes the record of a connector: `" + what + " frame_a.R`");
  const Reached r = reach(x.path, *m, e, x.span);
  if (r.absent) return std::nullopt;
  if (r.member->kind != MemberInfo::Kind::component || r.at.size() != 1 || !r.at[0].type->view->is_record)
    c_.report.fail("E0254", x.span, std::string("`") + what + "` takes the record of a connector: `" + what + " frame_a.R`");
  return r.at[0].base;
}

void ClassBuilder::branch(const Stmt& s, Walk& w) {
  const auto a = graph_node(*s.refs[0], w.e, "branch"), b = graph_node(*s.refs[1], w.e, "branch");
  const double p = priority(s, w.e);
  if (a && b) out_->graph.branches.push_back({*a, *b, 0, p});
}

// Of a candidate, for a root or a branch; negative where none is given: it is definite.
double ClassBuilder::priority(const Stmt& s, Evaluator& e) {
  if (!s.rhs) return -1;
  e.scalar(*s.rhs, "a priority");
  return std::max(0.0, to_double(e.known(*s.rhs).numbers[0]));
}

void ClassBuilder::root(const Stmt& s, Walk& w) {
  const auto a = graph_node(*s.refs[0], w.e, "root");
  const double p = priority(s, w.e);
  if (a) out_->graph.roots.emplace_back(*a, p);
}

bool ClassBuilder::rooted(const syntax::Expr& x, Evaluator& e) {
  if (!ready()) c_.report.fail("E0254", x.span, "`rooted` stands in equations only");
  const auto a = graph_node(x, e, "rooted");
  asking_ = true;
  if (!a) return true;
  auto [it, fresh] = asked_rooted_.emplace(*a, static_cast<std::uint32_t>(out_->graph.asked.size()));
  if (fresh) out_->graph.asked.push_back(*a);
  return env_.graph == nullptr || it->second >= env_.graph->rooted.size() || env_.graph->rooted[it->second];
}

namespace {
bool holds_edges(const Stmt& s) {
  if (s.kind == syntax::StmtKind::connect || s.kind == syntax::StmtKind::branch_ || s.kind == syntax::StmtKind::root) return true;
  const auto any = [](const std::vector<syntax::StmtPtr>& list) {
    return std::ranges::any_of(list, [](const auto& x) { return holds_edges(*x); });
  };
  return any(s.body) || std::ranges::any_of(s.branches, [&](const syntax::Branch& b) { return any(b.body); });
}
bool asks(const syntax::Expr& x) {
  static const Name word("rooted");
  return x.kind == syntax::ExprKind::call && x.path.size() == 1 && x.path[0].name == word && !x.args.empty();
}
}  // namespace

// The questions in a condition, all of them: what is asked must not depend on answers, and `and` leaves out what does not matter.
void ClassBuilder::ask(const Stmt& s, Evaluator& e) {
  std::vector<const syntax::Expr*> questions;
  for (const syntax::Branch& b : s.branches)
    if (b.condition) each_expression(*b.condition, [&](const syntax::Expr& x) { if (asks(x)) questions.push_back(x.args[0].get()); });
  if (questions.size() < 2) return;
  for (const syntax::Expr* x : questions)
    if (x->kind == syntax::ExprKind::reference) rooted(*x, e);
}

// Behind a statement that has asked for an answer: whether with another one there might have been other edges, or other questions.
void ClassBuilder::watch_answers(const Stmt& s) {
  if (!asking_) return;
  asking_ = false;
  std::set<std::string> asked;
  std::size_t times = 0;
  bool numbered = false;  // in a loop one text may ask for several
  each_expression(s, [&](const syntax::Expr& x) {
    if (!asks(x)) return;
    asked.insert(syntax::print(*x.args[0]));
    ++times;
    numbered = numbered || std::ranges::any_of(x.args[0]->path, [](const syntax::Part& p) { return !p.subscripts.empty(); });
  });
  std::size_t first = 0;  // asked whatever the answers are: by conditions of the statement itself
  for (const syntax::Branch& b : s.branches)
    if (b.condition) each_expression(*b.condition, [&](const syntax::Expr& x) { first += asks(x) ? 1 : 0; });
  const bool plain = (asked.size() == 1 || first == times) && (times == 1 || !numbered) && !holds_edges(s);
  out_->graph_varies = out_->graph_varies || !plain;
}

// Whether one of these edges closes a loop, where residuals stand in place of equality.
bool ClassBuilder::is_broken(std::uint32_t first, std::size_t edges) const {
  if (env_.graph == nullptr) return false;
  const auto it = std::lower_bound(env_.graph->broken.begin(), env_.graph->broken.end(), first);
  return it != env_.graph->broken.end() && *it < first + edges;
}

// Records with residuals of their own: an edge of the graph; where it closes a loop the residuals stand in place of equality.
// Returns the slots (relative to the connector) that are done with.
std::vector<bool> ClassBuilder::joined_records(const ConnectorLayout& p, const ConnectorLayout& q, std::uint32_t a, std::uint32_t b,
                                               model::Connection& c, const Stmt& s) {
  std::vector<bool> skip;
  for (std::size_t i = 0; i < p.records.size() && i < q.records.size(); ++i) {
    const ConnectorRecord &x = p.records[i], &y = q.records[i];
    const std::uint32_t number = connect_edges_++;
    out_->graph.connects.push_back({a + x.slot, b + y.slot, number});
    if (!is_broken(number, 1)) continue;
    skip.resize(std::max<std::size_t>(skip.size(), x.slot + x.width), false);
    std::fill_n(skip.begin() + x.slot, x.width, true);
    residuals(x, a + x.slot, b + y.slot, c, s);
    for (const ConnectorVector& v : p.vectors) {
      if (&p != &q || v.axes < x.slot || v.axes >= x.slot + x.width) continue;
      skip.resize(std::max<std::size_t>(skip.size(), v.slot + v.size), false);
      std::fill_n(skip.begin() + v.slot, v.size, true);
      equal_vectors(v, a, b, c, s);
    }
  }
  if (!skip.empty())
    for (const ConnectorPart& part : p.parts) skip.resize(std::max<std::size_t>(skip.size(), part.slot + 1), false);
  return skip;
}

// 0 = equal(a.R, b.R)
void ClassBuilder::residuals(const ConnectorRecord& r, std::uint32_t a, std::uint32_t b, const model::Connection& c, const Stmt& s) {
  Evaluator e(c_, {nullptr, 0, r.equal->file, r.equal->enclosing}, Mode::normal);
  e.slots = this;
  e.free_units = true;
  std::vector<Value> sides;
  for (std::uint32_t base : {a, b}) {
    Value v;
    v.record = record_type(*r.type);
    v.variability = Variability::continuous;
    for (std::uint32_t k = 0; k < r.width; ++k) v.nodes.push_back(c_.pool.operand(model::Operand::value(model::SlotId{base + k})));
    sides.push_back(std::move(v));
  }
  const Value v = e.apply_function(*r.equal, sides, s.span);
  model::EquationGroup& g = close({v.nodes.begin(), v.nodes.end()}, {v.sizes.begin(), v.sizes.end()}, r.name, c, s);
  each_derivative(r.equal->statement->annotations, [&](const syntax::Expr& x) {
    const Value d = e.apply_function(*r.equal, sides, s.span, &x);
    check_derivative(d, v.sizes, x.span);
    for (const NodeId n : d.nodes) g.derivatives.push_back(model::forms().intern(c_.pool, n));
    b_.gives_derivatives = true;
  });
}

// What stands in `@derivative(…)`.
void ClassBuilder::each_derivative(const std::vector<syntax::Annotation>& list, const std::function<void(const syntax::Expr&)>& f) {
  static const Name name("derivative");
  for (const syntax::Annotation& a : list) {
    if (a.name != name) continue;
    for (const syntax::NamedArgument& x : a.named)
      c_.report.fail("E0239", x.span, "what stands in `@derivative` has no name", "write what is zero where the equation is differentiated, as in `@derivative(v - w)`");
    for (const syntax::ExprPtr& x : a.args) f(*x);
  }
}

void ClassBuilder::check_derivative(const Value& v, const Sizes& sizes, Span span) {
  if (!v.is_number())
    c_.report.fail("E0221", span, "the derivative of an equation is a number that is zero, and this is `" + type_text(v) + "`", "write one side minus the other, as in `@derivative(v - w)`");
  if (v.sizes != sizes)
    c_.report.fail("E0220", span, "the equation and its derivative differ in shape: " + shape_text(sizes) + " and " + shape_text(v.sizes), "write what is zero where the equation is differentiated, element by element");
}

// `@axes(frame.R.T)` beside `@derivative`: the first slot of the matrix.
std::uint32_t ClassBuilder::derivative_axes(const Stmt& s, const Sizes& sizes, Evaluator& e) {
  static const Name name("axes");
  for (const syntax::Annotation& a : s.annotations) {
    if (a.name != name || a.args.size() != 1) continue;
    const Value v = e.value(*a.args[0]);
    const auto slot = [&](std::size_t k) { return c_.pool.operand_of(v.nodes[k]); };
    bool is_matrix = sizes.size() == 1 && v.sizes == joined(sizes, sizes);
    for (std::size_t k = 0; is_matrix && k < v.nodes.size(); ++k)
      is_matrix = c_.pool[v.nodes[k]].op == model::ExprOp::operand && slot(k) == model::Operand::value(model::SlotId{static_cast<std::uint32_t>(slot(0).index() + k)});
    if (is_matrix) return slot(0).index();
    c_.report.fail("E0220", a.args[0]->span, "the axes of a vector are the rows of a square matrix of its size", "name a variable, as in `@axes(frame_a.R.T)`");
  }
  return no_place;
}

// b.r_0 - a.r_0 = 0: an array of its own, no part of a set of potentials, so that it may be left open (engine/session/closings.hpp).
void ClassBuilder::equal_vectors(const ConnectorVector& v, std::uint32_t a, std::uint32_t b, const model::Connection& c, const Stmt& s) {
  const auto slot = [&](std::uint32_t k) { return c_.pool.operand(model::Operand::value(model::SlotId{k})); };
  std::vector<NodeId> nodes;
  for (std::uint32_t k = v.slot; k < v.slot + v.size; ++k) nodes.push_back(c_.pool.sub(slot(b + k), slot(a + k)));
  model::EquationGroup& g = close(nodes, {v.size}, v.name, c, s);
  g.axes = a + v.axes;
  for (const std::uint32_t r : v.rates) g.rates.push_back(a + r);
  b_.gives_derivatives = b_.gives_derivatives || !v.rates.empty();
}

// A group of equations between `member` of the ends of a connection that closes a loop.
model::EquationGroup& ClassBuilder::close(const std::vector<NodeId>& nodes, std::vector<std::uint32_t> sizes, const std::string& member,
                                          const model::Connection& c, const Stmt& s) {
  model::EquationGroup g;
  std::string ends = *c.text;
  for (std::size_t at = 0; (at = ends.find(", ", at)) != std::string::npos;) ends.replace(at, 2, "." + member + ",");
  g.label = Name("connect(" + ends + "." + member + ")");
  g.sizes = std::move(sizes);
  g.first = static_cast<std::uint32_t>(b_.equations.size());
  g.count = static_cast<std::uint32_t>(nodes.size());
  g.doc = "closes a loop of connections";
  g.span = s.span;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    model::Equation q;
    const auto [f, first] = form(nodes[i], q.count);
    q.form = f;
    q.first = first;
    q.label = Name(*c.text);
    q.group = static_cast<std::uint32_t>(b_.equation_groups.size());
    q.element = static_cast<std::uint32_t>(i);
    q.origin = model::EquationOrigin::connection;
    q.span = s.span;
    b_.equations.push_back(q);
  }
  b_.equation_groups.push_back(std::move(g));
  return b_.equation_groups.back();
}

// ---- the whole graph --------------------------------------------------------------------------------------------------------------

namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Edge {
  std::uint32_t a = 0, b = 0;
  GraphAnswers* answers = nullptr;  // of connect edges: where to say that it is broken
  std::uint32_t number = 0;
};

struct Candidate {
  Edge branch;
  double priority = 0;
};

struct Asked {
  std::uint32_t node = 0;
  GraphAnswers* answers = nullptr;
  std::size_t index = 0;
};

// Nodes are the records, by absolute slot.
struct Graph {
  static constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint32_t> node_of;      // by slot
  std::vector<std::uint32_t> parent;       // union-find
  std::vector<Edge> branches, connects, ties;
  std::vector<Candidate> candidates;       // branches that go where they would close a loop
  std::vector<std::pair<std::uint32_t, double>> roots;
  std::vector<Asked> asked;
  Pairs tree;
  std::unordered_set<std::uint32_t> cut;   // ends of candidates that are not in the tree

  std::uint32_t node(std::uint32_t slot) {
    std::uint32_t& n = node_of[slot];
    if (n == none) {
      n = static_cast<std::uint32_t>(parent.size());
      parent.push_back(n);
    }
    return n;
  }
  std::uint32_t find(std::uint32_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  }
  bool join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = find(a), y = find(b);
    if (x == y) return false;
    parent[std::max(x, y)] = std::min(x, y);
    tree.emplace_back(a, b);
    return true;
  }
};

void gather(const Elaboration& e, std::uint32_t base, GraphAnswers& answers, Graph& g) {
  for (const auto& x : e.graph.branches) {
    const Edge branch{g.node(base + x.a), g.node(base + x.b), nullptr, 0};
    if (x.priority < 0) g.branches.push_back(branch);
    else g.candidates.push_back({branch, x.priority});
  }
  for (const auto& x : e.graph.ties) g.ties.push_back({g.node(base + x.a), g.node(base + x.b), nullptr, 0});
  for (const auto& x : e.graph.connects) g.connects.push_back({g.node(base + x.a), g.node(base + x.b), &answers, x.number});
  for (const auto& [slot, priority] : e.graph.roots) g.roots.emplace_back(g.node(base + slot), priority);
  for (std::size_t i = 0; i < e.graph.asked.size(); ++i) g.asked.push_back({g.node(base + e.graph.asked[i]), &answers, i});
  std::unordered_map<Name, std::uint32_t> element;
  for (std::size_t k = 0; k < e.types.size(); ++k) {
    const model::Child& c = e.view->children[k];
    const std::uint32_t number = element[c.name]++;
    const Elaboration& type = *e.types[k];
    if (!type.has_graph && type.graph.empty()) continue;
    auto& below = answers.children[{c.name.value, number}];
    below = std::make_unique<GraphAnswers>();
    gather(type, base + c.slot_base, *below, g);
  }
}

// Definite roots first: their priority is negative.
std::vector<std::pair<std::uint32_t, double>> by_priority(std::vector<std::pair<std::uint32_t, double>> roots) {
  std::stable_sort(roots.begin(), roots.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return roots;
}

// Of each of n nodes from the first of the roots that reaches it, in edges.
std::vector<std::uint32_t> breadth_first(std::size_t n, const Pairs& edges, const std::vector<std::uint32_t>& roots) {
  constexpr std::uint32_t far = 0xffffffff;
  std::vector<std::uint32_t> begin(n + 1, 0), neighbour(2 * edges.size());
  for (const auto& [a, b] : edges) ++begin[a + 1], ++begin[b + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const auto& [a, b] : edges) neighbour[next[a]++] = b, neighbour[next[b]++] = a;
  std::vector<std::uint32_t> distance(n, far), queue;
  for (const std::uint32_t root : roots) {
    if (distance[root] != far) continue;
    distance[root] = 0;
    queue.assign(1, root);
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (std::uint32_t k = begin[queue[i]]; k < begin[queue[i] + 1]; ++k)
        if (const std::uint32_t m = neighbour[k]; distance[m] == far) {
          distance[m] = distance[queue[i]] + 1;
          queue.push_back(m);
        }
  }
  return distance;
}

// Connections by their distance from the root, counted in connections. A tree of shortest ways cuts each loop at its far side and leaves a
// row of loops one loop after the other, in whatever order they were written; a tree by order in the text may go through all of them.
std::vector<Edge> nearest_first(Graph& g) {
  Pairs edges;  // between trees of branches
  std::vector<std::uint32_t> roots;
  for (const auto& [n, priority] : by_priority(g.roots)) roots.push_back(g.find(n));
  for (const Edge& e : g.connects) {
    edges.emplace_back(g.find(e.a), g.find(e.b));
    roots.push_back(g.find(e.a));
  }
  const std::vector<std::uint32_t> distance = breadth_first(g.parent.size(), edges, roots);
  std::vector<Edge> sorted = g.connects;
  std::ranges::stable_sort(sorted, {}, [&](const Edge& e) { return distance[g.find(e.a)] + distance[g.find(e.b)]; });
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> times;  // such edges first: a loop is cut elsewhere
  for (const Edge& e : sorted) ++times[std::minmax(e.a, e.b)];
  if (times.size() < sorted.size()) std::ranges::stable_partition(sorted, [&](const Edge& e) { return times[std::minmax(e.a, e.b)] > 1; });
  return sorted;
}

// Definite roots are one tree to begin with, so a connection that joins two of them closes a loop too. Candidates come behind all
// connections: a loop that has one is cut there, and those that are in the tree are branches like others.
void span(Graph& g) {
  std::optional<std::uint32_t> first;
  for (const auto& [n, priority] : g.roots) {
    if (priority >= 0) continue;
    if (first) {
      const std::uint32_t x = g.find(*first), y = g.find(n);
      g.parent[std::max(x, y)] = std::min(x, y);
    } else {
      first = n;
    }
  }
  for (const Edge& e : g.ties) g.join(e.a, e.b);
  for (const Edge& e : g.branches) g.join(e.a, e.b);
  std::vector<std::uint32_t> same(g.parent.size());  // union-find over connections that are not broken: what they join once more is equal already
  std::iota(same.begin(), same.end(), 0u);
  const auto one_of = [&](std::uint32_t n) {
    while (same[n] != n) n = same[n] = same[same[n]];
    return n;
  };
  for (const Edge& e : nearest_first(g)) {
    const std::uint32_t a = one_of(e.a), b = one_of(e.b);
    if (g.join(e.a, e.b)) same[std::max(a, b)] = std::min(a, b);
    else if (a != b) e.answers->broken.push_back(e.number);
  }
  std::stable_sort(g.candidates.begin(), g.candidates.end(), [](const auto& a, const auto& b) { return a.priority < b.priority; });
  for (const Candidate& c : g.candidates)
    if (g.join(c.branch.a, c.branch.b)) g.branches.push_back(c.branch);
    else g.cut.insert({c.branch.a, c.branch.b});
}

// Distance from the root of each tree: a definite root, else the candidate of the lowest number, else the first record.
std::vector<std::uint32_t> distances(const Graph& g) {
  std::vector<std::uint32_t> roots;
  for (const auto& [r, priority] : by_priority(g.roots)) roots.push_back(r);
  for (std::uint32_t i = 0; i < g.parent.size(); ++i) roots.push_back(i);
  return breadth_first(g.parent.size(), g.tree, roots);
}

std::uint64_t settle(GraphAnswers& a) {
  bool plain = a.broken.empty();
  for (bool r : a.rooted) plain = plain && r;
  std::uint64_t h = 0x61;
  std::sort(a.broken.begin(), a.broken.end());
  for (std::uint32_t b : a.broken) h = combine(h, b);
  for (bool r : a.rooted) h = combine(h, r);
  for (auto it = a.children.begin(); it != a.children.end();) {
    const std::uint64_t below = settle(*it->second);
    if (below == 0) {
      it = a.children.erase(it);
      continue;
    }
    plain = false;
    Name name;
    name.value = it->first.first;
    h = combine(combine(h, name.hash()), combine(it->first.second, below));
    ++it;
  }
  return a.hash = plain ? 0 : h;
}

}  // namespace

bool same(const GraphAnswers& a, const GraphAnswers& b) {
  const auto child = [](const auto& x, const auto& y) { return x.first == y.first && same(*x.second, *y.second); };
  return a.hash == b.hash && a.rooted == b.rooted && a.broken == b.broken && std::ranges::equal(a.children, b.children, child);
}

std::unique_ptr<GraphAnswers> graph_answers(const Elaboration& top) {
  auto answers = std::make_unique<GraphAnswers>();
  Graph g;
  g.node_of.assign(top.view->slots, Graph::none);
  gather(top, 0, *answers, g);
  span(g);
  const std::vector<std::uint32_t> distance = distances(g);
  std::vector<std::uint32_t> other(g.parent.size(), Graph::none);  // the far end of a branch, the first
  for (const Edge& e : g.branches) {
    if (other[e.a] == Graph::none) other[e.a] = e.b;
    if (other[e.b] == Graph::none) other[e.b] = e.a;
  }
  for (const Asked& a : g.asked) {
    if (a.answers->rooted.size() <= a.index) a.answers->rooted.resize(a.index + 1, true);
    const std::uint32_t far = other[a.node];
    a.answers->rooted[a.index] = far != Graph::none ? distance[a.node] < distance[far] : distance[a.node] == 0 || g.cut.contains(a.node);
  }
  if (settle(*answers) == 0) return nullptr;
  return answers;
}

}  // namespace kron::elaborate
