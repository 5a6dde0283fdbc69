// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/formats/sacct_fields.hpp"

#include <chrono>

#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis::sacct {
namespace {

/// Calls `take(name, value)` for each "name=value" between commas.
template <class Take>
void each_resource(std::string_view tres, Take take) {
  while (!tres.empty()) {
    const std::string_view one = tres.substr(0, tres.find(','));
    const std::size_t equals = one.find('=');
    if (equals != one.npos) take(one.substr(0, equals), one.substr(equals + 1));
    tres.remove_prefix(one.size() < tres.size() ? one.size() + 1 : one.size());
  }
}

std::int64_t count_of(std::string_view text) {
  TextScanner scanner(text);
  std::int64_t count = 0;
  return scanner.integer(count) && count > 0 && count < 100'000'000 ? count : 0;
}

}  // namespace

std::optional<double> duration(std::string_view text) {
  std::int64_t days = 0;
  if (const std::size_t dash = text.find('-'); dash != text.npos) {
    TextScanner scanner(text.substr(0, dash));
    if (!scanner.integer(days) || !scanner.rest().empty() || days < 0) return std::nullopt;
    text.remove_prefix(dash + 1);
  }
  double total = 0;
  for (int parts = 1;; ++parts) {
    const std::string_view part = text.substr(0, text.find(':'));
    double value = 0;
    if (parts > 3 || !whole_number(part, value) || value < 0 || value >= 1e9) return std::nullopt;
    total = 60 * total + value;
    if (part.size() == text.size()) {
      if (parts < 2) return std::nullopt;
      return 86400 * static_cast<double>(days) + total;
    }
    text.remove_prefix(part.size() + 1);
  }
}

std::optional<double> clock_time(std::string_view text) {
  namespace ch = std::chrono;
  TextScanner scanner(text);
  std::int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool good = scanner.integer(year) && scanner.skip("-") && scanner.integer(month) &&
                    scanner.skip("-") && scanner.integer(day) && scanner.skip("T") &&
                    scanner.integer(hour) && scanner.skip(":") && scanner.integer(minute) &&
                    scanner.skip(":") && scanner.integer(second);
  const bool small = year >= 1970 && year < 10'000 && month >= 1 && month <= 12 && day >= 1 &&
                     day <= 31 && hour >= 0 && hour < 25 && minute >= 0 && minute < 60;
  if (!good || !small || second < 0 || second > 60) return std::nullopt;
  const ch::year_month_day date{ch::year(static_cast<int>(year)),
                                ch::month(static_cast<unsigned>(month)),
                                ch::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto days = ch::sys_days(date).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) +
         static_cast<double>(3600 * hour + 60 * minute + second);
}

std::string_view known_time(std::string_view text) {
  const bool is_unknown = text == "Unknown" || text == "None" || text == "N/A";
  return is_unknown ? std::string_view() : text;
}

std::optional<double> energy(std::string_view text) {
  TextScanner scanner(text);
  double joules = 0;
  if (!scanner.number(joules) || joules < 0) return std::nullopt;
  const std::string_view rest = scanner.rest();
  constexpr std::string_view kUnits = "KMGTP";
  const std::size_t unit = rest.size() == 1 ? kUnits.find(rest.front()) : kUnits.npos;
  if (unit == kUnits.npos && !rest.empty()) return std::nullopt;
  for (std::size_t i = 0; unit != kUnits.npos && i <= unit; ++i) joules *= 1000;
  return joules;
}

std::optional<Memory> memory(std::string_view text, double unit_bytes) {
  TextScanner scanner(text);
  Memory found;
  if (!scanner.number(found.bytes) || found.bytes < 0) return std::nullopt;
  std::string_view rest = scanner.rest();
  constexpr std::string_view kUnits = "KMGTP";
  const std::size_t unit = rest.empty() ? kUnits.npos : kUnits.find(rest.front());
  if (unit != kUnits.npos) rest.remove_prefix(1);
  if (unit == kUnits.npos) found.bytes *= unit_bytes;
  for (std::size_t i = 0; unit != kUnits.npos && i <= unit; ++i) found.bytes *= 1024;
  if (!rest.empty() && (rest.front() == 'c' || rest.front() == 'n')) {
    found.each = rest.front();
    rest.remove_prefix(1);
  }
  return rest.empty() && found.bytes < 1e18 ? std::optional(found) : std::nullopt;
}

std::optional<std::string_view> resource(std::string_view tres, std::string_view name) {
  std::optional<std::string_view> found;
  each_resource(tres, [&](std::string_view own, std::string_view value) {
    if (own == name) found = value;
  });
  return found;
}

std::optional<std::int64_t> gpus_of(std::string_view tres) {
  if (tres.empty()) return std::nullopt;
  if (const auto all = resource(tres, "gres/gpu")) return count_of(*all);
  std::int64_t sum = 0;
  each_resource(tres, [&](std::string_view name, std::string_view value) {
    if (name.starts_with("gres/gpu:")) sum += count_of(value);
  });
  return sum;
}

std::optional<std::int64_t> gpus_of_gres(std::string_view gres) {
  if (gres.empty()) return std::nullopt;
  std::int64_t sum = 0;
  while (!gres.empty()) {
    std::string_view one = gres.substr(0, gres.find(','));
    gres.remove_prefix(one.size() < gres.size() ? one.size() + 1 : one.size());
    one = one.substr(0, one.find('('));
    if (one.starts_with("gpu:")) sum += count_of(one.substr(one.rfind(':') + 1));
  }
  return sum;
}

}  // namespace dlscale::analysis::sacct
