// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/cells/number_cell.hpp"

namespace dlscale::analysis {
namespace {

using Row = std::vector<base::CsvCell>;

class CsvRowsReader {
 public:
  CsvRowsReader(std::string_view text, const std::string& file) : reader_(text, file) {}

  CsvText read() {
    CsvText csv;
    while (!reader_.at_end()) {
      if (reader_.skip_line_end()) continue;
      if (reader_.is_at('#')) {
        last_comment_ = reader_.position();
        csv.comments.push_back(comment());
        continue;
      }
      if (csv.header.empty()) take_header(csv);
      if (reader_.skip_line_end() || reader_.at_end()) continue;
      Row row = reader_.row();
      require_length(row, csv.header.size());
      csv.rows.push_back(std::move(row));
    }
    csv.separator = reader_.separator();
    if (csv.header.empty()) {
      base::Location place = reader_.location();
      place.column = 1;
      throw base::SpecError(place, "", "no header line");
    }
    return csv;
  }

 private:
  Row header_at(const base::CsvReader::Position& position) {
    reader_.go_to(position);
    reader_.recognise_separator();
    return reader_.row();
  }

  /// Reads the header. If the first line is a row of numbers, a comment above it, such as "#
  /// GPUs,time [s]", is the header.
  void take_header(CsvText& csv) {
    const base::CsvReader::Position first = reader_.position();
    Row header = header_at(first);
    const base::CsvReader::Position behind = reader_.position();
    const char separator = reader_.separator();
    const bool has_number =
        std::any_of(header.begin(), header.end(), [](const base::CsvCell& cell) {
          const NumberCell number = read_number_cell(cell.text, DecimalMark::point);
          return number.problem.empty() && number.unit.empty();
        });
    csv.header = std::move(header);
    if (!has_number || csv.comments.empty()) return;
    Row commented = header_at(last_comment_);
    const bool is_header = commented.size() == csv.header.size() && commented.size() > 1;
    if (!is_header) {
      reader_.set_separator(separator);
      return reader_.go_to(behind);
    }
    csv.header = std::move(commented);
    csv.comments.pop_back();
    reader_.go_to(first);
  }

  base::CsvCell comment() {
    base::CsvCell cell = reader_.line();
    cell.text.erase(0, cell.text.starts_with("# ") ? 2 : 1);
    return cell;
  }

  static void require_length(const Row& row, std::size_t length) {
    if (row.size() == length) return;
    throw base::SpecError(
        row.size() > length ? row[length].place : row.front().place, "",
        fmt::format("{} cells, but the header has {} columns", row.size(), length));
  }

  base::CsvReader reader_;
  base::CsvReader::Position last_comment_;
};

}  // namespace

CsvText parse_csv(std::string_view text, const std::string& file) {
  return CsvRowsReader(text, file).read();
}

}  // namespace dlscale::analysis
