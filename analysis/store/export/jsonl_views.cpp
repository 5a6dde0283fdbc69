// SPDX-License-Identifier: Apache-2.0
// Views as JSON Lines, in the order of their columns.
#include <nlohmann/json.hpp>

#include "analysis/store/export/line_file.hpp"
#include "analysis/store/export/view_writer.hpp"

namespace dlscale::analysis {
namespace {

using Json = nlohmann::json;

/// As JSON; what is no UTF-8 becomes the replacement character.
std::string json_text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const ViewValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

class JsonlViews : public ViewWriter {
 public:
  explicit JsonlViews(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void begin(const std::string& view, const std::vector<std::string>& columns) override {
    file_.close();
    file_ = LineFile(folder_ / (view + ".jsonl"));
    keys_.clear();
    for (const std::string& column : columns) {
      keys_.push_back((keys_.empty() ? "{" : ",") + json_text_of(column) + ":");
    }
  }
  void row(const std::vector<ViewValue>& values) override {
    line_.clear();
    for (std::size_t i = 0; i < values.size(); ++i)
      line_ += keys_[i] + json_text_of(json_of(values[i]));
    file_.add(line_ + "}\n");
  }
  void finish() override { file_.close(); }

 private:
  std::filesystem::path folder_;
  LineFile file_;
  std::vector<std::string> keys_;  ///< `{"run_id":`, `,"line":`, …
  std::string line_;
};

}  // namespace

std::unique_ptr<ViewWriter> make_jsonl_views(const std::filesystem::path& folder) {
  return std::make_unique<JsonlViews>(folder);
}

}  // namespace dlscale::analysis
