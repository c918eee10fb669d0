// MATLAB v4 in the layout of Modelica tools ("binTrans": matrices transposed, so that a point in time is contiguous):
//   Aclass       4 x 11 text   Atrajectory | 1.1 | | binTrans
//   name         length x n    one column for each name, padded with blanks; the first is time
//   description  length x n    doc string and [unit]
//   dataInfo     4 x n int32   matrix (0 time, 1, 2), row in it from 1 (negative: with the sign turned),
//                              0: linear, -1: undefined outside
//   data_1       rows x 2      what does not change: at start and stop; row 1 is time
//   data_2       rows x points what does; row 1 is time
#include <matio.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>

#include "engine/simulate/result_files.hpp"

namespace kron::simulate {

namespace {

constexpr std::array<const char*, 4> class_rows = {"Atrajectory", "1.1        ", "           ", "binTrans   "};

struct Layout {
  std::vector<Alias> aliases;
  std::vector<std::int32_t> info;              // 4 for each name
  std::vector<std::size_t> constant, varying;  // columns in data_1 and data_2, after time
};

bool is_constant(const ResultTable& table, std::size_t column) {
  return table.columns[column].values.size() <= 1 && table.time.size() != 1;
}

Layout lay_out(const ResultTable& table) {
  Layout layout;
  layout.aliases = resolve_aliases(table);
  const std::size_t n = table.columns.size();
  std::vector<std::int32_t> row(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (layout.aliases[i].column != i || layout.aliases[i].time) continue;
    auto& list = is_constant(table, i) ? layout.constant : layout.varying;
    list.push_back(i);
    row[i] = static_cast<std::int32_t>(list.size()) + 1;
  }
  layout.info = {0, 1, 0, -1};
  for (const Alias& a : layout.aliases) {
    const std::int32_t matrix = a.time ? 2 : is_constant(table, a.column) ? 1 : 2;
    const std::int32_t index = a.time ? 1 : row[a.column];
    layout.info.insert(layout.info.end(), {matrix, a.sign < 0 ? -index : index, 0, -1});
  }
  return layout;
}

// A text matrix with one column for each line.
struct Text {
  std::vector<char> data;
  std::size_t length = 1, count = 0;
};

template <class Line>
Text make_text(std::size_t count, Line&& line) {
  Text text;
  text.count = count;
  for (std::size_t i = 0; i < count; ++i) text.length = std::max(text.length, line(i).size());
  text.data.assign(text.length * count, ' ');
  for (std::size_t i = 0; i < count; ++i) {
    const std::string s = line(i);
    std::copy(s.begin(), s.end(), text.data.begin() + static_cast<std::ptrdiff_t>(i * text.length));
  }
  return text;
}

std::string description(const ResultTable::Column& c) {
  if (c.unit.empty()) return c.doc;
  return c.doc.empty() ? "[" + c.unit + "]" : c.doc + " [" + c.unit + "]";
}

class MatFile {
 public:
  explicit MatFile(const std::string& path) : file_(Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT4)) {}
  ~MatFile() { close(); }
  MatFile(const MatFile&) = delete;
  MatFile& operator=(const MatFile&) = delete;

  void text(const char* name, const char* data, std::size_t rows, std::size_t columns) {
    put(name, MAT_C_CHAR, MAT_T_UINT8, data, rows, columns, 1);
  }
  void integers(const char* name, const std::vector<std::int32_t>& data, std::size_t rows) {
    put(name, MAT_C_INT32, MAT_T_INT32, data.data(), rows, data.size() / rows, 4);
  }
  void numbers(const char* name, const std::vector<double>& data, std::size_t rows) {
    put(name, MAT_C_DOUBLE, MAT_T_DOUBLE, data.data(), rows, data.size() / rows, 8);
  }
  bool close() {
    if (file_ && Mat_Close(file_) != 0) good_ = false;
    const bool opened = file_ != nullptr;
    file_ = nullptr;
    return opened && good_;
  }
  bool opened() const { return file_ != nullptr; }
  std::uintmax_t expected_size() const { return size_; }

 private:
  void put(const char* name, matio_classes type, matio_types storage, const void* data, std::size_t rows,
           std::size_t columns, std::size_t bytes) {
    std::size_t dims[2] = {rows, columns};
    matvar_t* v = Mat_VarCreate(name, type, storage, 2, dims, const_cast<void*>(data), MAT_F_DONT_COPY_DATA);
    good_ = good_ && v && Mat_VarWrite(file_, v, MAT_COMPRESSION_NONE) == 0;
    if (v) Mat_VarFree(v);
    size_ += 20 + std::strlen(name) + 1 + rows * columns * bytes;
  }

  mat_t* file_;
  bool good_ = true;
  std::uintmax_t size_ = 0;
};

void write_header(MatFile& file, const ResultTable& table, const Layout& layout) {
  std::array<char, 44> aclass{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 11; ++c) aclass[c * 4 + r] = class_rows[r][c];
  file.text("Aclass", aclass.data(), 4, 11);
  const std::size_t n = table.columns.size() + 1;
  const Text names =
      make_text(n, [&](std::size_t i) { return i == 0 ? std::string("time") : table.columns[i - 1].name; });
  file.text("name", names.data.data(), names.length, n);
  const Text docs =
      make_text(n, [&](std::size_t i) { return i == 0 ? std::string("time [s]") : description(table.columns[i - 1]); });
  file.text("description", docs.data.data(), docs.length, n);
  file.integers("dataInfo", layout.info, 4);
}

// Rows of `columns` at the given points, one point after the other.
std::vector<double> gather(const ResultTable& table, const Layout& layout, const std::vector<std::size_t>& columns,
                           std::span<const std::size_t> points) {
  std::vector<double> data;
  data.reserve((columns.size() + 1) * points.size());
  for (const std::size_t p : points) {
    data.push_back(table.time[p]);
    for (const std::size_t c : columns) data.push_back(value_at(table, layout.aliases[c], p));
  }
  return data;
}

}  // namespace

std::optional<std::string> write_mat(const ResultTable& table, const std::string& path) {
  if (table.time.empty()) return "there are no points";
  const Layout layout = lay_out(table);
  std::vector<std::size_t> all(table.time.size());
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = p;
  const std::array<std::size_t, 2> ends = {0, all.back()};
  MatFile file(path);
  if (!file.opened()) return "the file cannot be created";
  write_header(file, table, layout);
  file.numbers("data_1", gather(table, layout, layout.constant, ends), layout.constant.size() + 1);
  file.numbers("data_2", gather(table, layout, layout.varying, all), layout.varying.size() + 1);
  const std::uintmax_t expected = file.expected_size();
  // matio reports few write errors: the size is what tells a full disk.
  std::error_code error;
  if (!file.close() || std::filesystem::file_size(path, error) != expected || error)
    return "the disk is full or failing";
  return std::nullopt;
}

}  // namespace kron::simulate
