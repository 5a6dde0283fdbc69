// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/sacct_fields.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "analysis/import/reading/text_scanner.hpp"

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

namespace {

/// Removes the first item of a list from the list, and returns it. Commas within brackets belong to
/// an item.
std::string_view take_item(std::string_view& list) {
  std::size_t end = 0;
  for (int depth = 0; end < list.size() && (depth > 0 || list[end] != ','); ++end) {
    if (list[end] == '[' || list[end] == '(') ++depth;
    if (list[end] == ']' || list[end] == ')') --depth;
  }
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return item;
}

/// Reads what stands behind "gpu" in "gpu:a100:4", "gpu:4", "gpu=4" and "gpu".
GpuRequest read_gpus(std::string_view text, Each each) {
  GpuRequest request{each, 1, true};
  if (text.empty()) return request;
  const std::string_view number = text.substr(text.find_last_of(":=") + 1);
  const bool is_count = number.find_first_not_of("0123456789") == number.npos;
  const bool has_form = text.front() == ':' || text.front() == '=';
  const bool has_kind = text.find_first_of(":=", 1) != text.npos;
  request.is_known = has_form && !number.empty() && (is_count || !has_kind);
  if (is_count && request.is_known) request.count = count_of(number);
  return request;  // "gpu:a100" is one
}

/// Adds the names between brackets: 12 for "01-12", 2 for "1,7".
std::optional<std::int64_t> numbers_in(std::string_view list) {
  std::int64_t sum = 0;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    const std::size_t dash = one.find('-');
    double first = 0, last = 0;
    if (!whole_number(one.substr(0, dash), first)) return std::nullopt;
    last = first;
    if (dash != one.npos && !whole_number(one.substr(dash + 1), last)) return std::nullopt;
    if (last < first || last - first > 1e6) return std::nullopt;
    sum += std::llround(last - first) + 1;
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

/// Number of nodes of one name, which may have several lists of numbers: "rack[1-2]n[01-08]".
std::optional<std::int64_t> nodes_of_name(std::string_view name) {
  std::int64_t product = 1;
  for (std::size_t open = name.find('['); open != name.npos; open = name.find('[')) {
    const std::size_t close = name.find(']', open);
    if (close == name.npos) return std::nullopt;
    const auto numbers = numbers_in(name.substr(open + 1, close - open - 1));
    if (!numbers || *numbers > 1'000'000) return std::nullopt;
    product *= *numbers;
    if (product > 10'000'000) return std::nullopt;
    name.remove_prefix(close + 1);
  }
  return product;
}

}  // namespace

std::vector<GpuRequest> gpu_requests(std::string_view gres) {
  constexpr std::pair<std::string_view, Each> kCounted[] = {
      {"PER_NODE:", Each::node}, {"PER_TASK:", Each::task}, {"PER_JOB:", Each::job}};
  std::vector<GpuRequest> requests;
  while (!gres.empty()) {
    std::string_view one = take_item(gres);
    one = one.substr(0, one.find('('));  // "gpu:4(S:0,1)" names sockets
    Each each = Each::node;
    for (const auto& [word, means] : kCounted) {
      if (!one.starts_with(word)) continue;
      each = means;
      one.remove_prefix(word.size());
    }
    if (one.starts_with("gres:") || one.starts_with("gres/")) one.remove_prefix(5);
    const bool is_gpu =
        one.starts_with("gpu") && (one.size() == 3 || one[3] == ':' || one[3] == '=');
    if (is_gpu) {
      requests.push_back(read_gpus(one.substr(3), each));
    } else if (one.find("gpu") != one.npos) {
      requests.push_back({each, 0, false});
    }
  }
  return requests;
}

std::optional<std::int64_t> count(std::string_view text) {
  constexpr std::string_view kUnits = "KMGTP";
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  if (unit != kUnits.npos) text.remove_suffix(1);
  double number = 0;
  const bool good = unit == kUnits.npos ? whole_number(text, number)
                                        : TextScanner(text).number(number) && !text.empty();
  for (std::size_t i = 0; unit != kUnits.npos && i <= unit; ++i) number *= 1024;
  const bool is_count = good && number >= 0 && number < 1e9 && number == std::round(number);
  return is_count ? std::optional(std::llround(number)) : std::nullopt;
}

std::optional<std::int64_t> nodes_in(std::string_view list) {
  if (list.empty() || list.find(' ') != list.npos || list == "None") return std::nullopt;
  std::int64_t sum = 0;
  while (!list.empty()) {
    const auto nodes = nodes_of_name(take_item(list));
    if (!nodes) return std::nullopt;
    sum += *nodes;
  }
  return sum;
}

}  // namespace dlscale::analysis::sacct
