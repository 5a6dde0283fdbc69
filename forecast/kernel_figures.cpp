// SPDX-License-Identifier: Apache-2.0
#include "forecast/kernel_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::forecast {
namespace {

using analysis::Bounds;
using analysis::Figure;
using analysis::Series;
using contract::KernelModel;

constexpr double kBinPercent = 5;         // width of a bar
constexpr double kMostShownPercent = 50;  // the outermost bars contain larger errors
constexpr double kWhisker = 1.5;          // length of a whisker in lengths of the box (Tukey)

/// Kinds of layers, by the beginnings of the names of their kernels.
struct LayerKind {
  const char* name;
  std::vector<std::string_view> kernels;
};

const std::array<LayerKind, 7>& layer_kinds() {
  static const std::array<LayerKind, 7> all{{{"convolution", {"convolution"}},
                                             {"linear", {"linear"}},
                                             {"pooling", {"max_pool", "avg_pool"}},
                                             {"batch norm", {"batch_norm"}},
                                             {"ReLU and softmax", {"relu", "softmax"}},
                                             {"bias, addition and copy", {"bias", "add", "copy"}},
                                             {"update", {"sgd_", "momentum_", "adam_"}}}};
  return all;
}

/// Returns the index of the kernel's kind, or the number of kinds for an unknown kernel.
std::size_t kind_of_kernel(std::string_view kernel) {
  const auto& kinds = layer_kinds();
  const auto kind = std::ranges::find_if(kinds, [&](const LayerKind& each) {
    return std::ranges::any_of(
        each.kernels, [&](std::string_view beginning) { return kernel.starts_with(beginning); });
  });
  return static_cast<std::size_t>(kind - kinds.begin());
}

std::string label_of(const KernelModel& model) {
  return model.precision == "fp32" ? model.kernel : model.kernel + " " + model.precision;
}

int bins_on_a_side() {
  return static_cast<int>(kMostShownPercent / kBinPercent) + 1;
}

/// Returns the index of the bar that contains an error. The first and the last bar contain all
/// errors beyond the shown range.
std::size_t bin_of(double error) {
  const int side = bins_on_a_side();
  const double bin = std::floor(100 * error / kBinPercent);
  return static_cast<std::size_t>(std::clamp(bin, double(-side), double(side - 1)) + side);
}

std::vector<std::string> bin_names() {
  const int side = bins_on_a_side();
  std::vector<std::string> names{fmt::format("below -{:.0f} %", kMostShownPercent)};
  for (int bin = -side + 1; bin < side - 1; ++bin) {
    names.push_back(fmt::format("{:.0f} to {:.0f} %", bin * kBinPercent, (bin + 1) * kBinPercent));
  }
  names.push_back(fmt::format("from {:.0f} %", kMostShownPercent));
  return names;
}

Figure histogram(const std::vector<const KernelModel*>& models) {
  Figure figure{.title = "Relative errors of the kernel models",
                .subtitle = "estimated / measured - 1 on the held-out sizes of all kernels",
                .x = {.id = "error", .title = "relative error"},
                .y = {.id = "sizes", .title = "number of sizes", .from_zero = true},
                .categories = bin_names()};
  const std::size_t bins = figure.categories.size();
  std::map<std::size_t, std::vector<double>> heights;
  for (const KernelModel* model : models) {
    std::vector<double>& counts = heights[kind_of_kernel(model->kernel)];
    counts.resize(bins);
    for (const double error : model->held_out_errors) ++counts[bin_of(error)];
  }
  for (const auto& [kind, counts] : heights) {
    const auto& kinds = layer_kinds();
    Series part{.label = kind < kinds.size() ? kinds[kind].name : "other kernels", .color = kind};
    for (std::size_t bin = 0; bin < bins; ++bin) {
      part.points.push_back({static_cast<double>(bin), counts[bin], {}});
    }
    figure.series.push_back(std::move(part));
  }
  return figure;
}

/// Adds the box of a kernel to `boxes`, and its errors beyond the whiskers to `outliers`.
void add_box(const KernelModel& model, double x, Series& boxes, Series& outliers) {
  const std::vector<double>& errors = model.held_out_errors;
  const Bounds box{analysis::quantile(errors, 0.25), analysis::quantile(errors, 0.75)};
  const double reach = kWhisker * (box.high - box.low);
  Bounds whiskers{box.low, box.high};
  for (const double error : errors) {
    if (error < box.low - reach || error > box.high + reach) {
      outliers.points.push_back({x, error, {}});
    } else {
      whiskers = {std::min(whiskers.low, error), std::max(whiskers.high, error)};
    }
  }
  boxes.points.push_back({.x = x, .y = analysis::median(errors), .bounds = whiskers, .box = box});
}

Figure box_plots(const std::vector<const KernelModel*>& models) {
  Figure figure{.title = "Relative errors of each kernel model",
                .subtitle = "median, quartiles and range within 1.5 box lengths",
                .x = {.id = "kernel", .title = "kernel"},
                .y = {.id = "relative_error", .title = "estimated / measured - 1"},
                .lines = false,
                .shifted = false};
  Series boxes{.label = "held-out sizes"};
  Series outliers{.label = "errors beyond the whiskers", .mark = 5};
  for (const KernelModel* model : models) {
    const auto x = static_cast<double>(figure.x.words.size());
    figure.x.words.push_back(label_of(*model));
    add_box(*model, x, boxes, outliers);
    figure.notes.push_back(fmt::format("{}: {} sizes, RE {:.1f} %, WRE {:.1f} %", label_of(*model),
                                       model->held_out_errors.size(), 100 * model->relative_error,
                                       100 * model->weighted_relative_error));
  }
  figure.series.push_back(std::move(boxes));
  if (!outliers.points.empty()) figure.series.push_back(std::move(outliers));
  const double last = static_cast<double>(figure.x.words.size()) - 1;
  figure.ideal = Series{.label = "no error", .points = {{0, 0, {}}, {last, 0, {}}}};
  return figure;
}

}  // namespace

std::vector<std::pair<std::string, Figure>> kernel_figures(
    const contract::Calibration& calibration) {
  std::vector<const KernelModel*> models;
  for (const KernelModel& model : calibration.kernel_models) {
    if (!model.held_out_errors.empty()) models.push_back(&model);
  }
  if (models.empty()) return {};
  return {{"kernel-error-histogram", histogram(models)}, {"kernel-error-boxes", box_plots(models)}};
}

}  // namespace dlscale::forecast
