// SPDX-License-Identifier: Apache-2.0
#include "forecast/saved_predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "contract/run_spec/run_id.hpp"
#include "planner/jobs/run_times.hpp"
#include "predict/workload.hpp"
#include "workspace/resources.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

std::string calibration_text(const std::string& file) {
  try {
    return base::read_text_file(file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

NamedCalibration made_ready(const std::string& text, const std::string& file) {
  return {
      std::make_shared<const predict::Measurements>(contract::calibration_from_json(text, file)),
      contract::sha256_hex(text)};
}

}  // namespace

NamedCalibration read_calibration(const std::string& file) {
  return made_ready(calibration_text(file), file);
}

NamedCalibration calibration_of(const planner::Study& study) {
  const planner::ResourceSettings& requested = study.matrices.front().resources;
  if (requested.calibration.empty()) return {};
  const std::string file = planner::calibration_file(requested).string();
  const std::string text = calibration_text(file);
  return planner::is_measured(text) ? made_ready(text, file) : NamedCalibration{};
}

namespace {

contract::PredictedValue kept(const predict::Band& band, double scale = 1) {
  return {band.value * scale, band.low * scale, band.high * scale};
}

std::string basis_of(const StudyPrediction& study, const PredictedCurve& curve) {
  const predict::TrainingModel model = model_of(study, curve);
  const bool links = study.measured != nullptr && !study.measured->calibration().all_reduce.empty();
  const char* const unmeasured =
      model.computing.kernels.empty() ? "roofline" : "learned kernels or roofline";
  return std::string(model.computing.measured.empty() ? unmeasured : "measured steps") +
         (links ? ", measured all-reduces" : ", links of data sheets") +
         (curve.held.runs > 0 ? ", measured memory" : "");
}

/// Predicts the memory of a rank at a point so that it can be compared with recorded memory. On
/// GPUs, the predicted memory is that of the allocator without the context. On CPUs, it is the
/// resident memory of the process, which cannot be predicted from a card alone.
contract::PredictedValue memory_at(const PredictedCurve& curve, const predict::CurvePoint& point) {
  const predict::Device& device = curve.hardware.device;
  const bool by_card = device.memory.value > 0 && !is_of_process(curve);
  if (!by_card && curve.held.runs == 0) return {};
  if (!predict::memory_not_modelled(curve.first).empty()) return {};
  const int gpus = point.ranks.gpus;
  const int passes = predict::share_at(curve.shares, curve.strong, gpus).passes;
  const predict::Bytes context = is_of_process(curve) ? device.context : predict::Bytes{};
  const predict::MemoryParts parts = predict::peak_memory(
      curve.card, point.batch_per_gpu, memory_setting_at(curve, gpus, passes), context);
  const double bytes = parts.total().value;
  const double error = curve.held.uncertainty(parts.activations);
  return {bytes, bytes * (1 - error), bytes * (1 + error)};
}

contract::RunPrediction prediction_of(const PredictedCurve& curve,
                                      const predict::CurvePoint& point) {
  contract::RunPrediction prediction{.gpus = point.ranks.gpus};
  prediction.step_s = kept(point.step_s);
  prediction.samples_per_s = kept(predict::throughput(point));
  prediction.efficiency = kept(point.efficiency);
  prediction.memory_bytes = memory_at(curve, point);
  const predict::StepTime& step = point.step;
  prediction.loading_s = step.load_wait.value;
  prediction.computation_s = (step.forward + step.backward + step.optimizer).value;
  prediction.communication_s = step.communication.value;
  prediction.main_kernels_s = step.main_kernels.value;
  prediction.exposed_communication_s = (step.exposed_comm + step.slowest_wait).value;
  prediction.trainable_parameters = curve.card.parameters;
  prediction.mode = curve.first.mode;
  // Records of inference contain neither epochs nor a training time.
  if (curve.samples > 0 && curve.first.mode.empty()) {
    prediction.epoch_s = kept(point.epoch_s);
    prediction.run_s = kept(point.run_s);
    prediction.train_samples = curve.samples;
  }
  return prediction;
}

}  // namespace

std::vector<contract::RunPrediction> run_predictions(const StudyPrediction& study,
                                                     const std::string& calibration, double now) {
  std::vector<contract::RunPrediction> predictions;
  for (const PredictedCurve& curve : study.curves) {
    const std::string basis = basis_of(study, curve);
    for (const auto& [gpus, point_id] : curve.points) {
      const auto point =
          std::find_if(curve.over_gpus.begin(), curve.over_gpus.end(),
                       [count = gpus](const auto& each) { return each.ranks.gpus == count; });
      if (point == curve.over_gpus.end()) continue;
      contract::RunPrediction prediction = prediction_of(curve, *point);
      prediction.point_id = point_id;
      prediction.time = now;
      prediction.basis = basis;
      prediction.calibration = calibration;
      predictions.push_back(std::move(prediction));
    }
  }
  return predictions;
}

KeptPredictions keep_predictions(const std::vector<contract::RunPrediction>& predictions,
                                 const contract::PlanDir& folder) {
  std::map<std::string, std::string, std::less<>>
      planned;  // id of each point in the folder, by the hash in the id
  for (const contract::PlannedRun& run : contract::read_plan(folder).runs) {
    const std::string id = contract::point_id(run.run_id);
    planned.emplace(contract::point_hash(id), id);
  }
  std::map<std::string, contract::RunPrediction> last;
  std::error_code unreadable;
  if (fs::exists(folder.predictions(), unreadable)) {
    for (auto& prediction :
         contract::parse_predictions(base::read_file(folder.predictions())).predictions) {
      last[prediction.point_id] = std::move(prediction);
    }
  }
  KeptPredictions kept;
  std::optional<base::LineAppender> file;
  for (contract::RunPrediction prediction : predictions) {
    const auto named = planned.find(contract::point_hash(prediction.point_id));
    if (named == planned.end()) {
      ++kept.foreign;
      continue;
    }
    prediction.point_id = named->second;
    const auto known = last.find(prediction.point_id);
    if (known != last.end() && says_same(known->second, prediction)) {
      ++kept.known;
      continue;
    }
    if (!file) file.emplace(folder.predictions());
    file->append(contract::to_json_line(prediction));
    ++kept.written;
  }
  return kept;
}

std::string to_text(const KeptPredictions& kept, const contract::PlanDir& folder) {
  std::string text = fmt::format("{} saved in {}", base::count_of(kept.written, "prediction"),
                                 folder.predictions().string());
  if (kept.known > 0) text += fmt::format(", {} saved before", kept.known);
  if (kept.foreign > 0) {
    text +=
        fmt::format(", {} skipped, because the plan does not contain their points", kept.foreign);
  }
  return text + "\n";
}

std::string keep_planned(const planner::Planning& planning, const contract::PlanDir& folder,
                         double now) {
  const NamedCalibration calibration = calibration_of(planning.study);
  if (calibration.measured == nullptr) return "";
  const fs::path share = workspace::share_folder();
  constexpr int kPlannedOnly = 0;
  try {
    const StudyPrediction study = predict_study(planning, {share / "cards", share / "devices"}, {},
                                                calibration.measured, kPlannedOnly);
    return to_text(keep_predictions(run_predictions(study, calibration.digest, now), folder),
                   folder);
  } catch (const base::UsageError&) {
    // No step could be predicted. Notes of the plan give the reason.
    return "";
  }
}

}  // namespace dlscale::forecast
