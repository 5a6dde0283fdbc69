// SPDX-License-Identifier: Apache-2.0
// Converts the rows of a table to published values. A value comes from a measured column, such as
// "epoch_time [s]", or from the columns quantity, relation and value, which state a value or claim.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/column_heading.hpp"
#include "analysis/publications/csv_rows.hpp"
#include "analysis/publications/published_series.hpp"
#include "analysis/publications/reference_study.hpp"
#include "analysis/publications/reference_value.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

const std::vector<std::string> kHeadKeys{"source", "where", "kind", "note", "decimal"};
const std::vector<std::string> kRelations{
    "=", "~", "<", "<=", ">", ">=", "rises", "falls", "best", "gain", "times"};
/// Columns that state a value or claim in each row.
const std::vector<std::string> kStated{"quantity", "relation",  "value", "unit",
                                       "along",    "from",      "to",    "cause",
                                       "where",    "statement", "kind"};

[[noreturn]] void fail(const base::CsvCell& cell, const std::string& message) {
  throw base::SpecError(cell.place, "", message);
}

bool is_one_of(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Sets the quantity and the statistic of a stated value from a text such as "throughput@median".
void set_quantity(Published& value, const std::string& name) {
  const std::size_t at = name.find('@');
  value.quantity = known_quantity(name.substr(0, at)).value_or(name.substr(0, at));
  value.statistic = at == std::string::npos ? "" : name.substr(at + 1);
}

/// Sets the number of a value from its cell. Returns an empty text if the cell contains a number,
/// and otherwise the problem with the cell.
std::string set_number(Published& value, const base::CsvCell& cell, const std::string& unit,
                       DecimalMark mark) {
  const PrintedCell printed = read_printed_cell(cell.text, unit, mark);
  value.text = printed.text;
  value.unit = unit;
  value.number = printed.number;
  if (value.relation == "=") value.relation = printed.relation;
  return printed.problem == "is not a number" ? fmt::format("\"{}\" is not a number", cell.text)
         : printed.problem.empty()            ? ""
                                   : fmt::format("\"{}\" {}", cell.text, printed.problem);
}

bool is_whole(double value) {
  return value == std::round(value);
}

/// Returns the plain number in a cell of a scaling axis: "1024" for "1,024", "8" for "8 GPUs" and,
/// in a file with decimal commas, "1024" for "1.024". Returns other texts and the cells of other
/// axes unchanged.
std::string axis_cell_text(const std::string& axis, const std::string& text, DecimalMark mark) {
  if (!is_scaling_axis(axis)) return text;
  if (const auto plain = AxisCell(text).number(); plain && is_whole(*plain)) return text;
  const bool may_be_group = mark == DecimalMark::comma || mark == DecimalMark::open;
  for (const DecimalMark one : {DecimalMark::point, may_be_group ? mark : DecimalMark::point}) {
    const NumberCell cell = read_number_cell(text, one, /*whole=*/true);
    const bool is_count =
        cell.problem.empty() && cell.relation == "=" && is_whole(cell.value) && cell.value < 1e12;
    if (is_count) return fmt::format("{:.10g}", cell.value);
  }
  return text;
}

char read_kind(const base::CsvCell& cell, const std::string& text) {
  if (text == "R" || text == "D" || text == "C") return text[0];
  fail(cell, fmt::format("kind must be R (printed), D (recomputed from raw data) or C (computed "
                         "from printed values), not \"{}\"",
                         text));
}

/// Numbers of digits in a printed number. Zeros at the end of a whole number are not significant.
/// All digits of a number with decimals are significant.
struct PrintedLength {
  int digits = 0;
  int significant = 0;
  bool is_whole = false;
  double factor = 1;  ///< factor to base units
};

PrintedLength length_of(const Published& value, DecimalMark mark) {
  const NumberCell cell = read_number_cell(value.text, mark);
  PrintedLength length;
  if (!cell.problem.empty() || cell.value == 0) return length;
  length.is_whole = cell.half_place == 0.5;
  length.factor = value.number->value / cell.value;
  const std::string digits = value.text.substr(value.text.find_first_of("0123456789"));
  for (const char c : digits.substr(0, digits.find_first_not_of("0123456789.,'_ "))) {
    if (c < '0' || c > '9' || (length.digits == 0 && c == '0')) continue;
    ++length.digits;
    if (c != '0' || !length.is_whole) length.significant = length.digits;
  }
  return length;
}

/// Widens the ranges of whole numbers in columns that were rounded to three or more significant
/// digits. Examples are the columns 12300, 24100, 47000 (three digits) and 201.8, 1612, 11370 (four
/// digits). A whole number in such a column stands for all values that round to it with this number
/// of digits, so 12300 stands for 12250 to 12350.
void widen_rounded_columns(std::vector<Published>& values, DecimalMark mark) {
  constexpr int kFewestDigits = 3;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Published*>> columns;
  for (Published& value : values) {
    if (value.number) columns[{value.quantity, value.statistic, value.unit}].push_back(&value);
  }
  for (const auto& [name, column] : columns) {
    int most = kFewestDigits;
    for (const Published* value : column) {
      most = std::max(most, length_of(*value, mark).significant);
    }
    if (column.size() < 2) continue;
    for (Published* value : column) {
      const PrintedLength length = length_of(*value, mark);
      const int zeros = length.digits - most;
      if (zeros <= 0 || !length.is_whole) continue;
      const double half = 0.5 * std::pow(10.0, zeros) * length.factor;
      value->number->low = value->number->value - half;
      value->number->high = value->number->value + half;
    }
  }
}

class TableReader {
 public:
  TableReader(const CsvText& csv, const std::string& file) : csv_(csv) {
    table_.file = file;
    read_head();
    read_headings();
    require_columns();
    if (mark_ == DecimalMark::unknown) mark_ = shown_mark();
  }

  ReferenceTable read() {
    for (const auto& row : csv_.rows) read_row(row);
    widen_rounded_columns(table_.values, mark_);
    table_.work = stated_work();
    for (std::size_t i = 0; i < columns_.size(); ++i) note_unchecked(i);
    return std::move(table_);
  }

 private:
  void read_head() {
    for (const base::CsvCell& line : csv_.comments) {
      const std::size_t colon = line.text.find(": ");
      if (colon == std::string::npos || line.text.starts_with("SPDX")) continue;
      const std::string key = line.text.substr(0, colon), value = line.text.substr(colon + 2);
      if (!is_one_of(kHeadKeys, key)) fail(line, base::unknown_name("head", key, kHeadKeys));
      if (key == "source") table_.source = value;
      if (key == "where") where_ = value;
      if (key == "kind") table_.kind = read_kind(line, value);
      if (key == "decimal") mark_ = read_mark(line, value);
      has_kind_ = has_kind_ || key == "kind";
    }
    if (table_.source.empty()) fail(csv_.header[0], "no \"# source: …\" line above the header");
    if (!has_kind_) fail(csv_.header[0], "no \"# kind: R\" (or D, C) line above the header");
  }

  /// Returns "per_gpu" (weak scaling) if comments, headings or cells contain the word "weak" and
  /// none contains "strong". Otherwise returns an empty text.
  std::string stated_work() const {
    bool weak = false, strong = false;
    const auto look_at = [&](const std::vector<base::CsvCell>& cells) {
      for (const base::CsvCell& cell : cells) {
        const std::string text = comparable(cell.text);
        weak = weak || text.find("weak") != text.npos;
        strong = strong || text.find("strong") != text.npos;
      }
    };
    look_at(csv_.comments);
    look_at(csv_.header);
    for (const auto& row : csv_.rows) look_at(row);
    return weak && !strong ? "per_gpu" : "";
  }

  void read_headings() {
    for (const base::CsvCell& cell : csv_.header) {
      const ColumnHeading heading = read_column_heading(cell.text);
      if (!heading.problem.empty()) fail(cell, heading.problem);
      columns_.push_back(heading);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) tell_apart(i);
  }

  /// Distinguishes a column from an earlier column with the same quantity. For example, "images/s"
  /// and "tokens/s" are both throughputs. The heading of the later column becomes its statistic, so
  /// that the rules do not compare the two columns.
  void tell_apart(std::size_t later) {
    ColumnHeading& own = columns_[later];
    const auto is_same = [&](const ColumnHeading& other) {
      const bool is_one_name = comparable(other.heading) == comparable(own.heading);
      return own.is_measured && other.is_measured && !is_one_name && other.name == own.name &&
             other.statistic == own.statistic;
    };
    const auto end = columns_.begin() + static_cast<std::ptrdiff_t>(later);
    if (std::any_of(columns_.begin(), end, is_same)) own.statistic = own.heading;
  }

  bool has_numbers_alone(std::size_t column) const {
    bool has_number = false;
    for (const auto& row : csv_.rows) {
      const std::string& text = row[column].text;
      if (is_blank_cell(text)) continue;
      if (!read_number_cell(text, mark_, /*whole=*/true).problem.empty()) return false;
      has_number = true;
    }
    return has_number;
  }

  /// Adds a note for the user if a column may contain times, rates or counts that the scaling rules
  /// do not check.
  void note_unchecked(std::size_t column) {
    const ColumnHeading& heading = columns_[column];
    const base::CsvCell& cell = csv_.header[column];
    const auto note = [&](const char* text) {
      table_.notes.push_back(fmt::format("{}:{}:{}: column \"{}\" {}", cell.place.file,
                                         cell.place.line, cell.place.column, cell.text, text));
    };
    if (heading.is_measured && is_time_or_rate(heading.unit) && !known_quantity(heading.name)) {
      note(
          "has a known unit but an unknown name, so no rule compares it with speed-ups and "
          "efficiencies. The rules know the names epoch_time, step_time, runtime and throughput");
    } else if (heading.is_guess && !is_one_of(kStated, heading.name) && has_numbers_alone(column)) {
      note(
          "contains numbers, but neither its name nor a unit is known. It is used as a setting "
          "that distinguishes curves. If it is a measurement, write its unit in brackets, or [1] "
          "if it has none. If it counts GPUs, nodes or ranks, call it gpus, nodes or ranks");
    }
  }

  static bool is_time_or_rate(const std::string& unit) {
    const auto found = parse_unit(unit);
    return found && found->cell &&
           (found->cell->kind == UnitKind::time || found->cell->kind == UnitKind::rate);
  }

  static DecimalMark read_mark(const base::CsvCell& cell, const std::string& text) {
    if (text != "comma" && text != "point") {
      fail(cell, fmt::format("decimal must be comma or point, not \"{}\"", text));
    }
    return text == "comma" ? DecimalMark::comma : DecimalMark::point;
  }

  /// Returns the decimal mark that the numbers in the file show. The function considers the
  /// measured numbers and, in other columns, fractions such as "0.95". Other numbers in other
  /// columns are ignored because they may be versions. If no number shows a mark, a file with
  /// commas between its columns has decimal points, and a file with semicolons may have either
  /// mark.
  DecimalMark shown_mark() const {
    bool comma = false, point = false;
    for (const auto& row : csv_.rows) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!columns_[i].is_measured && !row[i].text.starts_with('0')) continue;
        const DecimalMark shown = decimal_mark_of(row[i].text);
        comma = comma || shown == DecimalMark::comma;
        point = point || shown == DecimalMark::point;
      }
    }
    if (comma != point) return comma ? DecimalMark::comma : DecimalMark::point;
    if (csv_.separator == ';') return DecimalMark::open;
    return !comma && csv_.separator == ',' ? DecimalMark::point : DecimalMark::unknown;
  }

  void require_columns() const {
    bool says_something = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      says_something = says_something || columns_[i].is_measured || columns_[i].name == "quantity";
      for (std::size_t j = 0; j < i; ++j) {
        if (columns_[j].name == columns_[i].name && columns_[j].unit == columns_[i].unit &&
            columns_[j].statistic == columns_[i].statistic) {
          fail(csv_.header[i], fmt::format("column \"{}\" occurs twice", csv_.header[i].text));
        }
      }
    }
    if (!says_something) {
      fail(csv_.header[0],
           "the table needs a column \"quantity\" or a column with a unit, for example \"time "
           "[s]\"");
    }
  }

  void read_row(const std::vector<base::CsvCell>& row) {
    Published common;
    common.kind = table_.kind;
    common.where = where_;
    const base::CsvCell* stated = nullptr;
    const base::CsvCell* value = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].is_measured || row[i].text.empty()) continue;
      if (columns_[i].name == "quantity") stated = &row[i];
      if (columns_[i].name == "value") value = &row[i];
      set_word(common, columns_[i].name, row[i]);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].is_measured || is_blank_cell(row[i].text)) continue;
      add_measured(common, columns_[i], row[i], stated != nullptr);
    }
    if (stated != nullptr) add_stated(common, *stated, value);
  }

  void set_word(Published& value, const std::string& column, const base::CsvCell& cell) {
    const std::string& text = cell.text;
    if (column == "relation") {
      if (!is_one_of(kRelations, text))
        fail(cell, base::unknown_name("relation", text, kRelations));
      value.relation = text;
    } else if (column == "kind") {
      value.kind = read_kind(cell, text);
    } else if (column == "unit") {
      if (!parse_unit(text)) fail(cell, fmt::format("unknown unit \"{}\"", text));
      value.unit = text;
    } else if (column == "along") {
      value.along = text;
    } else if (column == "from") {
      value.from = text;
    } else if (column == "to") {
      value.to = text;
    } else if (column == "cause") {
      value.cause = text;
    } else if (column == "where") {
      value.where = text;
    } else if (column == "statement") {
      value.statement = text;
    } else if (!is_one_of(kStated, column)) {
      value.axes[column] = axis_cell_text(column, text, mark_);
    }
  }

  /// Adds a value from a measured column. If the row also states a quantity (`is_stated`), the
  /// cells `from` and `to` belong to this quantity and not to the measured value.
  void add_measured(const Published& common, const ColumnHeading& column, const base::CsvCell& cell,
                    bool is_stated) {
    Published value = common;
    value.relation = "=";
    value.along = value.cause = value.statement = "";
    value.quantity = column.name;
    value.statistic = column.statistic;
    if (is_stated || value.quantity != "speedup") value.from = value.to = "";
    const std::string problem = set_number(value, cell, column.unit, mark_);
    if (!value.number && !is_failure_word(cell.text)) fail(cell, problem);
    require_unit(value, column, cell);
    value.place = cell.place;
    table_.values.push_back(std::move(value));
  }

  /// Throws for an efficiency above 5 in a column without a unit, because the column may contain
  /// percentages or fractions.
  static void require_unit(const Published& value, const ColumnHeading& column,
                           const base::CsvCell& cell) {
    const bool is_share = !column.has_unit && value.quantity == "efficiency";
    if (!is_share || !value.number || value.number->value <= 5) return;
    fail(cell, fmt::format("the efficiency {0} has no unit: call the column \"{1} [%]\"", cell.text,
                           column.heading));
  }

  void add_stated(const Published& common, const base::CsvCell& quantity,
                  const base::CsvCell* cell) {
    Published value = common;
    set_quantity(value, quantity.text);
    value.place = quantity.place;
    const bool trend = value.relation == "rises" || value.relation == "falls";
    const bool claim = trend || value.relation == "best";
    if (claim && value.along.empty()) {
      fail(quantity, fmt::format("\"{}\" needs a column \"along\"", value.relation));
    }
    if (!claim && cell == nullptr)
      fail(quantity, "the quantity has no value: fill the column \"value\"");
    if (cell != nullptr) {
      const std::string problem = set_number(value, *cell, common.unit, mark_);
      const bool needs_number = value.relation != "=" || !value.unit.empty();
      if (needs_number && !value.number) fail(*cell, problem);
    }
    table_.values.push_back(std::move(value));
  }

  const CsvText& csv_;
  ReferenceTable table_;
  std::string where_;
  bool has_kind_ = false;
  DecimalMark mark_ = DecimalMark::unknown;
  std::vector<ColumnHeading> columns_;
};

}  // namespace

ReferenceTable read_reference_table(std::string_view text, const std::string& file) {
  const CsvText csv = parse_csv(text, file);
  return TableReader(csv, file).read();
}

}  // namespace dlscale::analysis
