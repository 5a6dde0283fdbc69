// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include "analysis/cells/cell_unit.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::array<MeasureEntry, kMeasures> kMeasureTable{{
    {"load_wait_s", "seconds of waiting for data"},
    {"h2d_s", "seconds of copying to the device"},
    {"forward_s", "seconds of the forward pass"},
    {"backward_s", "seconds of the backward pass"},
    {"exposed_comm_s", "seconds of communication not hidden by computation"},
    {"optimizer_s", "seconds of the optimizer update"},
    {"bubble_s", "seconds of waiting in a pipeline"},
    {"other_s", "seconds of the step that no other field counts"},
    {"compute_s",
     "seconds of the forward pass, the backward pass and communication together; "
     "counted as other_s"},
    {"wall_s", "seconds of the steps, with all parts"},
    {"elapsed_s", "seconds since the start of the program, from which wall_s is computed"},
    {"samples", "samples of all ranks together"},
    {"rank_samples", "samples of one rank"},
    {"samples_per_s", "samples of all ranks per second"},
    {"steps", "number of optimizer steps that the row covers"},
    {"step", "number of the step that the row describes"},
    {"epoch", "number of the epoch that the row describes"},
    {"rank", "rank that the row describes"},
    {"warmup", "1 if the row includes start-up costs, otherwise 0"},
    {"lr", "learning rate"},
    {"loss", "training loss"},
    {"train_accuracy", "accuracy on the training samples of the epoch, 0 to 1"},
    {"accuracy", "top-1 accuracy on the test set, 0 to 1"},
    {"top5_accuracy", "top-5 accuracy on the test set, 0 to 1"},
    {"test_loss", "loss on the test set"},
}};

std::vector<std::string> measure_names() {
  std::vector<std::string> names;
  for (const MeasureEntry& entry : kMeasureTable) names.emplace_back(entry.name);
  return names;
}

}  // namespace

const std::array<MeasureEntry, kMeasures>& measures() {
  return kMeasureTable;
}

std::optional<Measure> find_measure(std::string_view name) {
  for (std::size_t i = 0; i < kMeasureTable.size(); ++i) {
    if (kMeasureTable[i].name == name) return static_cast<Measure>(i);
  }
  return std::nullopt;
}

namespace {

/// Names of the run fields in imported_run.cpp. These names are valid axes although they may
/// resemble the name of a measure.
constexpr std::string_view kRunNames[] = {"framework",
                                          "model",
                                          "dataset",
                                          "loader",
                                          "precision",
                                          "optimizer",
                                          "lr_schedule",
                                          "gpus",
                                          "nodes",
                                          "cores_per_rank",
                                          "global_batch",
                                          "batch_per_gpu",
                                          "accumulation_steps",
                                          "epochs",
                                          "train_samples",
                                          "test_samples",
                                          "device",
                                          "stop_rule"};

/// Names that other programs give to measures. Names of rates, such as "images_per_sec", need no
/// entry.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"throughput", "samples_per_s"},
    {"speed", "samples_per_s"},
    {"rate", "samples_per_s"},
    {"ips", "samples_per_s"},
    {"time", "wall_s"},
    {"duration", "wall_s"},
    {"step_time", "wall_s"},
    {"iter_time", "wall_s"},
    {"batch_time", "wall_s"},
    {"epoch_time", "wall_s"},
    {"total_time", "elapsed_s"},
    {"iter", "step"},
    {"iteration", "step"},
    {"learning_rate", "lr"},
    {"train_loss", "loss"},
    {"training_loss", "loss"},
    {"val_loss", "test_loss"},
    {"eval_loss", "test_loss"},
    {"validation_loss", "test_loss"},
    {"train_acc", "train_accuracy"},
    {"training_accuracy", "train_accuracy"},
    {"acc", "accuracy"},
    {"top1", "accuracy"},
    {"test_acc", "accuracy"},
    {"val_acc", "accuracy"},
    {"eval_acc", "accuracy"},
    {"test_accuracy", "accuracy"},
    {"val_accuracy", "accuracy"},
    {"valid_accuracy", "accuracy"},
    {"eval_accuracy", "accuracy"},
    {"validation_accuracy", "accuracy"},
    {"top5", "top5_accuracy"}};

/// Returns the measure in kOtherNames, or an empty text.
std::string_view other_name_of_measure(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kOtherNames, [&](const auto& one) { return one.first == name; });
  return found == std::end(kOtherNames) ? std::string_view() : found->second;
}

/// Returns true for names such as "samples_x" and "step1", which begin with the complete name of
/// the measure that they resemble. Such a name is a choice of the user and not a misspelt measure.
bool is_made_of(std::string_view name, std::string_view measure) {
  return name.size() > measure.size() && name.starts_with(measure) &&
         std::isalpha(static_cast<unsigned char>(name[measure.size()])) == 0;
}

}  // namespace

bool is_run_field(std::string_view name) {
  return std::ranges::find(kRunNames, name) != std::end(kRunNames);
}

std::string measure_called(std::string_view name) {
  const std::string_view other = other_name_of_measure(name);
  if (!other.empty()) return std::string(other);
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  const std::optional<CellUnit> unit = parse_cell_unit(words);
  const bool is_rate = unit && unit->kind == UnitKind::rate && unit->thing == "sample";
  return is_rate && !unit->per_gpu ? "samples_per_s" : "";
}

void check_axis_name(const std::string& option, const std::string& name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
  });
  if (!plain) {
    throw base::UsageError(fmt::format(
        "{}: \"{}\" is not a valid name (use letters, digits and . _ - only)", option, name));
  }
  if (const auto measure = find_measure(name)) {
    throw base::UsageError(fmt::format(
        "{0}: {1} is the name of a measured field ({2}): read the field with --map {1}=COLUMN or "
        "a group of --pattern, or choose another name for the axis, for example {1}_axis",
        option, name, kMeasureTable[static_cast<std::size_t>(*measure)].summary));
  }
  const std::string meant = base::nearest(name, measure_names());
  if (meant.empty() || is_run_field(name) || is_made_of(name, meant)) return;
  if (!other_name_of_measure(name).empty()) return;  // misspelt_groups() reports such a name
  throw base::UsageError(fmt::format(
      "{}: {}; to add an axis, choose a name that is less similar to a field, for example my_{}",
      option, base::unknown_name("field", name, measure_names()), name));
}

MappedColumn parse_mapping(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw base::UsageError(
        fmt::format("--map {}: must be FIELD=COLUMN or FIELD=COLUMN*FACTOR", text));
  }
  MappedColumn mapped{text.substr(0, equals), text.substr(equals + 1)};
  const std::size_t times = mapped.column.rfind('*');
  if (times != std::string::npos && times > 0) {
    if (!whole_number(std::string_view(mapped.column).substr(times + 1), mapped.factor) ||
        mapped.factor <= 0) {
      throw base::UsageError(
          fmt::format("--map {}: the factor must be a positive number (got "
                      "\"{}\")",
                      text, mapped.column.substr(times + 1)));
    }
    mapped.column.resize(times);
  }
  if (!find_measure(mapped.field)) {
    check_axis_name("--map", mapped.field);
    if (mapped.factor != 1) {
      throw base::UsageError(fmt::format("--map {}: an axis cannot have a factor", text));
    }
  }
  return mapped;
}

}  // namespace dlscale::analysis
