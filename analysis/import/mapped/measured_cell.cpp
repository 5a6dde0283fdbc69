// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/measured_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "analysis/cells/cell_unit.hpp"
#include "analysis/import/mapped/row_reader.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Axes whose values are counts, with the thing that each axis counts.
constexpr std::pair<std::string_view, std::string_view> kCountAxes[] = {{"gpus", "gpu"},
                                                                        {"nodes", "node"},
                                                                        {"cores_per_rank", ""},
                                                                        {"accumulation_steps", ""},
                                                                        {"epochs", "epoch"},
                                                                        {"train_samples", "sample"},
                                                                        {"test_samples", "sample"},
                                                                        {"global_batch", "sample"},
                                                                        {"batch_per_gpu", "sample"},
                                                                        {"repetition", ""}};

const std::string_view* counted_by(std::string_view axis) {
  for (const auto& [name, thing] : kCountAxes) {
    if (name == axis) return &thing;
  }
  return nullptr;
}

/// Returns true if the text contains the mark between two digits.
bool has_in_number(std::string_view text, char mark) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    const auto is_digit = [&](std::size_t i) {
      return i < text.size() && text[i] >= '0' && text[i] <= '9';
    };
    if (at > 0 && is_digit(at - 1) && is_digit(at + 1)) return true;
  }
  return false;
}

/// Returns the separator of a CSV file. The first line that is not a comment determines the
/// separator.
char separator_in(std::string_view text) {
  for (LogLines lines(text); lines.next();) {
    const std::string_view line = base::trimmed(lines.line().text);
    if (!line.empty() && !line.starts_with('#')) return base::csv_separator_of(line);
  }
  return ',';
}

struct MeasureUnit {
  UnitKind kind = UnitKind::count;
  std::string_view thing;
  bool whole = false;
};

MeasureUnit unit_of(Measure measure) {
  switch (measure) {
    case Measure::samples_per_s:
      return {UnitKind::rate, "sample", false};
    case Measure::samples:
    case Measure::rank_samples:
      return {UnitKind::count, "sample", true};
    case Measure::steps:
    case Measure::step:
      return {UnitKind::count, "step", true};
    case Measure::epoch:
      return {UnitKind::count, "epoch", true};
    case Measure::rank:
      return {UnitKind::count, "gpu", true};
    case Measure::train_accuracy:
    case Measure::accuracy:
    case Measure::top5_accuracy:
      return {UnitKind::share, "", false};
    case Measure::warmup:
    case Measure::lr:
    case Measure::loss:
    case Measure::test_loss:
      return {UnitKind::ratio, "", false};
    default:
      return {UnitKind::time, "", false};
  }
}

/// Returns the reason why the unit of a cell does not fit a field, or an empty text if the unit
/// fits. A plain multiple such as "k" fits counts and rates.
std::string misfit_of(const std::string& unit, const std::optional<CellUnit>& known,
                      const MeasureUnit& needed) {
  if (!known) return fmt::format("has an unknown unit \"{}\"", unit);
  if (known->per_gpu)
    return "is a rate of one GPU, but the field needs the rate of all GPUs: "
           "multiply the rate by the number of GPUs";
  const bool is_multiple = known->kind == UnitKind::count && known->thing.empty();
  const bool counts = needed.kind == UnitKind::rate || needed.kind == UnitKind::count;
  if (is_multiple && counts) return "";
  const bool same_thing = known->thing.empty() || known->thing == needed.thing;
  if (known->kind == needed.kind && same_thing) return "";
  return fmt::format("has the unit \"{}\", which this field does not accept", unit);
}

}  // namespace

FieldMarks::FieldMarks(std::string_view text, const MappedFormat& format)
    : stated_(format.decimal) {
  const char separator = format.kind == "csv" ? separator_in(text) : ',';
  if (separator == ';') fallback_ = DecimalMark::open;
  if (separator == '\t') fallback_ = DecimalMark::unknown;
  const bool is_table = format.kind == "csv" || format.kind == "markdown";
  const bool may_be_comma =
      is_table && has_in_number(text, ',') &&
      (format.kind != "csv" || separator != ',' || text.find('"') != text.npos);
  const bool may_be_group = separator == ';' && has_in_number(text, '.');
  if (stated_ != DecimalMark::unknown || (!may_be_comma && !may_be_group)) return;
  const std::unique_ptr<RowReader> reader = make_row_reader(format);
  for (LogLines lines(text); lines.next();) {
    TextRow row;
    if (lines.line().text.size() > kLongestLine) continue;
    if (!reader->read(lines.line().text, row).empty() || row.empty()) continue;
    do {
      for (const auto& [field, value] : row) {
        if (!find_measure(field) && counted_by(field) == nullptr) continue;
        const DecimalMark shown = decimal_mark_of(value);
        for (Shown* one : {&fields_[field], &file_}) {
          one->point = one->point || shown == DecimalMark::point;
          one->comma = one->comma || shown == DecimalMark::comma;
        }
      }
    } while (reader->more(row));
  }
  if (separator == ';' && !file_.point && !file_.comma) look_at_fractions(text);
}

/// Determines the decimal mark of the file from fractions in columns that are not mapped: "0.95"
/// shows a decimal point. Other numbers in such columns are ignored because they may be versions or
/// dates.
void FieldMarks::look_at_fractions(std::string_view text) {
  for (const std::string_view begin : {";0.", ";0,", "\n0.", "\n0,"}) {
    for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
      std::string_view cell = text.substr(at + 1);
      cell = base::trimmed(cell.substr(0, cell.find_first_of(";\r\n")));
      const DecimalMark shown = decimal_mark_of(cell);
      file_.point = file_.point || shown == DecimalMark::point;
      file_.comma = file_.comma || shown == DecimalMark::comma;
    }
  }
}

DecimalMark FieldMarks::only(const Shown& shown) const {
  if (shown.point == shown.comma) {
    return fallback_ == DecimalMark::open ? DecimalMark::open : DecimalMark::unknown;
  }
  return shown.comma ? DecimalMark::comma : DecimalMark::point;
}

DecimalMark FieldMarks::mark_of(const std::string& field) const {
  if (stated_ != DecimalMark::unknown) return stated_;
  const auto found = fields_.find(field);
  const bool own = found != fields_.end() && (found->second.point || found->second.comma);
  if (own) return only(found->second);
  return file_.point || file_.comma ? only(file_) : fallback_;
}

std::string read_measure(Measure measure, std::string_view text, DecimalMark mark, double factor,
                         double& value, double* resolution) {
  const MeasureEntry& entry = measures()[static_cast<std::size_t>(measure)];
  const bool is_loss = measure == Measure::loss || measure == Measure::test_loss;
  const bool is_plain = mark != DecimalMark::comma || text.find('.') == text.npos;
  if (is_loss && is_plain && read_loss(text, value)) {
    value *= factor;
    return "";
  }
  const MeasureUnit needed = unit_of(measure);
  const NumberCell cell = read_number_cell(text, mark, needed.whole);
  const auto wrong = [&](std::string_view why) {
    return why == "is not a number" ? fmt::format("{} is not a number: \"{}\"", entry.name, text)
                                    : fmt::format("{}: \"{}\" {}", entry.name, text, why);
  };
  if (cell.is_ambiguous) {
    return wrong(cell.problem + "; state the decimal mark with --decimal comma or --decimal point");
  }
  if (!cell.problem.empty()) return wrong(cell.problem);
  if (cell.relation == "~")
    return wrong(
        "is an approximate number, but only exact numbers count "
        "as measured");
  if (cell.relation != "=") return wrong("is a bound, but only exact numbers count as measured");
  value = cell.value * factor;
  if (resolution != nullptr) *resolution = 2 * cell.half_place * factor;
  if (cell.unit.empty()) return "";
  const auto unit = parse_cell_unit(cell.unit);
  const std::string misfit = misfit_of(cell.unit, unit, needed);
  if (!misfit.empty()) return wrong(misfit);
  if (unit->factor != 1 && factor != 1) {
    return wrong(
        fmt::format("contains a unit, but --map also multiplies by {}: remove the factor", factor));
  }
  value = cell.value * unit->factor * factor;
  if (resolution != nullptr) *resolution = 2 * cell.half_place * unit->factor * factor;
  if (needed.whole && std::abs(value - std::round(value)) < 1e-6) value = std::round(value);
  return "";
}

std::string axis_text(const std::string& axis, const std::string& text, DecimalMark mark) {
  const std::string_view* const thing = counted_by(axis);
  if (thing == nullptr) return text;
  if (is_blank_cell(text)) return "";
  const NumberCell cell = read_number_cell(text, mark, /*whole=*/true);
  if (!cell.problem.empty() || cell.relation != "=") return text;
  double count = cell.value;
  if (!cell.unit.empty()) {
    const auto unit = parse_cell_unit(cell.unit);
    const bool is_gpus = *thing == "gpu" && unit && unit->kind == UnitKind::ratio;  // "8x": 8 GPUs
    const bool fits = is_gpus || (unit && unit->kind == UnitKind::count &&
                                  (unit->thing.empty() || unit->thing == *thing));
    if (!fits) return text;
    count *= unit->factor;
  }
  const bool is_whole = std::abs(count) < 1e15 && count == std::round(count);
  return is_whole ? fmt::format("{:.0f}", count) : text;
}

}  // namespace dlscale::analysis
