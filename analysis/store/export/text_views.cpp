// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/export/text_views.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "analysis/report/csv_text.hpp"
#include "analysis/store/export/view_writer.hpp"
#include "base/error.hpp"
#include "contract/json/writer.hpp"

namespace dlscale::analysis {

LineFile::LineFile(std::filesystem::path path)
    : path_(std::move(path)), out_(path_, std::ios::binary) {
  if (out_) return;
  throw base::RunError(fmt::format("{}: {}", path_.string(), std::strerror(errno)));
}

void LineFile::close() {
  if (!out_.is_open()) return;
  out_.close();
  if (out_) return;
  throw base::RunError(fmt::format("{}: cannot be written (is the disk full?)", path_.string()));
}

// Writer of views as CSV. The files have no comment lines before the header row, because some
// programs do not skip comments.

namespace {

std::string cell_of(const ViewValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return csv_number(*number);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? "" : *text;
}

class CsvViews : public ViewWriter {
 public:
  explicit CsvViews(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void begin(const std::string& view, const std::vector<ViewColumn>& columns) override {
    file_.close();
    file_ = LineFile(folder_ / (view + ".csv"));
    cells_.clear();
    for (const ViewColumn& column : columns) cells_.push_back(column.name);
    file_.add(csv_line(cells_));
  }
  void row(const std::vector<ViewValue>& values) override {
    cells_.clear();
    for (const ViewValue& value : values) cells_.push_back(cell_of(value));
    file_.add(csv_line(cells_));
  }
  void finish() override { file_.close(); }

 private:
  std::filesystem::path folder_;
  LineFile file_;
  std::vector<std::string> cells_;
};

}  // namespace

std::unique_ptr<ViewWriter> make_csv_views(const std::filesystem::path& folder) {
  return std::make_unique<CsvViews>(folder);
}

// Writer of views as JSON Lines. The keys of each object are in the order of the view's columns.

namespace {

void write(contract::codec::TextWriter& line, std::monostate) {
  line.write(nullptr);
}
template <class T>
void write(contract::codec::TextWriter& line, const T& value) {
  line.write(value);
}

class JsonlViews : public ViewWriter {
 public:
  explicit JsonlViews(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void begin(const std::string& view, const std::vector<ViewColumn>& columns) override {
    file_.close();
    file_ = LineFile(folder_ / (view + ".jsonl"));
    columns_ = columns;
  }
  void row(const std::vector<ViewValue>& values) override {
    contract::codec::TextWriter line(contract::codec::kOneLine);
    line.open('{');
    for (std::size_t i = 0; i < values.size(); ++i) {
      line.key(columns_[i].name);
      std::visit([&](const auto& value) { write(line, value); }, values[i]);
    }
    line.close('}');
    line.end_line();
    file_.add(line.release_text());
  }
  void finish() override { file_.close(); }

 private:
  std::filesystem::path folder_;
  LineFile file_;
  std::vector<ViewColumn> columns_;
};

}  // namespace

std::unique_ptr<ViewWriter> make_jsonl_views(const std::filesystem::path& folder) {
  return std::make_unique<JsonlViews>(folder);
}

}  // namespace dlscale::analysis
