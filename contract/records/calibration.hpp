// SPDX-License-Identifier: Apache-2.0
// Defines the calibration: measurements of a device and its links, on which predictions are based.
// The measurements come from `dlscale-bench comm`, `dlscale-bench kernels` and the output of other
// programs, which `dlscale calibrate` reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

inline constexpr int kCalibrationVersion = 1;

/// Time of one all-reduce: the median of several calls, each with the time of its slowest rank.
struct AllReduceTime {
  /// Name of the connection between the ranks: "nvswitch", "pcie", "ib-hdr x4". Times of one GPU
  /// count are used for other GPU counts with the same name. If the name is empty (unknown), they
  /// are not used for other GPU counts.
  std::string topology;
  int nodes = 1;
  int gpus = 1;            ///< number of ranks on all nodes
  std::int64_t bytes = 0;  ///< size of the vector that each rank has
  double seconds = 0;
  double low_s = 0;  ///< 95 % interval of `seconds`; 0, 0 if unknown
  double high_s = 0;
  int repetitions = 0;  ///< number of repetitions; 0 if unknown
  bool operator==(const AllReduceTime&) const = default;
};

/// Time of one kernel of a layer on the device.
struct KernelTime {
  /// Name of the kernel: "convolution_forward", "convolution_backward_filter",
  /// "batch_norm_forward".
  std::string kernel;
  std::map<std::string, double> size;  ///< arguments of the call: "b", "c_in", "h_in", "kernel"
  std::string precision = "fp32";
  double seconds = 0;  ///< time of a call: median of `repetitions` measurements
  double deviation_s = 0;
  int repetitions = 0;
  bool operator==(const KernelTime&) const = default;
};

/// Fully connected layer: outputs = weights x inputs + biases.
struct DenseWeights {
  std::vector<double> weights;  ///< one row of inputs for each output, row by row
  std::vector<double> biases;   ///< one bias for each output
  bool operator==(const DenseWeights&) const = default;
};

/// Learned time of a kernel: ln(seconds) as a function of ln(sizes), both normalised, with ReLU
/// between the layers.
struct KernelModel {
  std::string kernel;
  std::string precision = "fp32";
  std::vector<std::string> inputs;  ///< keys of KernelTime::size, in order
  /// Mean and deviation of the logarithms of the inputs.
  std::vector<double> input_mean, input_deviation;
  double output_mean = 0, output_deviation = 1;
  std::vector<double> input_least, input_most;  ///< range of the sizes used for training
  std::vector<DenseWeights> layers;
  double relative_error = 0;  ///< mean of |estimated / measured - 1| over held-out sizes
  /// Mean of |estimated - measured| divided by the mean of measured, over the held-out sizes.
  double weighted_relative_error = 0;
  int taught_with = 0;  ///< number of sizes used for training
  bool operator==(const KernelModel&) const = default;
};

/// Measured step of a model on one device, without communication.
struct ComputeTime {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::int64_t batch = 0;
  double forward_s = 0, backward_s = 0, optimizer_s = 0;
  double deviation_s = 0;  ///< deviation of the whole step's time between steps
  int steps = 0;           ///< number of measured steps
  int ranks_on_node = 0;   ///< number of ranks that compute at once on the node; 0 = this rank only
  std::string framework;   ///< framework style of the runs; empty if unknown
  bool operator==(const ComputeTime&) const = default;
};

/// Overlap of gradient exchange and computation in measured runs of a framework style.
struct ExchangeTime {
  std::string framework;
  int nodes = 1;
  int gpus = 1;
  /// Median share of the time of collectives during which the ranks also compute.
  double hidden = 0;
  double hidden_low = 0;  ///< 95 % interval, or the range if there are few runs
  double hidden_high = 0;
  int runs = 0;
  bool operator==(const ExchangeTime&) const = default;
};

/// Time that a rank waits for its data and for the copy of the data to the device.
struct LoadTime {
  std::string loader;
  std::string dataset;
  double seconds_per_sample = 0;  ///< median of a rank's seconds per sample
  double low_s = 0;               ///< 95 % interval, or the range if there are few runs
  double high_s = 0;
  int runs = 0;
  bool operator==(const LoadTime&) const = default;
};

/// Peak memory of a rank in measured runs, and the memory by the cost model of the network.
struct MemoryPeak {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::string framework;
  /// Device of the ranks, which determines the counted memory. For "cpu" it is the resident memory
  /// of the process, with its code and data. For a GPU it is the memory that the GPU's allocator
  /// has reserved, without the context of the process.
  std::string device = "cpu";
  std::string loader;
  std::string dataset;
  int gpus = 1;                  ///< number of ranks on all nodes
  std::int64_t batch = 0;        ///< batch of a rank
  double peak_memory_bytes = 0;  ///< peak of the largest rank, median of `runs`
  double card_bytes = 0;  ///< memory by the cost model and the run settings, see predict/memory
  double activations_bytes = 0;  ///< part of card_bytes: activations at their maximum
  int runs = 0;
  bool operator==(const MemoryPeak&) const = default;
};

/// Fitted value with a 95 % interval by the t distribution of the fit's residuals.
struct FittedValue {
  double value = 0;
  double low = 0;
  double high = 0;
  bool operator==(const FittedValue&) const = default;
};

/// Latency and time per byte of a ring, fitted to measured all-reduces of one placement and one
/// range of sizes: 2(P-1)α + 2((P-1)/P)nβ. The time to add up values is proportional to the bytes,
/// so β includes γ/2.
struct AllReduceFit {
  std::string topology;
  int nodes = 1;
  int gpus = 1;
  std::int64_t least_bytes = 0;
  std::int64_t most_bytes = 0;
  FittedValue latency_s;         ///< α, latency of a hop
  FittedValue seconds_per_byte;  ///< β, time per byte
  /// γ per byte: additional time of reduce-scatter compared to all-gather. 0 if not measured.
  FittedValue sum_s_per_byte;
  double relative_error = 0;  ///< root mean square of fitted / measured - 1
  int points = 0;
  bool operator==(const AllReduceFit&) const = default;
};

/// Fitted time of a pass of a model as a function of the batch: start_s + batch x
/// seconds_per_sample.
struct ComputeFit {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::string pass;  ///< pass: forward, backward
  int ranks_on_node = 1;
  FittedValue start_s;
  FittedValue seconds_per_sample;
  double relative_error = 0;
  int points = 0;
  bool operator==(const ComputeFit&) const = default;
};

struct Calibration {
  int schema_version = kCalibrationVersion;
  std::string device;        ///< name in the environment: "NVIDIA A100-SXM4-40GB"
  std::string communicator;  ///< communicator: nccl, mpi, thread
  std::string source;        ///< command, or ingested file and the program that wrote it
  std::map<std::string, std::string> made_with;
  std::vector<AllReduceTime> all_reduce;
  std::vector<KernelTime> kernels;
  std::vector<KernelModel> kernel_models;
  std::vector<ComputeTime> compute;
  std::vector<ExchangeTime> exchange;
  std::vector<LoadTime> loading;
  std::vector<MemoryPeak> memory;
  /// Fits of `dlscale calibrate` to the measurements above, for readers. Predictions use the
  /// measurements and not these fits.
  std::vector<AllReduceFit> all_reduce_fits;
  std::vector<ComputeFit> compute_fits;
  bool operator==(const Calibration&) const = default;
};

/// Returns the JSON text: keys in a fixed order, one line for each measurement, and a final
/// newline.
std::string to_json(const Calibration& calibration);
/// Reads a calibration. Throws base::SpecError for missing keys, wrong types, a newer version,
/// values that must be positive, and layers that do not fit together. `file` is only used in
/// messages.
Calibration calibration_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
