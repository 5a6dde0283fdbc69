// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/step_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/study/derive.hpp"
#include "predict/workload.hpp"

namespace dlscale::planner {

predict::Band StepTimes::unknown(std::string why) {
  if (std::find(notes_.begin(), notes_.end(), why) == notes_.end()) {
    notes_.push_back(std::move(why));
  }
  return {};
}

predict::Band StepTimes::run_s(const contract::RunSpec& run, const Partition* partition,
                               const predict::Measurements& measured, const std::string& site) {
  if (const std::string why = predict::not_modelled(run); !why.empty()) return unknown(why);
  const contract::ModelCard* const card = cards_.card(run);
  if (card == nullptr) return unknown("there is no card of " + run.model + " on its data");
  const contract::Calibration& calibration = measured.calibration();
  const predict::Device* const gpu = devices_.gpu_of(partition);
  predict::Hardware here = hardware_of(
      gpu != nullptr ? *gpu : predict::measured_device(calibration, run.precision), partition);
  here.site = site;
  if (std::string why = predict::not_measured_on(calibration, here.device); !why.empty()) {
    return unknown(std::move(why));
  }
  if (predict::times_of(calibration.compute, *card, run.precision).empty()) {
    return unknown(fmt::format("the calibration has no step of {} on {} in {}", run.model,
                               contract::shape_text(card->input), run.precision));
  }
  const auto steps = steps_per_epoch(run);
  if (!steps) {
    return unknown("a data set is of unknown size (set training.dataset.train_samples)");
  }
  const predict::TrainingModel model = predict::training_model(run, *card, here, &measured);
  const predict::Placement ranks = predict::placement(run.gpus, here.gpus_per_node);
  const predict::Band step_s = predict::step_band(
      model, ranks, {static_cast<double>(run.batch_per_gpu), model.setting.passes});
  if (!std::isfinite(step_s.value)) {
    return unknown(
        fmt::format("the calibration has no all-reduce that says anything of {} GPUs "
                    "on {} nodes",
                    ranks.gpus, ranks.nodes));
  }
  if (model.missing.widen(run.gpus)) ++beyond_;
  return predict::scaled(step_s, static_cast<double>(*steps) * run.epochs);
}

}  // namespace dlscale::planner
