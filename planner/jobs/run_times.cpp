// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/run_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/file.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "contract/run_spec/learning_rate.hpp"
#include "planner/site/resources.hpp"
#include "planner/study/derive.hpp"
#include "planner/study/settings.hpp"
#include "predict/workload.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;

predict::Band StepTimes::unknown(std::string why) {
  if (std::find(notes_.begin(), notes_.end(), why) == notes_.end()) {
    notes_.push_back(std::move(why));
  }
  return {};
}

predict::Band StepTimes::run_s(const contract::RunSpec& run, const Partition* partition,
                               const predict::Measurements& measured, const std::string& site) {
  if (const std::string why = predict::not_modelled(run); !why.empty()) return unknown(why);
  if (!run.mode.empty())
    return unknown("the number of batches of an inference run is not predicted");
  const contract::ModelCard* const card = cards_.card(run);
  if (card == nullptr)
    return unknown("there is no model card of " +
                   contract::model_text(run.model, run.model_options) + " for the data of the run");
  const contract::Calibration& calibration = measured.calibration();
  const predict::Device* const gpu = devices_.gpu_of(partition);
  predict::Hardware here = hardware_of(
      gpu != nullptr ? *gpu : predict::measured_device(calibration, run.precision), partition);
  here.site = site;
  if (std::string why = predict::not_measured_on(calibration, here.device); !why.empty()) {
    return unknown(std::move(why));
  }
  if (predict::times_of(calibration.compute, *card, run.precision).empty()) {
    return unknown(fmt::format("the calibration contains no step time of {} for {} inputs in {}",
                               contract::model_text(run.model, run.model_options),
                               contract::shape_text(card->input), run.precision));
  }
  const auto steps = steps_per_epoch(run);
  if (!steps) {
    return unknown("the size of a data set is unknown (set training.dataset.train_samples)");
  }
  const predict::TrainingModel model = predict::training_model(run, *card, here, &measured);
  const predict::Placement ranks = predict::placement(run.gpus, here.gpus_per_node);
  const predict::Band step_s = predict::step_band(
      model, ranks, {static_cast<double>(run.batch_per_gpu), model.setting.passes});
  if (!std::isfinite(step_s.value)) {
    return unknown(fmt::format(
        "the calibration contains no all-reduce time that applies to {} GPUs on {} nodes",
        ranks.gpus, ranks.nodes));
  }
  if (model.missing.widen(run.gpus)) ++beyond_;
  return predict::scaled(step_s, static_cast<double>(contract::run_steps(run, *steps)));
}

namespace {

/// Setting that a row may name although it is not an axis of the study.
struct CommonSetting {
  const char* name;
  std::string (*value)(const contract::RunSpec& run);
};
constexpr CommonSetting kCommonSettings[] = {
    {"framework", [](const contract::RunSpec& run) { return run.framework; }},
    {"model", [](const contract::RunSpec& run) { return run.model; }},
    {"loader", [](const contract::RunSpec& run) { return run.loader; }},
    {"lr_schedule", [](const contract::RunSpec& run) { return run.lr_schedule.kind; }},
    {"dataset.kind", [](const contract::RunSpec& run) { return run.dataset.kind; }},
    {"precision", [](const contract::RunSpec& run) { return run.precision; }},
    {"batch_per_gpu",
     [](const contract::RunSpec& run) { return std::to_string(run.batch_per_gpu); }},
    {"global_batch", [](const contract::RunSpec& run) { return std::to_string(run.global_batch); }},
    {"accumulation_steps",
     [](const contract::RunSpec& run) { return std::to_string(run.accumulation_steps); }}};

/// Returns the value that a run has for an axis or a setting, as text. Returns nothing if the run
/// has no axis or setting with this name.
std::optional<std::string> value_of(const contract::RunSpec& run, const std::string& key) {
  const auto axis = run.point.find(key);
  if (axis != run.point.end()) return axis->second;
  for (const CommonSetting& setting : kCommonSettings) {
    if (key == setting.name) return setting.value(run);
  }
  return std::nullopt;
}

/// Returns the names that the conditions of a row may use, sorted.
std::vector<std::string> condition_names(const std::vector<contract::Axis>& axes) {
  std::set<std::string> names;
  for (const contract::Axis& axis : axes) names.insert(axis.name);
  for (const CommonSetting& setting : kCommonSettings) names.insert(setting.name);
  return {names.begin(), names.end()};
}

/// Returns how much the scaling efficiencies of published systems differ. Considers only systems
/// whose samples come from the same kind of source (such as files or memory) as the samples of
/// `run`.
predict::PublishedSpread spread_of(const contract::RunSpec& run, const Site& site) {
  return predict::published_spread(predict::sample_source(run), site.name);
}

}  // namespace

Calibration::Calibration(std::string_view text, const std::string& file,
                         const std::vector<contract::Axis>& axes) {
  const config::Node root = config::parse_document(text, file);
  std::vector<std::string> keys{"gpus", "samples_per_s", "parameters.*", "environment.*"};
  for (const Setting& setting : axis_settings()) {
    if (setting.symbol.name != "gpus") keys.push_back(setting.symbol.name);
  }
  const std::vector<std::string> known = condition_names(axes);
  const auto read_row = [&](const config::Item& table) {
    Row row{{0, 0}, {}};
    config::match_keys(table, keys, [&](std::size_t i, const config::Item& item) {
      if (i == 0) row.measured.gpus = static_cast<int>(item.whole(1, config::kMostGpus));
      if (i == 1) row.measured.samples_per_s = item.number(1e-9);
      if (i < 2) return;
      const std::string name = item.key.substr(table.key.size() + 1);
      if (!std::binary_search(known.begin(), known.end(), name)) {
        item.fail(base::unknown_name("axis of the study", name, known));
      }
      row.conditions[name] = config::to_text(item.node);
    });
    if (row.measured.gpus == 0) table.fail("gpus is missing");
    if (row.measured.samples_per_s == 0) table.fail("samples_per_s is missing");
    for (const Row& other : rows_) {
      if (other.says_same(row)) table.fail("another row has the same GPU count and conditions");
    }
    rows_.push_back(std::move(row));
  };
  config::match_keys({root, ""}, {"throughput"}, [&](std::size_t, const config::Item& list) {
    for (const config::Item& table : list.items()) read_row(table);
  });
  if (rows_.empty())
    throw base::SpecError({file}, "throughput", "there is no [[throughput]] row; add at least one");
}

bool Calibration::Row::says_same(const Row& other) const {
  return measured.gpus == other.measured.gpus && conditions == other.conditions;
}

std::optional<predict::ThroughputEstimate> Calibration::throughput(
    const contract::RunSpec& run) const {
  std::vector<predict::Throughput> matching;
  std::size_t most = 0;
  for (const Row& row : rows_) {
    const bool holds = std::all_of(
        row.conditions.begin(), row.conditions.end(),
        [&](const auto& condition) { return value_of(run, condition.first) == condition.second; });
    if (!holds || row.conditions.size() < most) continue;
    if (row.conditions.size() > most) matching.clear();
    most = row.conditions.size();
    matching.push_back(row.measured);
  }
  return predict::throughput_at(std::move(matching), run.gpus);
}

predict::Band run_s_at(const predict::ThroughputEstimate& throughput, const contract::RunSpec& run,
                       const Site& site) {
  const std::int64_t samples =
      run.steps > 0 ? run.steps * run.global_batch : train_samples(run).value_or(0) * run.epochs;
  if (samples == 0) return {};
  const double run_s = static_cast<double>(samples) / throughput.samples_per_s;
  return predict::widened(
      predict::measured_time(run_s),
      predict::missing_cost(spread_of(run, site), throughput.from_gpus, run.gpus));
}

std::string extrapolation_note(int points) {
  return fmt::format(
      "{} outside the measured GPU counts: run times assume that throughput is linear in the "
      "number of GPUs beyond these counts",
      base::count_of(points, "point"));
}

fs::path calibration_file(const ResourceSettings& requested) {
  const config::Node& said = requested.said.at("calibration");
  const bool in_file = said.where.line > 0;  // line 0: the setting comes from the command line
  const fs::path file = requested.calibration;
  return in_file ? fs::path(said.where.file).parent_path() / file : file;
}

bool is_measured(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  // A JSON text begins with {, a TOML text does not.
  return first != text.npos && text[first] == '{';
}

predict::Band RunTimes::of(const contract::RunSpec& run, const ResourceSettings& requested,
                           const Site& site) {
  const predict::Band calibrated =
      requested.calibration.empty() ? predict::Band{} : by_calibration(run, requested, site);
  // The local scheduler sets no time limit unless the study names a calibration. The times of
  // finished runs must not add a time limit, which could end a run too early.
  if (calibrated.value > 0 || site.scheduler == "local") return calibrated;
  const auto finished = finished_.run_s(run, spread_of(run, site));
  if (finished) {
    ++as_finished_;
    if (finished->high > predict::measured_time(finished->value).high) ++beyond_;
  }
  return finished.value_or(predict::Band{});
}

predict::Band RunTimes::by_calibration(const contract::RunSpec& run,
                                       const ResourceSettings& requested, const Site& site) {
  const Named& named = calibration(requested);
  if (const auto* rows = std::get_if<Calibration>(&named)) return by_rows(run, *rows, site);
  return steps_.run_s(run, roomy_partition(site, requested, run.gpus),
                      std::get<predict::Measurements>(named), site.name);
}

const predict::Measurements* RunTimes::measured(const ResourceSettings& requested) {
  if (requested.calibration.empty()) return nullptr;
  return std::get_if<predict::Measurements>(&calibration(requested));
}

predict::Band RunTimes::by_rows(const contract::RunSpec& run, const Calibration& rows,
                                const Site& site) {
  const auto throughput = rows.throughput(run);
  if (!throughput) {
    ++unmatched_;
    return {};
  }
  const predict::Band time_s = run_s_at(*throughput, run, site);
  if (time_s.value <= 0) {
    ++unknown_size_;
  } else if (throughput->extrapolated) {
    ++extrapolated_;
    ++beyond_;
  }
  return time_s;
}

void RunTimes::forget_counts() {
  extrapolated_ = unmatched_ = unknown_size_ = as_finished_ = beyond_ = 0;
  steps_.forget();
}

std::vector<std::string> RunTimes::notes() const {
  std::vector<std::string> lines;
  const auto note = [&](int points, const char* what) {
    if (points > 0) lines.push_back(fmt::format("{} {}", base::count_of(points, "point"), what));
  };
  if (extrapolated_ > 0) lines.push_back(extrapolation_note(extrapolated_));
  if (const int beyond = beyond_ + steps_.beyond_measured(); beyond > 0) {
    lines.push_back(fmt::format(
        "{} outside the GPU counts of measured runs, where the calibration does not cover {}: time "
        "limits are at least the upper edge of the band, which covers 95 % of published systems "
        "(docs/calibration.md); to narrow the band, run on these counts and use dlscale calibrate",
        base::count_of(beyond, "point"), predict::kMissingTerms));
  }
  note(unmatched_, "without a matching row in the calibration: the walltime of the site is used");
  note(unknown_size_,
       "with a data set of unknown size (set training.dataset.train_samples): the walltime of the "
       "site is used");
  note(as_finished_, "with run times taken from finished runs in this folder");
  for (const std::string& why : steps_.notes()) {
    lines.push_back("run times of some points cannot be predicted: " + why);
  }
  return lines;
}

const RunTimes::Named& RunTimes::calibration(const ResourceSettings& requested) {
  const fs::path file = calibration_file(requested);
  const auto known = files_.find(file.string());
  if (known != files_.end()) return known->second;
  std::string text;
  try {
    text = base::read_text_file(file);
  } catch (const base::RunError& error) {
    config::Item{requested.said.at("calibration"), "resources.calibration"}.fail(error.what());
  }
  Named named =
      is_measured(text)
          ? Named(predict::Measurements(contract::calibration_from_json(text, file.string())))
          : Named(Calibration(text, file.string(), axes_));
  return files_.emplace(file.string(), std::move(named)).first->second;
}

}  // namespace dlscale::planner
