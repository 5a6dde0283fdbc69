// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/rate_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

namespace dlscale::analysis {
namespace {

constexpr double kTolerance = 0.05;

/// Samples and seconds of the step windows that a figure covers.
struct CoveredWindows {
  double samples = 0, wall_s = 0, mean_rate = 0;
  int first_line = 0, last_line = 0;

  double value(PrintedQuantity quantity) const {
    switch (quantity) {
      case PrintedQuantity::samples_per_s:
        return samples / wall_s;
      case PrintedQuantity::mean_samples_per_s:
        return mean_rate;
      case PrintedQuantity::seconds:
        return wall_s;
      case PrintedQuantity::samples:
        return samples;
    }
    return std::nan("");
  }
};

/// Prefix sums over the step windows with a time, in the order of their steps. A log may print as
/// many figures as it has windows, so the sum over a range of windows must be fast to compute.
class WindowSums {
 public:
  explicit WindowSums(const contract::ResultsFile& file) {
    for (std::size_t i = 0; i < file.records.size(); ++i) {
      const auto* window = std::get_if<contract::StepWindow>(&file.records[i]);
      if (window == nullptr || !(window->wall_s > 0)) continue;
      Entry entry{window->first_step, window->first_step + window->steps, file.record_lines[i]};
      sums_[0].add(*window, true);
      sums_[1].add(*window, !window->warmup);
      entry.up_to = sums_;
      windows_.push_back(entry);
    }
  }

  /// Returns the sums over the windows that lie completely within the range of the figure, or
  /// nothing if there are no such windows.
  std::optional<CoveredWindows> in_range_of(const PrintedFigure& figure) const {
    const auto first = std::lower_bound(
        windows_.begin(), windows_.end(), figure.first_step,
        [](const Entry& window, std::int64_t step) { return window.first_step < step; });
    const auto end = std::upper_bound(
        first, windows_.end(), figure.end_step,
        [](std::int64_t step, const Entry& window) { return step < window.end_step; });
    if (first == end) return std::nullopt;
    const std::size_t kind = figure.has_warmup ? 0 : 1;
    const Sum until = std::prev(end)->up_to[kind];
    const Sum before = first == windows_.begin() ? Sum{} : std::prev(first)->up_to[kind];
    if (!(until.windows > before.windows)) return std::nullopt;
    const auto count = static_cast<double>(until.windows - before.windows);
    return CoveredWindows{until.samples - before.samples, until.wall_s - before.wall_s,
                          (until.rates - before.rates) / count, first->line, std::prev(end)->line};
  }

 private:
  struct Sum {
    std::int64_t windows = 0;
    double samples = 0, wall_s = 0, rates = 0;

    void add(const contract::StepWindow& window, bool counts) {
      if (!counts) return;
      ++windows;
      samples += static_cast<double>(window.samples);
      wall_s += window.wall_s;
      rates += static_cast<double>(window.samples) / window.wall_s;
    }
  };
  struct Entry {
    std::int64_t first_step = 0, end_step = 0;
    int line = 0;
    std::array<Sum, 2> up_to{};  ///< sums over all windows, and over windows without warm-up
  };

  std::array<Sum, 2> sums_{};
  std::vector<Entry> windows_;
};

bool contradicts(const PrintedFigure& figure, double from_windows) {
  const double allowed = kTolerance * figure.value + figure.resolution;
  const bool is_above = from_windows > figure.value + allowed;
  const bool is_below = from_windows < figure.value - allowed;
  if (figure.span == PrintedSpan::same) return is_above || is_below;
  // A longer span has more seconds and fewer samples/s than the windows alone. A shorter span has
  // fewer seconds and more samples/s than the windows.
  const bool is_rate = figure.quantity == PrintedQuantity::samples_per_s ||
                       figure.quantity == PrintedQuantity::mean_samples_per_s;
  const bool windows_must_be_less = is_rate == (figure.span == PrintedSpan::shorter);
  return windows_must_be_less ? is_above : is_below;
}

const char* unit_of(PrintedQuantity quantity) {
  switch (quantity) {
    case PrintedQuantity::samples_per_s:
    case PrintedQuantity::mean_samples_per_s:
      return "samples/s";
    case PrintedQuantity::seconds:
      return "s";
    case PrintedQuantity::samples:
      return "samples";
  }
  return "";
}

const char* span_of(PrintedSpan span) {
  switch (span) {
    case PrintedSpan::same:
      return "for the same steps";
    case PrintedSpan::longer:
      return "for a longer time";
    case PrintedSpan::shorter:
      return "for a shorter time";
  }
  return "";
}

std::string describe(const PrintedFigure& figure, const CoveredWindows& windows, int others) {
  const std::string lines =
      windows.first_line == windows.last_line
          ? fmt::format("line {}", windows.first_line)
          : fmt::format("lines {} to {}", windows.first_line, windows.last_line);
  return fmt::format(
      "line {}: \"{}\" reports {:.6g} {} {}, but the steps that were read give {:.6g} {} ({}). "
      "The two numbers contradict each other by more than 5 %{}, so the run has no rate. Check "
      "the numbers of GPUs and samples that are stated for the run",
      figure.line, figure.name, figure.value, unit_of(figure.quantity), span_of(figure.span),
      windows.value(figure.quantity), unit_of(figure.quantity), lines,
      others > 0 ? fmt::format(", and so do the numbers of {} more such lines", others) : "");
}

/// Removes samples and seconds from all records and keeps steps, losses and evaluations. Either the
/// samples or the seconds are wrong. Both are removed, because it is unknown which of them is
/// wrong.
void remove_rates(contract::ResultsFile& file) {
  const double none = std::nan("");
  for (contract::ResultRecord& record : file.records) {
    if (auto* const window = std::get_if<contract::StepWindow>(&record)) {
      window->wall_s = none;
      window->samples = 0;
      window->parts.fill({none, none, none, none});
    } else if (auto* const epoch = std::get_if<contract::EpochRecord>(&record)) {
      epoch->wall_s = none;
      epoch->samples = 0;
    } else if (auto* const inference = std::get_if<contract::InferenceRecord>(&record)) {
      inference->wall_s = inference->samples_per_s = none;
      inference->latency_s = {none, none, none, none};
    }
  }
}

}  // namespace

void RateCheck::conclude(contract::ResultsFile& file) const {
  struct Contradiction {
    const PrintedFigure* first;
    CoveredWindows windows;
    int others = 0;
  };
  if (figures_.empty() && rejections_.empty()) return;
  const WindowSums sums(file);
  std::map<std::string, Contradiction> found;
  for (const PrintedFigure& figure : figures_) {
    const auto windows = sums.in_range_of(figure);
    if (!windows || !contradicts(figure, windows->value(figure.quantity))) continue;
    const auto [known, is_new] = found.try_emplace(figure.name, Contradiction{&figure, *windows});
    if (!is_new) ++known->second.others;
  }
  for (const auto& [name, one] : found) {
    file.skipped.push_back(describe(*one.first, one.windows, one.others));
  }
  file.skipped.insert(file.skipped.end(), rejections_.begin(), rejections_.end());
  if (!found.empty() || !rejections_.empty()) remove_rates(file);
}

}  // namespace dlscale::analysis
