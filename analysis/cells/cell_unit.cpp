// SPDX-License-Identifier: Apache-2.0
#include "analysis/cells/cell_unit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

struct NamedFactor {
  std::string_view name;
  double factor;
};

/// Names of units of time, with the number of seconds in each.
constexpr NamedFactor kTimes[] = {{"s", 1},        {"sec", 1},
                                  {"secs", 1},     {"second", 1},
                                  {"seconds", 1},  {"ms", 1e-3},
                                  {"msec", 1e-3},  {"us", 1e-6},
                                  {"usec", 1e-6},  {"ns", 1e-9},
                                  {"min", 60},     {"mins", 60},
                                  {"minute", 60},  {"minutes", 60},
                                  {"h", 3600},     {"hr", 3600},
                                  {"hrs", 3600},   {"hour", 3600},
                                  {"hours", 3600}, {"day", 86400},
                                  {"days", 86400}, {"milliseconds", 1e-3}};

constexpr double kKi = 1024;
constexpr NamedFactor kBytes[] = {{"B", 1},
                                  {"kB", 1e3},
                                  {"KB", 1e3},
                                  {"MB", 1e6},
                                  {"GB", 1e9},
                                  {"TB", 1e12},
                                  {"KiB", kKi},
                                  {"MiB", kKi* kKi},
                                  {"GiB", kKi* kKi* kKi},
                                  {"TiB", kKi* kKi* kKi* kKi}};

constexpr std::pair<std::string_view, std::string_view> kThings[] = {
    {"image", "sample"}, {"img", "sample"},      {"sample", "sample"},   {"token", "sample"},
    {"tok", "sample"},   {"seq", "sample"},      {"sequence", "sample"}, {"example", "sample"},
    {"ex", "sample"},    {"item", "sample"},     {"record", "sample"},   {"frame", "sample"},
    {"word", "sample"},  {"pair", "sample"},     {"sentence", "sample"}, {"clip", "sample"},
    {"step", "step"},    {"iter", "step"},       {"iteration", "step"},  {"it", "step"},
    {"batch", "step"},   {"batche", "step"},     {"epoch", "epoch"},     {"gpu", "gpu"},
    {"device", "gpu"},   {"accelerator", "gpu"}, {"chip", "gpu"},        {"rank", "gpu"},
    {"node", "node"}};

template <std::size_t kSize>
const NamedFactor* find_factor(const NamedFactor (&list)[kSize], std::string_view name) {
  const auto* const found = std::find_if(std::begin(list), std::end(list),
                                         [&](const NamedFactor& one) { return one.name == name; });
  return found == std::end(list) ? nullptr : found;
}

/// Returns the base name of the thing that a word counts, such as "sample" for "image" and
/// "images". Returns an empty text for an unknown word.
std::string_view thing_of(std::string_view name) {
  const std::string word = base::lower(name);
  for (const auto& [known, thing] : kThings) {
    if (word == known || word == std::string(known) + "s") return thing;
  }
  return {};
}

/// Parses the unit of a count, such as "k", "images", "kimages" and "k images".
std::optional<CellUnit> parse_count(std::string_view text) {
  constexpr NamedFactor kMultiples[] = {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
  if (const std::string_view thing = thing_of(text); !thing.empty()) {
    return CellUnit{UnitKind::count, 1, std::string(thing), false};
  }
  const NamedFactor* const multiple = find_factor(kMultiples, text.substr(0, 1));
  if (multiple == nullptr) return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with(' ')) text.remove_prefix(1);
  const std::string_view thing = thing_of(text);
  if (thing.empty() && !text.empty()) return std::nullopt;
  return CellUnit{UnitKind::count, multiple->factor, std::string(thing), false};
}

/// Splits a unit such as "images per second / GPU" into its parts "images", "second" and "GPU".
std::vector<std::string> parts_of(std::string_view text) {
  std::string plain(text);
  for (std::size_t at = plain.find(" per "); at != plain.npos; at = plain.find(" per ", at)) {
    plain.replace(at, 5, "/");
  }
  std::vector<std::string> parts;
  for (const std::string_view part : base::split(plain, '/')) {
    parts.emplace_back(base::trimmed(part, " "));
  }
  return parts;
}

/// Parses the parts of the unit of a rate, such as "images/s", "images/s/GPU" and "images/GPU/s". A
/// unit such as "/s" does not name what is counted.
std::optional<CellUnit> parse_rate(const std::vector<std::string>& parts) {
  auto counted = parts[0].empty() ? std::optional(CellUnit{}) : parse_count(parts[0]);
  if (!counted || parts.size() > 3) return std::nullopt;
  const NamedFactor* time = nullptr;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view thing = thing_of(parts[i]);
    if (thing == "gpu" || thing == "node") {
      counted->per_gpu = true;
    } else if (time != nullptr || (time = find_factor(kTimes, base::lower(parts[i]))) == nullptr) {
      return std::nullopt;
    }
  }
  if (time == nullptr) return std::nullopt;
  return CellUnit{UnitKind::rate, counted->factor / time->factor, counted->thing, counted->per_gpu};
}

}  // namespace

std::optional<CellUnit> parse_cell_unit(std::string_view text) {
  const std::string word = base::lower(text);
  if (word == "%" || word == "percent") return CellUnit{UnitKind::share, 0.01, "", false};
  if (word == "x" || word == "times") return CellUnit{UnitKind::ratio, 1, "", false};
  if (word == "fps") return CellUnit{UnitKind::rate, 1, "sample", false};
  const std::vector<std::string> parts = parts_of(text);
  if (parts.size() > 1) return parse_rate(parts);
  if (const NamedFactor* const bytes = find_factor(kBytes, text)) {
    return CellUnit{UnitKind::bytes, bytes->factor, "", false};
  }
  if (const NamedFactor* const time = find_factor(kTimes, word); time != nullptr && text != "S") {
    return CellUnit{UnitKind::time, time->factor, "", false};
  }
  return parse_count(text);
}

}  // namespace dlscale::analysis
