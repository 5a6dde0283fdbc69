// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/imported_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <map>
#include <optional>

#include "analysis/import/mapped/row_reader.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

void add_unknown_model(MergedAxes& axes, const ImportRecord& record,
                       const std::filesystem::path& above) {
  const bool is_of_model = !record.mapped.kind.empty() || format_of(record).of_model;
  if (!is_of_model || !axes.source_of("model").empty()) return;
  const std::filesystem::path path = std::filesystem::path(record.path).lexically_relative(above);
  axes.add("its path", {{kUnknownModel, path.generic_string()}});
}

std::string unknown_model_warning(const std::vector<ImportedRun>& runs,
                                  const ImportedPlan& before) {
  std::map<std::string, std::string> logs;  // log names as the user wrote them, by axis value
  bool any = false;
  for (const ImportedRun& run : runs) {
    const auto known = run.spec.point.find(kUnknownModel);
    if (known == run.spec.point.end()) continue;
    logs[known->second] = run.shown;
    any = true;
  }
  for (const contract::PlannedRun& run : before.runs) {
    const auto known = run.point.find(kUnknownModel);
    if (known != run.point.end()) logs.emplace(known->second, known->second);
  }
  if (!any || logs.size() < 2) return "";
  return fmt::format(
      "the model of {} logs is unknown (the first is {}): they form separate curves and are not "
      "treated as repetitions. State the model with --set model=NAME, --axis 'model=REGEX' or a "
      "column of --table",
      logs.size(), logs.begin()->second);
}

namespace {

/// Command recorded for an imported run in place of a training command.
constexpr const char* kCommand = "(collected from a log)";
constexpr std::size_t kLongestName = 50;

/// Writes "_" for each character that a folder name cannot contain, and truncates the name to
/// kLongestName bytes.
std::string plain_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) {
        return c >= 128 || (std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-');
      },
      '_');
  if (name.starts_with('.') || name.starts_with('-')) name.insert(0, "_");
  return name.substr(0, kLongestName);
}

class Describer {
 public:
  Describer(const MergedAxes& axes, const std::string& log) : axes_(axes), log_(log) {}

  std::string name(const char* axis) const {
    const auto found = axes_.values().find(axis);
    return found == axes_.values().end() ? "" : plain_name(found->second);
  }

  /// Sets `value` to the count that a source states for an axis, or to `otherwise` if no source
  /// states the count. Throws base::UsageError if the value is not a whole number of at least 1.
  template <class Integer>
  void count(const char* axis, Integer& value, Integer otherwise) const {
    const auto found = axes_.values().find(axis);
    value = otherwise;
    if (found == axes_.values().end()) return;
    const auto number = base::number_of<std::int64_t>(found->second);
    if (!number || *number < 1 || *number > INT_MAX) {
      throw base::UsageError(
          fmt::format("{}: {} is \"{}\" according to {}; it must be a whole number of at least 1",
                      log_, axis, found->second, axes_.source_of(axis)));
    }
    value = static_cast<Integer>(*number);
  }

 private:
  const MergedAxes& axes_;
  const std::string& log_;
};

std::string device_of(const std::string& said) {
  if (said.empty()) return "cpu";  // keep_what_is_said() removes this placeholder
  return base::lower(said) == "cpu" ? "cpu" : "cuda";
}

bool is_kind_of_device(const std::string& said) {
  const std::string name = base::lower(said);
  return name.empty() || name == "cpu" || name == "gpu" || name == "cuda";
}

}  // namespace

contract::RunSpec imported_run(const std::string& study, const MergedAxes& axes,
                               const std::string& log) {
  const Describer said(axes, log);
  contract::RunSpec run;
  run.study = study;
  run.framework = said.name("framework");
  run.model = said.name("model");
  run.loader = said.name("loader");
  run.dataset.kind = said.name("dataset");
  run.precision = said.name("precision");
  run.lr_schedule.kind = said.name("lr_schedule");
  run.optimizer.kind = said.name("optimizer");
  run.last_batch.clear();
  run.lr.base = run.lr.peak = 0;
  said.count("gpus", run.gpus, 1);
  said.count("nodes", run.resources.nodes, 1);
  said.count("cores_per_rank", run.resources.cores_per_rank, 1);
  said.count("accumulation_steps", run.accumulation_steps, 1);
  said.count("epochs", run.epochs, 0);
  said.count("train_samples", run.dataset.train_samples, std::int64_t{0});
  said.count("test_samples", run.dataset.test_samples, std::int64_t{0});
  const std::int64_t ranks = std::int64_t{run.gpus} * run.accumulation_steps;
  std::int64_t global_batch = 0;
  said.count("global_batch", global_batch, std::int64_t{0});
  said.count("batch_per_gpu", run.batch_per_gpu, std::max<std::int64_t>(1, global_batch / ranks));
  run.global_batch = run.batch_per_gpu * ranks;
  run.resources.device = device_of(said.name("device"));
  run.trainer.command = kCommand;
  run.point = run.parameters = axes.values();
  return run;
}

void keep_what_is_said(contract::RunSpec& run) {
  const auto global_batch = run.point.find("global_batch");
  const bool said = global_batch != run.point.end();
  if (said)
    run.global_batch =
        base::number_of<std::int64_t>(global_batch->second).value_or(run.global_batch);
  if (!run.point.contains("batch_per_gpu")) {
    const std::int64_t shares =
        std::max<std::int64_t>(1, std::int64_t{run.gpus} * run.accumulation_steps);
    if (!said) run.global_batch = 0;
    // Without equal batches on all GPUs, the batch per GPU is unknown.
    if (!said || run.global_batch % shares != 0) run.batch_per_gpu = 0;
  }
  const auto device = run.point.find("device");
  if (device == run.point.end()) {
    run.resources.device.clear();
  } else if (is_kind_of_device(device->second)) {
    run.resources.device = base::lower(device->second);
  }
  if (!run.point.contains("cores_per_rank")) run.resources.cores_per_rank = 0;
}

int stated_repetition(const std::string& text, const std::string& log) {
  double number = 0;
  const bool is_one = read_number(text, number) && number >= 1 && number < 1e6 &&
                      number == static_cast<int>(number);
  if (is_one) return static_cast<int>(number);
  throw base::UsageError(
      fmt::format("{}: repetition is \"{}\"; it must be a whole number of at least 1", log, text));
}

std::string device_name(const contract::RunSpec& run) {
  for (const char* axis : {"gpu", "device"}) {
    const auto said = run.point.find(axis);
    if (said != run.point.end() && !is_kind_of_device(said->second)) return said->second;
  }
  return "";
}

}  // namespace dlscale::analysis
