// SPDX-License-Identifier: Apache-2.0
#include "forecast/measured_throughputs.hpp"

#include "analysis/metrics/scaling/curve.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::forecast {

MeasuredThroughputs::MeasuredThroughputs(const analysis::Frame& frame, const Describe& describe)
    : is_strong_(frame.scaling == "strong") {
  for (const analysis::ScalingCurve& curve : analysis::scaling_curves(frame)) {
    if (!curve.mixed.empty()) continue;
    for (const analysis::CurvePoint& point : curve.points) {
      const analysis::RunRow& run = *point.repeats.front();
      if ((is_strong_ ? run.global_batch : run.batch_per_gpu) <= 0) continue;
      const auto description = describe(run.run_id);
      if (!description) continue;
      Measured& measured = measured_[key_of(*description)];
      measured.throughputs.push_back({point.gpus, analysis::throughput(point).value});
      const auto code = run.conditions.find("code");
      if (code != run.conditions.end()) measured.code.insert(code->second);
    }
  }
}

std::optional<predict::ThroughputEstimate> MeasuredThroughputs::of(
    const contract::RunSpec& run) const {
  const Measured* const measured = find(run);
  if (measured == nullptr) return std::nullopt;
  return predict::throughput_at(measured->throughputs, run.gpus);
}

std::set<std::string> MeasuredThroughputs::code_of(const contract::RunSpec& run) const {
  const Measured* const measured = find(run);
  return measured == nullptr ? std::set<std::string>{} : measured->code;
}

MeasuredThroughputs::Key MeasuredThroughputs::key_of(const contract::RunSpec& run) const {
  return {contract::work_hash(run), is_strong_ ? run.global_batch : run.batch_per_gpu};
}

const MeasuredThroughputs::Measured* MeasuredThroughputs::find(const contract::RunSpec& run) const {
  const auto found = measured_.find(key_of(run));
  return found == measured_.end() ? nullptr : &found->second;
}

}  // namespace dlscale::forecast
