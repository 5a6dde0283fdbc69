// SPDX-License-Identifier: Apache-2.0
// Data set AG's News (Zhang, Zhao, LeCun: Character-level Convolutional Networks for Text
// Classification, NIPS 2015) from train.csv and test.csv with "class","title","description" per
// line.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/csv.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/text/text_set.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kClasses = 4;
constexpr std::size_t kFields = 3;

using Fields = std::vector<std::string>;

/// Returns the cells of a row. Each row is one line of the file. In the descriptions, a backslash
/// stands for a line end. This function replaces backslashes by spaces.
Fields fields_of(const TextFile& file, std::size_t line) {
  base::CsvReader reader(file.lines[line], "", base::CsvQuotes::anywhere);
  Fields fields;
  for (base::CsvCell& cell : reader.row()) fields.push_back(std::move(cell.text));
  if (reader.has_open_quote()) file.fail(line, "a quotation mark is not closed");
  for (std::string& field : fields) std::replace(field.begin(), field.end(), '\\', ' ');
  return fields;
}

RawTexts read_samples(const std::filesystem::path& path) {
  const TextFile file(path);
  RawTexts raw;
  for (std::size_t line = 0; line < file.lines.size(); ++line) {
    const Fields fields = fields_of(file, line);
    if (fields.size() != kFields) {
      file.fail(line,
                fmt::format("{} fields instead of class, title and description", fields.size()));
    }
    const std::string& label = fields[0];
    if (label.size() != 1 || label[0] < '1' || label[0] > '0' + kClasses) {
      file.fail(line, fmt::format("the class \"{}\" is not one of 1 … {}", label, kClasses));
    }
    raw.labels.push_back(label[0] - '1');
    raw.texts.push_back(fields[1] + " " + fields[2]);
  }
  return raw;
}

Dataset load(const contract::DatasetSpec& spec) {
  const auto folder = folder_of(spec, "train.csv and test.csv");
  RawTextSet raw{.classes = kClasses, .test = read_samples(folder / "test.csv")};
  if (has_data_file(folder / "train.csv")) {
    raw.train = read_samples(folder / "train.csv");
  } else {
    raw.train = std::exchange(raw.test, {});
  }
  return make_text_set(std::move(raw), spec);
}

}  // namespace

extern const DatasetEntry text_ag_news_entry;
const DatasetEntry text_ag_news_entry{.name = "text_ag_news",
                                      .summary = "AG's News, CSV files: news in four classes",
                                      .load = load,
                                      .samples = "text"};

}  // namespace dlscale::trainer
