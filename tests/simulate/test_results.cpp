#include <doctest/doctest.h>
#include <matio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/simulate/results.hpp"

using namespace kron::simulate;
namespace fs = std::filesystem;

namespace {

// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("kron-results-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {})); }

 private:
  fs::path path_;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

ResultTable table() {
  ResultTable t;
  t.time = {0, 0.1, 0.2, 1.0 / 3};
  t.columns.push_back({"x", "m", "position", {1, 0.1, 1e-300, -2.0 / 3}, "", 1});
  t.columns.push_back(
      {"A[1,2]", "", "says \"hi\", twice", {3, std::nan(""), std::numeric_limits<double>::infinity(), 5e-324}, "", 1});
  t.columns.push_back({"R", "Ohm", "", {100.5}, "", 1});
  t.columns.push_back({"n.v", "V", "ground", {}, "x", -1});
  t.columns.push_back({"m.v", "V", "other side", {}, "n.v", -1});
  t.columns.push_back({"Rminus", "Ohm", "", {}, "R", -1});
  t.columns.push_back({"τ", "s", "", {}, "time", 1});
  return t;
}

// What each column of table() says at each point.
double expected(std::size_t column, std::size_t point) {
  const ResultTable t = table();
  const double x = t.columns[0].values[point];
  const double all[] = {x, t.columns[1].values[point], 100.5, -x, x, -100.5, t.time[point]};
  return all[column];
}

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> numbers;
  std::string text;
  double at(std::size_t r, std::size_t c) const { return numbers[c * rows + r]; }
  std::string column(std::size_t c) const {
    std::string s = text.substr(c * rows, rows);
    while (!s.empty() && s.back() == ' ') s.pop_back();
    return s;
  }
  std::string row(std::size_t r) const {
    std::string s;
    for (std::size_t c = 0; c < columns; ++c) s += text[c * rows + r];
    return s;
  }
};

Matrix read_matrix(mat_t* file, const char* name) {
  Matrix m;
  matvar_t* v = Mat_VarRead(file, name);
  REQUIRE(v != nullptr);
  REQUIRE(v->rank == 2);
  m.rows = v->dims[0];
  m.columns = v->dims[1];
  const std::size_t n = m.rows * m.columns;
  if (v->class_type == MAT_C_CHAR)
    m.text.assign(static_cast<const char*>(v->data), n);
  else
    m.numbers.assign(static_cast<const double*>(v->data), static_cast<const double*>(v->data) + n);
  Mat_VarFree(v);
  return m;
}

}  // namespace

TEST_CASE("results: CSV reads back exactly") {
  const Folder folder;
  REQUIRE(!write_results(table(), folder.file("a.csv")));
  std::istringstream in(read(folder.file("a.csv")));
  std::string line;
  REQUIRE(std::getline(in, line));
  CHECK(line == "time,x,\"A[1,2]\",R,n.v,m.v,Rminus,τ");
  for (std::size_t p = 0; p < 4; ++p) {
    REQUIRE(std::getline(in, line));
    const auto fields = split_csv(line);
    REQUIRE(fields.size() == 8);
    CHECK(same(std::strtod(fields[0].c_str(), nullptr), table().time[p]));
    for (std::size_t c = 0; c < 7; ++c) CHECK(same(std::strtod(fields[c + 1].c_str(), nullptr), expected(c, p)));
  }
  CHECK(!std::getline(in, line));
  CHECK(folder.count() == 1);
}

TEST_CASE("results: JSON is an object of arrays; what is no number is null") {
  const Folder folder;
  REQUIRE(!write_results(table(), folder.file("a.json")));
  const auto json = nlohmann::json::parse(read(folder.file("a.json")));
  CHECK(json.size() == 8);
  const char* names[] = {"x", "A[1,2]", "R", "n.v", "m.v", "Rminus", "τ"};
  for (std::size_t p = 0; p < 4; ++p) {
    CHECK(json.at("time").at(p).get<double>() == table().time[p]);
    for (std::size_t c = 0; c < 7; ++c) {
      const auto& value = json.at(names[c]).at(p);
      if (std::isfinite(expected(c, p)))
        CHECK(value.get<double>() == expected(c, p));
      else
        CHECK(value.is_null());
    }
  }
}

TEST_CASE("results: MAT has the layout of Modelica tools") {
  const Folder folder;
  const std::string path = folder.file("a.mat");
  REQUIRE(!write_results(table(), path));
  mat_t* file = Mat_Open(path.c_str(), MAT_ACC_RDONLY);
  REQUIRE(file != nullptr);
  CHECK(Mat_GetVersion(file) == MAT_FT_MAT4);
  const Matrix aclass = read_matrix(file, "Aclass");
  CHECK(aclass.rows == 4);
  CHECK(aclass.columns == 11);
  CHECK(aclass.row(0) == "Atrajectory");
  CHECK(aclass.row(1) == "1.1        ");
  CHECK(aclass.row(3) == "binTrans   ");
  const Matrix name = read_matrix(file, "name"), description = read_matrix(file, "description"),
               info = read_matrix(file, "dataInfo"), data1 = read_matrix(file, "data_1"),
               data2 = read_matrix(file, "data_2");
  const char* names[] = {"time", "x", "A[1,2]", "R", "n.v", "m.v", "Rminus", "τ"};
  REQUIRE(name.columns == 8);
  for (std::size_t c = 0; c < 8; ++c) CHECK(name.column(c) == names[c]);
  CHECK(description.columns == 8);
  CHECK(description.column(1) == "position [m]");
  CHECK(description.column(3) == "[Ohm]");
  CHECK(info.rows == 4);
  CHECK(data1.rows == 2);     // time, R
  CHECK(data1.columns == 2);  // start and stop
  CHECK(data2.rows == 3);     // time, x, A[1,2]
  CHECK(data2.columns == 4);
  CHECK(data1.at(0, 1) == table().time.back());
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t p = 0; p < 4; ++p) {
      const auto matrix = static_cast<int>(info.at(0, c));
      const double index = info.at(1, c);
      const auto row = static_cast<std::size_t>(std::fabs(index)) - 1;
      const double stored = matrix == 1 ? data1.at(row, p == 3 ? 1 : 0) : data2.at(row, p);
      CHECK(same(index < 0 ? -stored : stored, c == 0 ? table().time[p] : expected(c - 1, p)));
      CHECK(matrix == (c == 0 ? 0 : c == 3 || c == 6 ? 1 : 2));
    }
  Mat_Close(file);
  CHECK(folder.count() == 1);
  // The order and the types of the matrices are part of the format: 51 text in bytes, 20 int32, 0 double.
  const std::string bytes = read(path);
  std::size_t at = 0;
  const std::pair<const char*, std::uint32_t> order[] = {{"Aclass", 51},   {"name", 51},  {"description", 51},
                                                         {"dataInfo", 20}, {"data_1", 0}, {"data_2", 0}};
  for (const auto& [matrix, type] : order) {
    std::uint32_t header[5];
    REQUIRE(at + sizeof header < bytes.size());
    std::memcpy(header, bytes.data() + at, sizeof header);
    CHECK(header[0] == type);
    CHECK(std::string(bytes.data() + at + 20) == matrix);
    at += 20 + header[4] + header[1] * header[2] * (type == 51 ? 1 : type == 20 ? 4 : 8);
  }
  CHECK(at == bytes.size());
}

TEST_CASE("results: tables without columns, with one point, with many") {
  const Folder folder;
  for (const char* ending : {"csv", "json", "mat"}) {
    CAPTURE(ending);
    ResultTable t;
    t.time = {0, 1};
    CHECK(!write_results(t, folder.file(std::string("none.") + ending)));
    t.time = {2};
    t.columns.push_back({"p", "", "", {7}, "", 1});
    CHECK(!write_results(t, folder.file(std::string("one.") + ending)));
    t.time.clear();
    t.columns[0].values.clear();
    for (int i = 0; i < 20'000; ++i) {
      t.time.push_back(i * 0.1);
      t.columns[0].values.push_back(std::sin(i));
    }
    CHECK(!write_results(t, folder.file(std::string("many.") + ending)));
  }
  CHECK(read(folder.file("none.csv")) == "time\n0\n1\n");
  CHECK(read(folder.file("one.csv")) == "time,p\n2,7\n");
  mat_t* file = Mat_Open(folder.file("many.mat").c_str(), MAT_ACC_RDONLY);
  REQUIRE(file != nullptr);
  const Matrix data = read_matrix(file, "data_2");
  CHECK(data.columns == 20'000);
  CHECK(data.at(1, 19'999) == std::sin(19'999));
  Mat_Close(file);
}

TEST_CASE("results: aliases of each other or of nothing end") {
  const Folder folder;
  ResultTable t;
  t.time = {0, 1};
  t.columns.push_back({"a", "", "", {}, "b", 1});
  t.columns.push_back({"b", "", "", {}, "a", 1});
  t.columns.push_back({"c", "", "", {}, "nowhere", 1});
  for (const char* name : {"a.csv", "a.json", "a.mat"}) CHECK(!write_results(t, folder.file(name)));
}

TEST_CASE("results: what cannot be written leaves the old file and nothing new") {
  const Folder folder;
  fs::create_directories(folder.file("folder.csv"));
  const struct {
    const char* name;
    std::string path, why;
  } rows[] = {{"no folder", folder.file("no/such/out.csv"), "No such file"},
              {"a folder", folder.file("folder.csv"), "directory"},
              {"no regular file", "/dev/null", ".csv, .json or .mat"},
              {"unknown ending", folder.file("out.xyz"), ".csv, .json or .mat"},
              {"no ending", folder.file("out"), ".csv, .json or .mat"},
              {"empty", "", ".csv, .json or .mat"}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto why = write_results(table(), row.path);
    REQUIRE(why);
    CHECK(why->find(row.why) != std::string::npos);
  }
  CHECK(folder.count() == 1);
  CHECK(result_ending_known("a.b/c.csv"));
  CHECK(!result_ending_known("a.csv/c"));
  CHECK(!result_ending_known("a.CSV.txt"));
}

TEST_CASE("results: a link is followed, the mode of a file is kept") {
  const Folder folder;
  std::ofstream(folder.file("real.csv")) << "old";
  fs::permissions(folder.file("real.csv"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real.csv", folder.file("link.csv"));
  REQUIRE(!write_results(table(), folder.file("link.csv")));
  CHECK(fs::is_symlink(folder.file("link.csv")));
  CHECK(read(folder.file("real.csv")).substr(0, 5) == "time,");
  CHECK((fs::status(folder.file("real.csv")).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  fs::create_symlink("/dev/full", folder.file("device.csv"));
  const auto why = write_results(table(), folder.file("device.csv"));
  REQUIRE(why);
  CHECK(why->find("regular file") != std::string::npos);
}

TEST_CASE("results: a full disk leaves the old file whole") {
  // A limit on file sizes stands for the disk: writes past it fail.
  const Folder folder;
  ResultTable t;
  for (int i = 0; i < 5000; ++i) t.time.push_back(i / 3.0);
  t.columns.push_back({"x", "", "", t.time, "", 1});
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  for (const char* name : {"a.csv", "a.json", "a.mat"}) {
    CAPTURE(name);
    std::ofstream(folder.file(name)) << "the old file";
    rlimit tight = before;
    tight.rlim_cur = 20'000;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    const auto why = write_results(t, folder.file(name));
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(why.has_value());
    CHECK(read(folder.file(name)) == "the old file");
  }
  CHECK(folder.count() == 3);
  std::signal(SIGXFSZ, SIG_DFL);
}
