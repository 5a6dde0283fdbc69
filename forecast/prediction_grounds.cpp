// SPDX-License-Identifier: Apache-2.0
#include "forecast/prediction_grounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "forecast/curve_labels.hpp"

namespace dlscale::forecast {
namespace {

/// What computation rests on where no step was measured.
std::string unmeasured_computation(const PredictedStudy& study) {
  const bool learned =
      study.measured != nullptr && !study.measured->calibration().kernel_models.empty();
  return (learned
              ? "learned kernels, within a quarter, where they know nearly all of a model; else "
                "the roofline of "
              : "the roofline of ") +
         study.curves.front().hardware.device.title + ", 1 to 3.5 times its time";
}

/// Of which all-reduces were measured; 0: of none.
int most_gpus_measured(const PredictedStudy& study) {
  int most = 0;
  if (study.measured == nullptr) return most;
  for (const contract::AllReduceTime& time : study.measured->calibration().all_reduce) {
    most = std::max(most, time.gpus);
  }
  return most;
}

/// How much wider bands are for what the model leaves out, and from which count on.
std::string width_of(const predict::MissingTerms& missing, predict::SampleSource source,
                     const std::string& site) {
  const bool reads = source == predict::SampleSource::input_pipeline;
  std::string note = fmt::format(
      "low and high beyond {}: also what published systems lost for such reasons, of those with {} "
      "95 % at most {:.0f} % of a step's time more for each doubling of the GPUs",
      missing.measured_gpus == 1 ? "1 GPU"
                                 : fmt::format("the {} GPUs measured", missing.measured_gpus),
      reads ? "an input pipeline" : "data in memory", 100 * (std::exp(missing.spread.loss) - 1));
  if (predict::is_published_system(site)) {
    note += fmt::format("; {} is such a system, and is left out of them", site);
  }
  return note;
}

}  // namespace

std::vector<std::string> missing_terms_notes(const PredictedStudy& study) {
  std::vector<std::string> notes;
  for (const PredictedCurve& curve : study.curves) {
    const predict::MissingTerms missing = model_of(study, curve).missing;
    const bool widened = std::any_of(curve.over_gpus.begin(), curve.over_gpus.end(),
                                     [&](const auto& at) { return missing.widen(at.ranks.gpus); });
    if (!widened) continue;
    if (std::string note = width_of(missing, predict::sample_source(curve.first), study.site);
        std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  }
  if (notes.empty()) return notes;
  notes.insert(notes.begin(), std::string("not in the model: ") + predict::kMissingTerms);
  notes.emplace_back(
      "what would help: runs on these GPU counts, read by dlscale calibrate (docs/prediction.md)");
  return notes;
}

std::vector<std::string> grounds(const PredictedStudy& study) {
  bool measured = false, scatter = false;
  for (const PredictedCurve& curve : study.curves) {
    for (const contract::ComputeTime& time : measured_steps(study, curve)) {
      measured = true;
      if (time.deviation_s > 0) scatter = true;
    }
  }
  std::vector<std::string> notes;
  notes.push_back(measured
                      ? "computation: measured steps, layers shared out by the roofline; "
                        "where none was measured, " +
                            unmeasured_computation(study)
                      : "computation: " + unmeasured_computation(study) + "; no step was measured");
  notes.emplace_back(
      study.measured == nullptr || study.measured->calibration().all_reduce.empty()
          ? "all-reduce: latency and bandwidth of data sheets, 1 to 2 times that; none was measured"
          : "all-reduce: measured, interpolated; on other GPU counts by latency and bandwidth of "
            "one topology");
  const bool loads = study.measured != nullptr && !study.measured->calibration().loading.empty();
  notes.emplace_back(scatter ? "waiting for the slowest rank: by how far measured steps are apart, "
                               "none to 3 times that"
                             : "waiting for the slowest rank: not in it, no measured steps say how "
                               "far they are apart");
  notes.emplace_back(std::string("low and high: all of these in quadrature; epoch and GPU-hours "
                                 "in proportion to the step; loading of data is ") +
                     (loads ? "as measured" : "not in it"));
  for (std::string& note : missing_terms_notes(study)) notes.push_back(std::move(note));
  notes.insert(notes.end(), study.notes.begin(), study.notes.end());
  return notes;
}

std::string basis_of_memory(const predict::HeldMemory& held) {
  if (held.runs == 0) return "card";
  std::string basis = fmt::format("card, {}", base::count_of(held.runs, "run"));
  if (held.other_models > 0) {
    basis += " of " + base::count_of(held.other_models, "other model");
  }
  return basis;
}

std::vector<std::string> grounds_of_memory(const PredictedStudy& study) {
  std::vector<std::string> notes;
  for (const PredictedCurve& curve : study.curves) {
    const predict::HeldMemory& held = curve.held;
    const predict::Device& device = curve.hardware.device;
    if (device.memory.value <= 0 || held.runs == 0) continue;
    const predict::Bytes start = is_of_process(curve) ? device.context : held.beyond.start;
    std::string note =
        fmt::format("{}: beyond the card's sum {:.0f} MiB{}", curve.first.model,
                    start / predict::kMebibyte, start == held.beyond.start ? "" : " as asked for");
    if (held.beyond.of_activations > 0) {
      note += fmt::format(" and {:.2f} of the activations", held.beyond.of_activations);
    }
    note += fmt::format("; {}, within {:.1f} % of what these held", basis_of_memory(held),
                        100 * held.relative_error);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  }
  notes.insert(
      notes.begin(),
      fmt::format("fits: the sum with {:.0f} % more is no more than the device has; "
                  "workspace of kernels and communicators is {}",
                  predict::kMemoryMargin * 100,
                  notes.empty() ? "not in the sum" : "in the sum where runs were measured"));
  return notes;
}

std::vector<std::string> notes_of_distance(const PredictedStudy& study,
                                           const PredictedCurve& curve) {
  const std::vector<predict::CurvePoint>& points = curve.over_gpus;
  std::vector<std::string> notes;
  std::set<double> far, known;
  for (const predict::CurvePoint& point : points) {
    if (point.extrapolated) far.insert(point.batch_per_gpu);
  }
  if (!far.empty()) {
    for (const contract::ComputeTime& time : measured_steps(study, curve)) {
      known.insert(static_cast<double>(time.batch));
    }
    notes.push_back(fmt::format(
        "{}: batches of {:g} a GPU are far from those measured ({:g}): computing within a "
        "quarter at best",
        label_of(study, curve), fmt::join(far, ", "), fmt::join(known, ", ")));
  }
  const int most = most_gpus_measured(study);
  const auto beyond = std::find_if(points.begin(), points.end(), [&](const auto& point) {
    return most > 0 && point.ranks.gpus > kFarthestMeasured * most;
  });
  if (beyond != points.end()) {
    notes.push_back(
        fmt::format("from {} GPUs on: more than {} times the {} that all-reduces were measured on; "
                    "such times are a guess until more are measured",
                    beyond->ranks.gpus, kFarthestMeasured, most));
  }
  return notes;
}

}  // namespace dlscale::forecast
