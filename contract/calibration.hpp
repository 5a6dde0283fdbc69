// SPDX-License-Identifier: Apache-2.0
// What was measured of a device and its links, for predictions: `dlscale-train --bench-comm` and
// `--bench-kernels` write it, `dlscale calibrate` makes it of other programs' output.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

inline constexpr int kCalibrationVersion = 1;

/// Time of one all-reduce: of the slowest rank, the middle of several.
struct AllReduceTime {
  /// Ranks that are connected alike, so that times of one count say something of another:
  /// "nvswitch", "pcie", "ib-hdr x4"; empty: not known, and no other count follows from it.
  std::string topology;
  int nodes = 1;
  int gpus = 1;            ///< ranks, all nodes together
  std::int64_t bytes = 0;  ///< of the vector that each rank has
  double seconds = 0;
  double low_s = 0;  ///< 95 % interval of `seconds`; 0, 0: not known
  double high_s = 0;
  int repetitions = 0;  ///< 0: not known
  bool operator==(const AllReduceTime&) const = default;
};

/// Time of one kernel of a layer on the device.
struct KernelTime {
  std::string
      kernel;  ///< "convolution_forward", "convolution_backward_filter", "batch_norm_forward"
  std::map<std::string, double> size;  ///< what it was called with: "b", "c_in", "h_in", "kernel"
  std::string precision = "fp32";
  double seconds = 0;  ///< mean of `repetitions` calls
  double deviation_s = 0;
  int repetitions = 0;
  bool operator==(const KernelTime&) const = default;
};

/// Fully connected: outputs = weights x inputs + biases.
struct DenseWeights {
  std::vector<double> weights;  ///< a row of inputs for each output, one after the other
  std::vector<double> biases;   ///< as many as outputs
  bool operator==(const DenseWeights&) const = default;
};

/// A learned time: ln(seconds) of ln(sizes), both normalised; ReLU between layers.
struct KernelModel {
  std::string kernel;
  std::string precision = "fp32";
  std::vector<std::string> inputs;                  ///< keys of KernelTime::size, in order
  std::vector<double> input_mean, input_deviation;  ///< of their logarithms
  double output_mean = 0, output_deviation = 1;
  std::vector<double> input_least, input_most;  ///< the sizes it was taught with
  std::vector<DenseWeights> layers;
  double relative_error = 0;           ///< mean of |estimated / measured - 1| of sizes held out
  double weighted_relative_error = 0;  ///< mean |estimated - measured| / mean measured, of the same
  int taught_with = 0;                 ///< sizes
  bool operator==(const KernelModel&) const = default;
};

/// Measured step of a model on one device, without communication.
struct ComputeTime {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::int64_t batch = 0;
  double forward_s = 0, backward_s = 0, optimizer_s = 0;
  double deviation_s = 0;  ///< of the whole step, from step to step
  int steps = 0;           ///< measured
  bool operator==(const ComputeTime&) const = default;
};

struct Calibration {
  int schema_version = kCalibrationVersion;
  std::string device;        ///< as the environment names it: "NVIDIA A100-SXM4-40GB"
  std::string communicator;  ///< nccl, mpi, thread
  std::string source;        ///< command, or file and program that it was ingested from
  std::map<std::string, std::string> made_with;
  std::vector<AllReduceTime> all_reduce;
  std::vector<KernelTime> kernels;
  std::vector<KernelModel> kernel_models;
  std::vector<ComputeTime> compute;
  bool operator==(const Calibration&) const = default;
};

/// Sorted keys, a line for each measurement, final newline.
std::string to_json(const Calibration& calibration);
/// Throws base::SpecError: what is missing, of a wrong type, of a newer version, not positive, or
/// of layers that do not fit together. `file` is only named.
Calibration calibration_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
