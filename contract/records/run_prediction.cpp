// SPDX-License-Identifier: Apache-2.0
#include "contract/records/run_prediction.hpp"

#include <cmath>

#include "base/text.hpp"
#include "contract/json/codec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, PredictedValue& p) {
  v.required("value", p.value);
  v.required("low", p.low);
  v.required("high", p.high);
}

template <class Visitor>
void visit_fields(Visitor& v, RunPrediction& p) {
  v.required("point_id", p.point_id);
  v.required("time", p.time);
  v.required("gpus", p.gpus);
  v.optional("basis", p.basis);
  v.sparse("calibration", p.calibration);
  v.sparse("step_s", p.step_s);
  v.sparse("samples_per_s", p.samples_per_s);
  v.sparse("epoch_s", p.epoch_s);
  v.sparse("efficiency", p.efficiency);
  v.sparse("memory_bytes", p.memory_bytes);
  v.sparse("run_s", p.run_s);
  v.sparse("loading_s", p.loading_s);
  v.sparse("computation_s", p.computation_s);
  v.sparse("communication_s", p.communication_s);
  v.sparse("main_kernels_s", p.main_kernels_s);
  v.sparse("exposed_communication_s", p.exposed_communication_s);
  v.sparse("trainable_parameters", p.trainable_parameters);
  v.sparse("train_samples", p.train_samples);
  v.sparse("mode", p.mode);
}

namespace {

bool can_be(const PredictedValue& p) {
  return std::isfinite(p.value) && p.value >= 0 && p.low <= p.high;
}

bool can_be(const RunPrediction& p) {
  for (const PredictedValue* value :
       {&p.step_s, &p.samples_per_s, &p.epoch_s, &p.efficiency, &p.memory_bytes, &p.run_s}) {
    if (!can_be(*value)) return false;
  }
  for (const double part : {p.loading_s, p.computation_s, p.communication_s, p.main_kernels_s,
                            p.exposed_communication_s}) {
    if (!std::isfinite(part) || part < 0) return false;
  }
  if (p.trainable_parameters < 0 || p.train_samples < 0) return false;
  return p.gpus >= 1 && !p.point_id.empty();
}

}  // namespace

bool says_same(RunPrediction a, const RunPrediction& b) {
  a.time = b.time;
  return a == b;
}

std::string to_json_line(const RunPrediction& prediction) {
  return codec::to_text(prediction, codec::kOneLine);
}

PredictionsFile parse_predictions(std::string_view text) {
  PredictionsFile file;
  codec::Document document;
  for (const std::string_view line : base::lines_of(text)) {
    if (line.empty()) continue;
    try {
      auto prediction = codec::read_object<RunPrediction>(line, "", document);
      if (can_be(prediction)) {
        file.predictions.push_back(std::move(prediction));
      } else {
        ++file.skipped;
      }
    } catch (const base::SpecError&) {
      ++file.skipped;
    }
  }
  return file;
}

}  // namespace dlscale::contract
