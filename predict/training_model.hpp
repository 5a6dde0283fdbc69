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
  /// Flag: nodes are connected by other links than in the measurements. All-reduces between nodes
  /// then follow `network`.
  bool other_link = false;
  /// Name of the site. Bands for a published system leave out the results of this system.
  std::string site;
};

/// Calibration with estimates of times from its measurements.
class Measurements {
 public:
  explicit Measurements(contract::Calibration calibration)
      : calibration_(std::move(calibration)), all_reduces_(calibration_.all_reduce) {}
  const contract::Calibration& calibration() const { return calibration_; }

  /// Returns the estimate for an all-reduce. Returns nothing if no all-reduce was measured, or if
  /// no measurement applies to the placement.
  std::optional<LinkEstimate> all_reduce(Placement ranks, Bytes message) const;
  /// Returns the share of the time of collectives that a framework hid in measured runs.
  /// Predictions never hide a larger share. Uses the placement with the nearest GPU count. Prefers
  /// placements on one node for ranks on one node, and placements on several nodes for other ranks.
  /// Returns nothing if the framework was not measured.
  std::optional<double> hidden_most(const std::string& framework, Placement ranks) const;
  /// Returns the time to wait for a sample and to move it to the device. Returns 0 if this time was
  /// not measured.
  Seconds wait_per_sample(const std::string& loader, const std::string& dataset) const;

 private:
  contract::Calibration calibration_;
  AllReduceTable all_reduces_;
};

/// Likely ranges of real times relative to the roofline and to data sheets. Real times are never
/// shorter.
inline constexpr Factors kRooflineSure{1, 3.5};  // range from docs/prediction.md: what was found
inline constexpr Factors kDataSheetSure{1, 2};

/// Returns the model of the time of `run`. `card` and `measured` must outlive the model. `measured`
/// must come from the device in `hardware`.
/// - Without `measured` the model uses the roofline and data sheets.
/// - Measured steps and kernels apply only to the precision in which they were measured.
/// - If no run shows how much communication is hidden, GPUs hide as much as the backward pass
///   covers. CPUs hide nothing, because the same cores compute, copy and add.
/// - Bands of GPU counts above measured_gpus() include the costs that the model leaves out.
TrainingModel training_model(const contract::RunSpec& run, const contract::ModelCard& card,
                             const Hardware& hardware, const Measurements* measured);

/// Returns the largest GPU count of the runs in a calibration that contain the costs which the
/// model leaves out. Only runs of the same model and framework count. For an input pipeline, the
/// loader and the kind of data must also be the same. Returns 1 if there are no such runs.
/// Benchmarks of all-reduces or kernels are not runs, because they contain neither loading nor
/// stragglers.
int measured_gpus(const contract::RunSpec& run, const contract::ModelCard& card,
                  const contract::Calibration& calibration);

/// Returns a device for a calibration whose device has no known data sheet. The computation has
/// been measured, and FLOPs and bytes only distribute its time among the layers. The memory of the
/// device is 0, because it is not known.
Device measured_device(const contract::Calibration& calibration, const std::string& precision);

/// Returns whether measured_device() made the device. Times of ranks that were not measured cannot
/// be predicted for such a device.
bool is_measured_alone(const Device& device);

/// Returns why the measurements do not apply to a device, as text with the measured device and the
/// given device. Returns an empty text if the measurements apply. The measurements apply in these
/// cases:
/// - The calibration does not name its device.
/// - The name of its device contains a part that the data sheet lists (`match`).
/// - The device is known only from the measurements.
std::string not_measured_on(const contract::Calibration& calibration, const Device& device);

/// Returns why the computation time does not depend on the peak or the memory bandwidth: it comes
/// from measured steps or learned kernels. Returns an empty text if the computation time depends on
/// them.
std::string fixed_rates(const TrainingModel& model);

}  // namespace dlscale::predict
