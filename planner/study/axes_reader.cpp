// SPDX-License-Identifier: Apache-2.0
#include "planner/study/axes_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "planner/study/settings.hpp"

namespace dlscale::planner {
namespace {

const std::vector<std::string> kKeys{"from", "to", "times", "step", "count", "spacing"};
constexpr double kLargest = 1e15;  // largest bound; doubles represent smaller whole numbers exactly
// Largest accepted amount, in steps, by which the last value may exceed `to` because of rounding.
constexpr double kSlack = 1e-9;

struct Range {
  double from = 0, to = 0;
  std::optional<double> times, step;
  std::optional<std::int64_t> count;
  std::string spacing;
};

double bounded(const config::Item& item) {
  return item.number(-kLargest, kLargest);
}

Range read_range(const config::Item& item) {
  static const std::vector<config::Field<Range>> fields{
      {kKeys[0], [](Range& r, const config::Item& i) { r.from = bounded(i); }},
      {kKeys[1], [](Range& r, const config::Item& i) { r.to = bounded(i); }},
      {kKeys[2], [](Range& r, const config::Item& i) { r.times = i.number(2); }},
      {kKeys[3],
       [](Range& r, const config::Item& i) {
         r.step = bounded(i);
         if (*r.step == 0) i.fail("must not be 0: the range would be endless");
       }},
      {kKeys[4], [](Range& r, const config::Item& i) { r.count = i.whole(2, kMostRangeValues); }},
      {kKeys[5],
       [](Range& r, const config::Item& i) {
         r.spacing = i.one_of("spacing", {"linear", "log"});
       }},
  };
  Range range;
  config::read_fields(item, fields, range);
  return range;
}

void check(const Range& range, const config::Item& item) {
  const auto given = [&](const char* key) {
    return config::find_key(item.table(), key) != nullptr;
  };
  if (!given("from") || !given("to")) item.fail("a range needs the keys \"from\" and \"to\"");
  if (range.times.has_value() + range.step.has_value() + range.count.has_value() != 1) {
    item.fail("a range needs exactly one of the keys \"times\", \"step\" and \"count\"");
  }
  if (!range.spacing.empty() && !range.count)
    item.fail("the key \"spacing\" requires the key \"count\"");
  if (range.from == range.to) item.fail("\"from\" and \"to\" must differ");
  if (range.times && (range.from <= 0 || range.to < range.from)) {
    item.fail("the key \"times\" requires that \"from\" is above 0 and \"to\" is above \"from\"");
  }
  if (range.step && (*range.step > 0) != (range.to > range.from)) {
    item.fail(
        "the sign of \"step\" is wrong: \"step\" must lead from the value of \"from\" to the value "
        "of \"to\"");
  }
  if (range.spacing == "log" && (range.from <= 0 || range.to <= 0)) {
    item.fail("log spacing requires that \"from\" and \"to\" are above 0");
  }
}

/// Returns value(0), value(1), … until `inside` returns false for a value. Throws base::SpecError
/// for more than kMostRangeValues values.
template <class Value, class Inside>
std::vector<double> values_while(const config::Item& item, Value value, Inside inside) {
  std::vector<double> values;
  for (std::int64_t i = 0; inside(value(i)); ++i) {
    if (i == kMostRangeValues)
      item.fail(fmt::format("the range has more than {} values", kMostRangeValues));
    values.push_back(value(i));
  }
  return values;
}

std::vector<double> values_of(const Range& range, const config::Item& item) {
  const double from = range.from, to = range.to;
  if (range.times) {
    return values_while(
        item, [&](std::int64_t i) { return from * std::pow(*range.times, i); },
        [&](double value) { return value <= to * (1 + kSlack); });
  }
  if (range.step) {
    const double step = *range.step;
    return values_while(
        item, [&](std::int64_t i) { return from + static_cast<double>(i) * step; },
        [&](double value) { return (value - to) / step <= kSlack; });
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i + 1 < *range.count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(*range.count - 1);
    values.push_back(range.spacing == "log" ? from * std::pow(to / from, part)
                                            : from + part * (to - from));
  }
  values.push_back(to);
  return values;
}

double rounded(double value) {
  if (value == std::trunc(value)) return value;
  return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

}  // namespace

bool is_range(const config::Node& node) {
  const auto* table = std::get_if<config::Table>(&node.value);
  return table != nullptr && !table->empty() &&
         std::all_of(table->begin(), table->end(), [](const config::Entry& entry) {
           return std::find(kKeys.begin(), kKeys.end(), entry.key) != kKeys.end();
         });
}

config::List range_values(const config::Item& item) {
  const Range range = read_range(item);
  check(range, item);
  std::vector<double> values = values_of(range, item);
  for (double& value : values) value = rounded(value);
  const bool whole = std::all_of(values.begin(), values.end(),
                                 [](double value) { return value == std::trunc(value); });
  config::List nodes;
  for (const double value : values) {
    if (whole) {
      nodes.push_back({static_cast<std::int64_t>(value), item.node.where});
    } else {
      nodes.push_back({value, item.node.where});
    }
  }
  return nodes;
}

namespace {

enum class Repeats { refused, taken };

/// Reader of the values of an axis. Each value is checked in the same way as the value of a setting
/// in [training]. An axis of [matrix] must list each value once. Axes of [[zip]], which vary
/// together, may repeat values.
class ValueReader {
 public:
  ValueReader(const Setting& setting, const Recipe& recipe, Repeats repeats)
      : setting_(setting), scratch_(recipe), repeats_(repeats) {}

  std::vector<config::Node> read(const config::Item& item) {
    std::vector<config::Item> values = item.items();
    const bool one_list = setting_.is_list && !values.empty() &&
                          !std::holds_alternative<config::List>(values.front().node.value);
    if (one_list) values = std::vector<config::Item>{item};
    if (values.empty()) item.fail("the list is empty; give at least one value");
    for (const config::Item& value : values) {
      if (setting_.is_list || !std::holds_alternative<config::Table>(value.node.value)) {
        add(value);
        continue;
      }
      const config::List range = range_values(value);
      for (const config::Node& node : range) {
        // read() throws if the setting accepts only whole numbers.
        if (is_broken(node)) setting_.read(scratch_, {node, value.key});
      }
      for (const config::Node& node : range) add({node, value.key});
    }
    return std::move(nodes_);
  }

 private:
  static bool is_broken(const config::Node& node) {
    const auto* const number = std::get_if<double>(&node.value);
    return number != nullptr && *number != std::trunc(*number);
  }
  void add(const config::Item& value) {
    setting_.read(scratch_, value);
    const std::string text = config::to_text(value.node);
    if (!seen_.insert(text).second && repeats_ == Repeats::refused) {
      value.fail(fmt::format("{} is listed twice", text));
    }
    nodes_.push_back(value.node);
  }

  const Setting& setting_;
  Recipe scratch_;
  Repeats repeats_;
  std::vector<config::Node> nodes_;
  std::unordered_set<std::string> seen_;
};

std::vector<config::Node> read_values(const Setting& setting, const config::Item& item,
                                      const Matrix& matrix, Repeats repeats) {
  return ValueReader(setting, matrix.recipe, repeats).read(item);
}

/// Returns the indices of the values in the list of the axis. Adds missing values to the axis.
std::vector<std::uint32_t> indices_of(const std::vector<config::Node>& values, StudyAxis& axis) {
  std::unordered_map<std::string, std::uint32_t> known;
  for (std::uint32_t i = 0; i < axis.texts.size(); ++i) known.emplace(axis.texts[i], i);
  std::vector<std::uint32_t> indices;
  for (const config::Node& value : values) {
    const auto next = static_cast<std::uint32_t>(axis.texts.size());
    const auto [entry, is_new] = known.emplace(config::to_text(value), next);
    indices.push_back(entry->second);
    if (!is_new) continue;
    axis.texts.push_back(entry->first);
    axis.seen.push_back(seen_value(value));
    axis.values.push_back(value);
  }
  return indices;
}

/// Adds an axis without values and returns its index.
std::size_t add_axis(const Setting& setting, const config::Item& item, Matrix& matrix) {
  matrix.axes.push_back({setting, item.key, {}, {}, {}, item.node.where});
  return matrix.axes.size() - 1;
}

/// Returns the factor of an axis that varies independently of other axes. Each value is a row.
Factor factor_of(std::size_t axis, const std::vector<std::uint32_t>& indices) {
  Factor factor{{axis}, {}};
  for (const std::uint32_t index : indices) factor.rows.push_back({index});
  return factor;
}

/// Returns the rows of axes that vary together. `lists` contains the value indices of each axis.
/// Errors are reported at `item`.
std::vector<std::vector<std::uint32_t>> rows_of(
    const config::Item& item, const std::vector<std::vector<std::uint32_t>>& lists) {
  std::vector<std::vector<std::uint32_t>> rows(lists.front().size());
  for (const auto& list : lists) {
    for (std::size_t i = 0; i < list.size(); ++i) rows[i].push_back(list[i]);
  }
  std::map<std::vector<std::uint32_t>, std::size_t> seen;  // number of each row, from 1
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [first, is_new] = seen.emplace(rows[i], i + 1);
    if (!is_new) item.fail(fmt::format("rows {} and {} are the same", first->second, i + 1));
  }
  return rows;
}

/// Checks that lists of values have the same length, because their axes vary together.
struct FirstLength {
  std::string name;
  std::size_t length = 0;
  void check(const config::Item& item, const std::string& its_name, std::size_t its_length) {
    if (name.empty()) {
      name = its_name;
      length = its_length;
    } else if (its_length != length) {
      item.fail(fmt::format("{} and {} vary together, but have {} and {} values", name, its_name,
                            length, its_length));
    }
  }
};

// Values that an [[include]] gives, by the index of the axis.
using GivenValues = std::map<std::size_t, std::vector<config::Node>>;

/// Returns the factor with the values of an [[include]]. If the [[include]] gives values for all
/// axes of the factor, these values form new rows. Otherwise the result has those rows of the
/// factor that contain the given values.
Factor included(const config::Item& include, const Factor& factor, const GivenValues& given,
                Matrix& matrix) {
  Factor result{factor.axes, {}};
  const bool all = std::all_of(factor.axes.begin(), factor.axes.end(),
                               [&](std::size_t axis) { return given.count(axis) > 0; });
  if (all) {
    std::vector<std::vector<std::uint32_t>> lists;
    FirstLength first;
    for (const std::size_t axis : factor.axes) {
      first.check(include, matrix.axes[axis].name(), given.at(axis).size());
      lists.push_back(indices_of(given.at(axis), matrix.axes[axis]));
    }
    result.rows = rows_of(include, lists);
    return result;
  }
  for (const auto& row : factor.rows) {
    bool matches = true;
    for (std::size_t a = 0; a < row.size(); ++a) {
      const auto wanted = given.find(factor.axes[a]);
      if (wanted == given.end()) continue;
      const std::string& text = matrix.axes[factor.axes[a]].texts[row[a]];
      matches &=
          std::any_of(wanted->second.begin(), wanted->second.end(),
                      [&](const config::Node& node) { return config::to_text(node) == text; });
    }
    if (matches) result.rows.push_back(row);
  }
  if (result.rows.empty()) {
    include.fail(
        "no row of the [[zip]] has these values; to add a row, give values for all of its axes");
  }
  return result;
}

}  // namespace

void read_axes(const config::Item& section, Matrix& matrix) {
  Block product;
  match_settings(section, axis_settings(), [&](const Setting& setting, const config::Item& item) {
    const std::size_t axis = add_axis(setting, item, matrix);
    product.push_back(factor_of(
        axis, indices_of(read_values(setting, item, matrix, Repeats::refused), matrix.axes[axis])));
  });
  matrix.blocks.push_back(std::move(product));
}

void read_zip(const config::Item& zip, Matrix& matrix) {
  Factor factor;
  FirstLength first;
  std::vector<std::vector<std::uint32_t>> lists;
  match_settings(zip, axis_settings(), [&](const Setting& setting, const config::Item& item) {
    if (const StudyAxis* known = find_axis(matrix, setting.symbol.name)) {
      item.fail(fmt::format("is already an axis ({})", known->key));
    }
    std::vector<config::Node> values = read_values(setting, item, matrix, Repeats::taken);
    first.check(item, setting.symbol.name, values.size());
    factor.axes.push_back(add_axis(setting, item, matrix));
    lists.push_back(indices_of(values, matrix.axes.back()));
  });
  if (factor.axes.size() < 2) zip.fail("needs at least two axes");
  factor.rows = rows_of(zip, lists);
  matrix.blocks.front().push_back(std::move(factor));
}

void read_include(const config::Item& include, Matrix& matrix) {
  const auto is_zipped = [&](std::size_t axis) {
    const Block& product = matrix.blocks.front();
    return std::any_of(product.begin(), product.end(), [&](const Factor& factor) {
      return factor.axes.size() > 1 &&
             std::find(factor.axes.begin(), factor.axes.end(), axis) != factor.axes.end();
    });
  };
  std::vector<std::string> names;
  for (const StudyAxis& axis : matrix.axes) names.push_back(axis.name());
  GivenValues given;
  config::match_keys(include, names, [&](std::size_t i, const config::Item& item) {
    given[i] = read_values(matrix.axes[i].setting, item, matrix,
                           is_zipped(i) ? Repeats::taken : Repeats::refused);
  });
  Block block;
  for (const Factor& factor : matrix.blocks.front()) {
    const bool named = std::any_of(factor.axes.begin(), factor.axes.end(),
                                   [&](std::size_t axis) { return given.count(axis) > 0; });
    block.push_back(named ? included(include, factor, given, matrix) : factor);
  }
  matrix.blocks.push_back(std::move(block));
}

}  // namespace dlscale::planner
