// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::trainer {
namespace {

[[noreturn]] void refuse_value(const std::string& option, const std::string& value,
                               const char* expected) {
  throw base::UsageError(fmt::format("{} {}: expected {}", option, value, expected));
}

}  // namespace

void read_options(const std::vector<std::string>& arguments, const OptionTable& table) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (const auto flag = table.flags.find(argument); flag != table.flags.end()) {
      flag->second();
    } else if (const auto found = table.valued.find(argument); found != table.valued.end()) {
      if (++i == arguments.size()) throw base::UsageError(argument + ": a value is missing");
      found->second(argument, arguments[i]);
    } else if (table.word && !argument.starts_with("-")) {
      table.word(argument);
    } else {
      std::vector<std::string> known;
      for (const auto& [name, set] : table.valued) known.push_back(name);
      for (const auto& [name, set] : table.flags) known.push_back(name);
      throw base::UsageError(base::unknown_name("option", argument, known));
    }
  }
}

int whole_value(const std::string& option, const std::string& value, int least) {
  const std::optional<int> number = base::number_of<int>(value);
  if (number && *number >= least) return *number;
  refuse_value(option, value, fmt::format("a whole number of at least {}", least).c_str());
}

double positive_value(const std::string& option, const std::string& value) {
  const std::optional<double> number = base::number_of<double>(value);
  if (number && *number > 0 && std::isfinite(*number)) return *number;
  refuse_value(option, value, "a number above 0");
}

std::int64_t bytes_value(const std::string& option, const std::string& value) {
  static const std::map<std::string_view, double> units{
      {"", 1},       {"B", 1},      {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},    {"K", 0x1p10},
      {"M", 0x1p20}, {"G", 0x1p30}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
  const std::size_t digits = std::min(value.find_first_not_of("0123456789."), value.size());
  const auto unit = units.find(std::string_view(value).substr(digits));
  const auto number = base::number_of<double>(std::string_view(value).substr(0, digits));
  if (unit != units.end() && number) {
    const double bytes = *number * unit->second;
    if (bytes >= 1 && bytes < 0x1p62) return static_cast<std::int64_t>(bytes);
  }
  refuse_value(option, value, "a number of bytes, such as 4, 8KiB or 256MiB");
}

const std::string& known_value(const std::string& kind, const std::string& value,
                               const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return value;
  throw base::UsageError(base::unknown_name(kind, value, known));
}

std::vector<std::string> words_value(const std::string& option, const std::string& value,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> words;
  for (const std::string_view word : base::split(value, ',')) {
    words.push_back(
        known_value(option.substr(option.find_first_not_of('-')), std::string(word), known));
  }
  return words;
}

std::vector<std::int64_t> counts_value(const std::string& option, const std::string& value,
                                       std::int64_t least) {
  std::vector<std::int64_t> counts;
  for (const std::string_view part : base::split(value, ',')) {
    const auto count = base::number_of<std::int64_t>(part);
    if (!count || *count < least) {
      refuse_value(option, value,
                   fmt::format("comma-separated whole numbers of at least {}", least).c_str());
    }
    counts.push_back(*count);
  }
  return counts;
}

}  // namespace dlscale::trainer
