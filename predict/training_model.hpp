// SPDX-License-Identifier: Apache-2.0
// The model of a run's time, from its description, its hardware and what was measured.
#pragma once

#include <optional>
#include <string>

#include "contract/records/calibration.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "predict/all_reduce_fit.hpp"
#include "predict/scaling_curve.hpp"

namespace dlscale::predict {

/// What a run computes on.
struct Hardware {
  Device device;
  Network network;
  int gpus_per_node = 1;
  /// Nodes are joined otherwise than where all-reduces were measured: several go by `network`.
  bool other_link = false;
  /// Name of the site. Bands for a published system leave out what that system published.
  std::string site;
};

/// A calibration made ready for questions.
class Measurements {
 public:
  explicit Measurements(contract::Calibration calibration)
      : calibration_(std::move(calibration)), all_reduces_(calibration_.all_reduce) {}
  const contract::Calibration& calibration() const { return calibration_; }

  /// Nothing where no all-reduce was measured, or none that says anything of this placement.
  std::optional<LinkEstimate> all_reduce(Placement ranks, Bytes message) const;
  /// The largest share of collectives' time that a framework hid, by the placement nearest in GPUs
  /// of those on one node, or on several, as these ranks are; where there is none, of all. Nothing
  /// where none was measured.
  std::optional<double> hidden_most(const std::string& framework, Placement ranks) const;
  /// Waiting for a sample and moving it; nothing where it was not measured.
  Seconds wait_per_sample(const std::string& loader, const std::string& dataset) const;

 private:
  contract::Calibration calibration_;
  AllReduceTable all_reduces_;
};

/// Nothing is faster than the roofline and the data sheets; this much slower it may be.
inline constexpr Factors kRooflineSure{1, 3.5};  // docs/prediction.md: what was found
inline constexpr Factors kDataSheetSure{1, 2};

/// `card` and `measured`, of this device, must outlive it; without `measured` the roofline and data
/// sheets. Steps and kernels count in the precision that they were measured in alone. Where no run
/// says how much communication is hidden, GPUs hide what the backward pass covers, and CPUs
/// nothing: the cores that compute are those that copy and add up. Bands of counts beyond
/// measured_gpus() hold what the model leaves out.
TrainingModel training_model(const contract::RunSpec& run, const contract::ModelCard& card,
                             const Hardware& hardware, const Measurements* measured);

/// Returns the most GPUs of the runs in a calibration that hold what the model leaves out for runs
/// like this one: runs of its model and framework, and, where it has an input pipeline, of its
/// loader and kind of data. Returns 1 where there are none. Benchmarks of all-reduces or of kernels
/// are no runs: they show neither loading nor stragglers.
int measured_gpus(const contract::RunSpec& run, const contract::ModelCard& card,
                  const contract::Calibration& calibration);

/// A device that the calibration's steps were measured on, of which no data sheet is known: what
/// computes has been measured, and FLOPs and bytes only share it among the layers. Its memory is
/// not known: 0.
Device measured_device(const contract::Calibration& calibration, const std::string& precision);

/// Whether it is such a device, of which nothing follows for ranks that were not measured.
bool is_measured_alone(const Device& device);

/// Why measurements say nothing of a device: what was measured, and the device; empty where they
/// do. They do where the calibration does not name its device, where its name has a part that the
/// device's data sheet lists (`match`), and where the device is known by them alone.
std::string not_measured_on(const contract::Calibration& calibration, const Device& device);

/// Why computing follows no other peak and no other bandwidth of memory: it goes by measured steps
/// or learned kernels. Empty where it does.
std::string fixed_rates(const TrainingModel& model);

}  // namespace dlscale::predict
