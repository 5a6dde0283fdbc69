// SPDX-License-Identifier: Apache-2.0
#include "cli/swept_step.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "predict/workload.hpp"

namespace dlscale::cli {

const SweptQuantity& swept_quantity(const std::string& name) {
  static const std::vector<SweptQuantity> quantities{
      {"peak", "peak_tflops", "peak", "TFLOP/s", 0},
      {"link", "link_gbit_s", "link of a node", "Gbit/s", 0},
      {"gpus", "gpus", "GPUs", "", 0},
      {"batch", "batch_per_gpu", "batch per GPU", "", 0}};
  std::vector<std::string> names;
  for (const SweptQuantity& quantity : quantities) {
    if (quantity.name == name) return quantity;
    names.push_back(quantity.name);
  }
  throw base::UsageError(base::unknown_name("quantity", name, names));
}

predict::StepTime swept_step(const PredictedStudy& study, const PredictedCurve& curve,
                             const std::string& quantity, double value) {
  predict::TrainingModel model = model_of(study, curve);
  int gpus = curve.planned.back();
  double batch = static_cast<double>(curve.first.batch_per_gpu);
  predict::Network network = curve.network;
  if (quantity == "peak") model.computing.rates.peak = predict::teraflops(value);
  if (quantity == "gpus") gpus = static_cast<int>(value);
  if (quantity == "batch") batch = value;
  if (quantity == "link") {
    network.between.bandwidth = predict::gigabits_per_s(value);
    const predict::AllReduce algorithm = predict::all_reduce_of(curve.first);
    model.all_reduce = [network, algorithm](predict::Placement ranks, predict::Bytes message) {
      return predict::LinkEstimate{predict::all_reduce(network, ranks, message, algorithm), {}};
    };
  }
  const int nodes = (gpus - 1) / curve.gpus_per_node + 1;
  if (nodes > 1 && network.between.bandwidth.value <= 0) {
    throw base::UsageError(
        "the link between the nodes of " + study.site +
        " is not known: write link_gbit_s into its partition, or ask with --what-if link=100Gbps");
  }
  return predict::step_at(model, {nodes, gpus}, batch);
}

}  // namespace dlscale::cli
