// SPDX-License-Identifier: Apache-2.0
// Views as CSV: no comments before the line of names, which not every reader would skip.
#include "analysis/report/csv_text.hpp"
#include "analysis/store/export/line_file.hpp"
#include "analysis/store/export/view_writer.hpp"

namespace dlscale::analysis {
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

  void begin(const std::string& view, const std::vector<std::string>& columns) override {
    file_.close();
    file_ = LineFile(folder_ / (view + ".csv"));
    file_.add(csv_line(columns));
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

}  // namespace dlscale::analysis
