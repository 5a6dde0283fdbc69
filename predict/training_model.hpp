// SPDX-License-Identifier: Apache-2.0
// Builds the model of a run's time from the run description, the hardware and measurements.
#pragma once

#include <optional>
#include <string>

#include "contract/records/calibration.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "predict/all_reduce_fit.hpp"
#include "predict/scaling_curve.hpp"

namespace dlscale::predict {

/// Hardware on which a run computes.
struct Hardware {
  Device device;
  Network network;
  int gpus_per_node = 1;
  /// Flag: the links between nodes differ from the links of the measurements. The times of
  /// all-reduces between nodes are then calculated from `network`.
  bool other_link = false;
  /// Name of the site. Bands for a published system leave out the results of this system.
  std::string site;
};

/// Measurements of a calibration, with functions that estimate times from them.
class Measurements {
 public:
  explicit Measurements(contract::Calibration calibration)
      : calibration_(std::move(calibration)), all_reduces_(calibration_.all_reduce) {}
  const contract::Calibration& calibration() const { return calibration_; }

  /// Returns the estimated time of an all-reduce. Returns nothing if no all-reduce was measured, or
  /// if no measurement applies to the placement.
  std::optional<LinkEstimate> all_reduce(Placement ranks, Bytes message) const;
  /// Returns the share of the time of collectives that computation hid in measured runs of
  /// `framework`. Predictions never hide a larger share. The share comes from the measured
  /// placement whose GPU count is nearest to the GPU count of `ranks`. For ranks on one node,
  /// placements on one node are preferred. For ranks on several nodes, placements on several nodes
  /// are preferred. Returns nothing if the framework was not measured.
  std::optional<double> hidden_most(const std::string& framework, Placement ranks) const;
  /// Returns the measured time per sample that a rank waits for the loader and moves the sample to
  /// the device. Returns 0 if this time was not measured.
  Seconds wait_per_sample(const std::string& loader, const std::string& dataset) const;

 private:
  contract::Calibration calibration_;
  AllReduceTable all_reduces_;
};

/// Likely ranges of real times relative to times from the roofline and from data sheets. Real times
/// are never shorter than the times from the roofline and from data sheets.
inline constexpr Factors kRooflineSure{1, 3.5};  // see docs/prediction-model.md, section Bands
inline constexpr Factors kDataSheetSure{1, 2};

/// Returns the model of the time of `run`. `card` and `measured` must outlive the model. `measured`
/// must come from the device in `hardware`, or be null.
/// - If `measured` is null, the model uses the roofline and data sheets.
/// - Measured steps and kernels apply only to the precision in which they were measured.
/// - If no measured run shows how much communication is hidden, GPUs are assumed to hide as much
///   communication as fits into the backward pass. CPUs are assumed to hide nothing, because the
///   same cores compute, copy and add.
/// - The bands of GPU counts above measured_gpus() include the costs that the model leaves out.
TrainingModel training_model(const contract::RunSpec& run, const contract::ModelCard& card,
                             const Hardware& hardware, const Measurements* measured);

/// Returns the largest GPU count at which measurements contain the costs that the model leaves out.
/// Only runs of the same model and framework count. For an input pipeline, the calibration must
/// also contain the loading time of the same loader and kind of data. Returns 1 if there are no
/// such runs. Benchmarks of all-reduces or kernels do not count as runs, because they contain
/// neither loading nor stragglers.
int measured_gpus(const contract::RunSpec& run, const contract::ModelCard& card,
                  const contract::Calibration& calibration);

/// Returns a made-up device for a calibration whose device has no known data sheet. The computation
/// has been measured, so the rates of the device only distribute the measured time among the
/// layers. The memory of the device is 0, because it is not known.
Device measured_device(const contract::Calibration& calibration, const std::string& precision);

/// Returns whether `device` comes from measured_device(). For such a device, times at numbers of
/// ranks that were not measured cannot be predicted.
bool is_measured_alone(const Device& device);

/// Returns why the measurements of a calibration do not apply to a device, as a text that names the
/// measured device and the given device. Returns an empty text if the measurements apply. The
/// measurements apply in these cases:
/// - The calibration does not name its device.
/// - The name of the calibration's device contains one of the texts in `device.match`.
/// - The device comes from measured_device().
std::string not_measured_on(const contract::Calibration& calibration, const Device& device);

/// Returns a text that explains why another peak or memory bandwidth would not change the predicted
/// computation time, which is so if this time comes from measured steps or kernel models. Returns
/// an empty text if the computation time depends on the peak and the memory bandwidth.
std::string fixed_rates(const TrainingModel& model);

}  // namespace dlscale::predict
