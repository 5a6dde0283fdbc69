// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/step_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/study/derive.hpp"
#include "predict/workload.hpp"

namespace dlscale::planner {

double StepTimes::unknown(std::string why) {
  if (std::find(notes_.begin(), notes_.end(), why) == notes_.end()) {
    notes_.push_back(std::move(why));
  }
  return 0;
}

predict::Hardware StepTimes::hardware(const contract::RunSpec& run, const Partition* partition,
                                      const predict::Measurements& measured) {
  predict::Hardware hardware;
  const predict::Device* const named = devices_.gpu_of(partition);
  hardware.device =
      named != nullptr ? *named : predict::measured_device(measured.calibration(), run.precision);
  hardware.network.inside = hardware.device.peer;
  hardware.gpus_per_node = partition == nullptr || partition->gpus_per_node == 0
                               ? std::numeric_limits<int>::max() / 2
                               : partition->gpus_per_node;
  if (partition != nullptr && partition->link_gbit_s > 0) {
    constexpr double kUsualHop_us = 14;  // nccl/src/graph/tuning.cc, a ring over a network
    hardware.network.between.bandwidth = predict::gigabits_per_s(partition->link_gbit_s);
    hardware.network.between.latency = predict::microseconds(
        partition->link_latency_us > 0 ? partition->link_latency_us : kUsualHop_us);
  }
  return hardware;
}

double StepTimes::run_s(const contract::RunSpec& run, const Partition* partition,
                        const predict::Measurements& measured) {
  if (const std::string why = predict::not_modelled(run); !why.empty()) return unknown(why);
  const contract::ModelCard* const card = cards_.card(run);
  if (card == nullptr) return unknown("there is no card of " + run.model + " on its data");
  const predict::Hardware here = hardware(run, partition, measured);
  const contract::Calibration& calibration = measured.calibration();
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
  const predict::Placement ranks{(run.gpus - 1) / here.gpus_per_node + 1, run.gpus};
  const double step_s =
      predict::step_at(model, ranks, static_cast<double>(run.batch_per_gpu)).total().value;
  if (!std::isfinite(step_s)) {
    return unknown(
        fmt::format("the calibration has no all-reduce that says anything of {} GPUs "
                    "on {} nodes",
                    ranks.gpus, ranks.nodes));
  }
  return step_s * static_cast<double>(*steps) * run.epochs;
}

}  // namespace dlscale::planner
