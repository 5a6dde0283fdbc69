// SPDX-License-Identifier: Apache-2.0
#include "forecast/hardware_override.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::forecast {
namespace {

using predict::Bytes;
using predict::BytesPerSecond;
using predict::FlopPerSecond;
using predict::Seconds;

struct Unit {
  const char* name;
  double factor;
};
constexpr Unit kRates[] = {{"Gbps", 1e9 / 8}, {"Gbit/s", 1e9 / 8}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit kTimes[] = {{"us", 1e-6}, {"ms", 1e-3}};
constexpr Unit kPeaks[] = {{"TFLOPS", 1e12}, {"TFLOP/s", 1e12}, {"PFLOPS", 1e15}};
constexpr Unit kSizes[] = {
    {"GiB", 1024.0 * 1024 * 1024}, {"GB", 1e9}, {"MiB", 1024.0 * 1024}, {"MB", 1e6}};

const std::vector<std::string> kKeys{"gpu",    "link",     "latency", "peak",
                                     "memory", "capacity", "context"};

/// Returns the positive number at the beginning of the text, and how many characters the number
/// has. Returns {0, 0} if the text does not begin with a positive number.
std::pair<double, std::size_t> positive_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value) || value <= 0) return {0, 0};
  return {value, static_cast<std::size_t>(rest - text.data())};
}

template <std::size_t n>
double with_unit(const std::string& word, const std::string& text, const Unit (&units)[n]) {
  const auto [value, length] = positive_number(text);
  for (const Unit& unit : units) {
    if (length > 0 && text.substr(length) == unit.name) return value * unit.factor;
  }
  std::vector<std::string> names;
  for (const Unit& unit : units) names.emplace_back(unit.name);
  throw base::UsageError(
      fmt::format("{}: expected a number above 0 with a unit ({})", word, fmt::join(names, ", ")));
}

void read_word(const std::string& word, HardwareOverride& what) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    throw base::UsageError(
        fmt::format("--what-if {}: expected key=value, for example link=400Gbps", word));
  }
  const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  const std::string shown = "--what-if " + word;
  if (key == "gpu") {
    if (value.empty())
      throw base::UsageError(shown + ": expected the name of a device in devices/");
    what.gpu = value;
  } else if (key == "link") {
    what.link = BytesPerSecond{with_unit(shown, value, kRates)};
  } else if (key == "latency") {
    what.latency = Seconds{with_unit(shown, value, kTimes)};
  } else if (key == "peak") {
    what.peak = FlopPerSecond{with_unit(shown, value, kPeaks)};
  } else if (key == "memory") {
    what.memory = BytesPerSecond{with_unit(shown, value, kRates)};
  } else if (key == "capacity") {
    what.capacity = Bytes{with_unit(shown, value, kSizes)};
  } else if (key == "context") {
    what.context = Bytes{with_unit(shown, value, kSizes)};
  } else {
    throw base::UsageError("--what-if: " + base::unknown_name("key", key, kKeys));
  }
}

/// Default values of sweeps. They come from the figures of the PyDTNN study if the study states
/// values for the quantity. The memory bandwidths cover GPUs from the K80 to the B200.
const std::vector<Sweep>& usual_sweeps() {
  static const std::vector<Sweep> sweeps{
      {"peak", {5, 10, 20, 30, 50, 75, 100, 156, 200, 300}},
      {"memory", {200, 400, 600, 900, 1200, 1555, 2000, 3000, 5000, 8000}},
      {"link", {1, 10, 30, 50, 100, 200, 400, 800}},
      {"gpus", {1, 2, 4, 8, 16, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096}},
      {"batch", {16, 32, 64, 128, 256}}};
  return sweeps;
}

Sweep with_values(Sweep sweep, const std::string& word, const std::string& list) {
  sweep.values.clear();
  const bool counts = sweep.name == "gpus" || sweep.name == "batch";
  for (const std::string_view part : base::split(list, ',')) {
    const auto [value, length] = positive_number(part);
    if (length == 0 || length != part.size() || (counts && value != std::floor(value))) {
      throw base::UsageError(fmt::format("--sweep {}: \"{}\" must be a {} above 0", word, part,
                                         counts ? "whole number" : "number"));
    }
    sweep.values.push_back(value);
  }
  std::sort(sweep.values.begin(), sweep.values.end());
  return sweep;
}

}  // namespace

HardwareOverride read_hardware_override(const std::vector<std::string>& words) {
  HardwareOverride what;
  for (const std::string& word : words) {
    for (const std::string_view part : base::split(word, ',')) {
      read_word(std::string(part), what);
    }
  }
  return what;
}

std::string override_text(const HardwareOverride& what) {
  std::vector<std::string> parts;
  if (!what.gpu.empty()) parts.push_back("gpu " + what.gpu);
  if (what.link) parts.push_back(fmt::format("link {:g} Gbit/s", what.link->value * 8e-9));
  if (what.latency) parts.push_back(fmt::format("latency {:g} us", what.latency->value * 1e6));
  if (what.peak) parts.push_back(fmt::format("peak {:g} TFLOP/s", what.peak->value * 1e-12));
  if (what.memory) parts.push_back(fmt::format("memory {:g} GB/s", what.memory->value * 1e-9));
  if (what.capacity) {
    parts.push_back(fmt::format("capacity {:g} GiB", *what.capacity / predict::kGibibyte));
  }
  if (what.context) {
    parts.push_back(fmt::format("context {:g} MiB", *what.context / predict::kMebibyte));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<Sweep> read_sweeps(const std::vector<std::string>& words) {
  std::vector<Sweep> sweeps;
  const auto put = [&](const Sweep& sweep) {
    const auto had = std::find_if(sweeps.begin(), sweeps.end(),
                                  [&](const Sweep& each) { return each.name == sweep.name; });
    if (had == sweeps.end()) {
      sweeps.push_back(sweep);
    } else {
      *had = sweep;
    }
  };
  std::vector<std::string> names{"all"};
  for (const Sweep& usual : usual_sweeps()) names.push_back(usual.name);
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (word == "all") {
      std::for_each(usual_sweeps().begin(), usual_sweeps().end(), put);
      continue;
    }
    const auto usual = std::find_if(usual_sweeps().begin(), usual_sweeps().end(),
                                    [&](const Sweep& sweep) { return sweep.name == name; });
    if (usual == usual_sweeps().end()) {
      throw base::UsageError("--sweep: " + base::unknown_name("quantity", name, names));
    }
    put(equals == std::string::npos ? *usual : with_values(*usual, word, word.substr(equals + 1)));
  }
  return sweeps;
}

}  // namespace dlscale::forecast
