// SPDX-License-Identifier: Apache-2.0
// What was measured of a device and its links, for predictions: `dlscale-bench comm` and
// `dlscale-bench kernels` write it, `dlscale calibrate` makes it of other programs' output.
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
  double seconds = 0;  ///< of a call: the middle of `repetitions` measurements
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
  int ranks_on_node = 0;   ///< that computed at the same time, this one counted; 0: this one alone
  std::string framework;   ///< of the runs; empty: not known
  bool operator==(const ComputeTime&) const = default;
};

/// How the replicas of a framework exchanged gradients in runs that were measured.
struct ExchangeTime {
  std::string framework;
  int nodes = 1;
  int gpus = 1;
  double hidden = 0;  ///< share of the time of collectives beside which ranks computed, the middle
  double hidden_low = 0;  ///< 95 % interval, or the range where runs are few
  double hidden_high = 0;
  int runs = 0;
  bool operator==(const ExchangeTime&) const = default;
};

/// How long a rank waited for its data and for moving them to the device.
struct LoadTime {
  std::string loader;
  std::string dataset;
  double seconds_per_sample = 0;  ///< of a rank, the middle
  double low_s = 0;               ///< 95 % interval, or the range where runs are few
  double high_s = 0;
  int runs = 0;
  bool operator==(const LoadTime&) const = default;
};

/// The most memory that a rank held in runs that were measured, and what its card has of it.
struct MemoryPeak {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::string framework;
  /// What it computed on, and so whose memory it is: "cpu": a process' resident memory, with its
  /// code and its data; else what a GPU's allocator had reserved, without the process' context.
  std::string device = "cpu";
  std::string loader;
  std::string dataset;
  int gpus = 1;                  ///< ranks, all nodes together
  std::int64_t batch = 0;        ///< of a rank
  double peak_memory_bytes = 0;  ///< of the largest rank; the middle of `runs`
  double card_bytes = 0;         ///< by the card and the settings of these runs, see predict/memory
  double activations_bytes = 0;  ///< of card_bytes, at the moment when they are most
  int runs = 0;
  bool operator==(const MemoryPeak&) const = default;
};

/// A value with what it may be: 95 % by the t distribution of the fit's residuals.
struct FittedValue {
  double value = 0;
  double low = 0;
  double high = 0;
  bool operator==(const FittedValue&) const = default;
};

/// A ring's latency and time per byte through measured all-reduces of one placement and one range
/// of sizes: 2(P-1)α + 2((P-1)/P)nβ. Adding up goes with the bytes, so that β holds γ/2.
struct AllReduceFit {
  std::string topology;
  int nodes = 1;
  int gpus = 1;
  std::int64_t least_bytes = 0;
  std::int64_t most_bytes = 0;
  FittedValue latency_s;         ///< α, of a hop
  FittedValue seconds_per_byte;  ///< β
  /// γ by the byte: what reduce-scatter takes longer than all-gather; 0: not measured.
  FittedValue sum_s_per_byte;
  double relative_error = 0;  ///< root mean square of fitted / measured - 1
  int points = 0;
  bool operator==(const AllReduceFit&) const = default;
};

/// A pass of a model over the batch: start + batch x per sample.
struct ComputeFit {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::string pass;  ///< forward, backward
  int ranks_on_node = 1;
  FittedValue start_s;
  FittedValue seconds_per_sample;
  double relative_error = 0;
  int points = 0;
  bool operator==(const ComputeFit&) const = default;
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
  std::vector<ExchangeTime> exchange;
  std::vector<LoadTime> loading;
  std::vector<MemoryPeak> memory;
  /// What `dlscale calibrate` found through the measurements above, for people; predictions go by
  /// the measurements.
  std::vector<AllReduceFit> all_reduce_fits;
  std::vector<ComputeFit> compute_fits;
  bool operator==(const Calibration&) const = default;
};

/// Sorted keys, a line for each measurement, final newline.
std::string to_json(const Calibration& calibration);
/// Throws base::SpecError: what is missing, of a wrong type, of a newer version, not positive, or
/// of layers that do not fit together. `file` is only named.
Calibration calibration_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
