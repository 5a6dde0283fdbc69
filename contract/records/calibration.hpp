// SPDX-License-Identifier: Apache-2.0
// Defines the calibration: measurements of a device and its links, on which predictions are based.
// `dlscale calibrate` reads the measurements from `dlscale-bench comm`, `dlscale-bench kernels` and
// the output of other programs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/records/layer_times.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

inline constexpr int kCalibrationVersion = 1;

/// Time of one all-reduce: the median of several calls. The time of a call is the time of its
/// slowest rank.
struct AllReduceTime {
  /// Name of the interconnect of the ranks, for example "nvswitch", "pcie" or "ib-hdr x4".
  /// Predictions for a GPU count also use times of other GPU counts with the same topology. Times
  /// with an empty (unknown) topology are used only for their own GPU count.
  std::string topology;
  int nodes = 1;
  int gpus = 1;            ///< number of ranks on all nodes
  std::int64_t bytes = 0;  ///< size of the vector that each rank holds
  double seconds = 0;
  double low_s = 0;  ///< lower bound of the 95 % interval of `seconds`; 0 if unknown
  double high_s = 0;
  int repetitions = 0;  ///< number of repetitions; 0 if unknown
  bool operator==(const AllReduceTime&) const = default;
};

/// Time of one kernel of a layer on the device.
struct KernelTime {
  /// Name of the kernel, for example "convolution_forward", "convolution_backward_filter" or
  /// "batch_norm_forward".
  std::string kernel;
  /// Arguments of the call by name: "b", "c_in", "h_in", "kernel".
  std::map<std::string, double> size;
  std::string precision = "fp32";
  double seconds = 0;  ///< time of a call: median of `repetitions` measurements
  double deviation_s = 0;
  int repetitions = 0;
  bool operator==(const KernelTime&) const = default;
};

/// Fully connected layer: outputs = weights x inputs + biases.
struct DenseWeights {
  std::vector<double> weights;  ///< matrix with a row per output and a column per input, by rows
  std::vector<double> biases;   ///< one bias for each output
  bool operator==(const DenseWeights&) const = default;
};

/// Neural network that estimates the time of a kernel. It computes ln(seconds) from ln(sizes). The
/// inputs and the output of the network are normalised. ReLU follows each layer except the last
/// layer.
struct KernelModel {
  std::string kernel;
  std::string precision = "fp32";
  std::vector<std::string> inputs;  ///< keys of KernelTime::size, in order
  /// Mean and standard deviation of the logarithm of each input.
  std::vector<double> input_mean, input_deviation;
  double output_mean = 0, output_deviation = 1;
  std::vector<double> input_least, input_most;  ///< range of the sizes used for training
  std::vector<DenseWeights> layers;
  double relative_error = 0;  ///< mean of |estimated / measured - 1| over held-out sizes
  /// Mean of |estimated - measured| divided by the mean measured time, over the held-out sizes.
  double weighted_relative_error = 0;
  int taught_with = 0;  ///< number of sizes used for training
  /// estimated / measured - 1 of each held-out size, in ascending order. Empty in files of earlier
  /// versions.
  std::vector<double> held_out_errors;
  bool operator==(const KernelModel&) const = default;
};

/// Measured times of a training step of a model on one device, without communication.
struct ComputeTime {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::int64_t batch = 0;
  double forward_s = 0, backward_s = 0, optimizer_s = 0;
  double deviation_s = 0;  ///< standard deviation of the time of a step, over the steps
  int steps = 0;           ///< number of measured steps
  /// Number of ranks of the node that compute at the same time. 0 means only this rank.
  int ranks_on_node = 0;
  std::string framework;  ///< framework style of the runs; empty if unknown
  ModelOptions options;   ///< settings of the model that shape the network
  bool operator==(const ComputeTime&) const = default;
};

/// Overlap of gradient exchange and computation in measured runs of a framework style.
struct ExchangeTime {
  std::string framework;
  int nodes = 1;
  int gpus = 1;
  /// Share of the time of collectives during which the ranks also compute: median over the runs.
  double hidden = 0;
  /// Lower bound of the 95 % interval of `hidden`. If there are few runs, it is the minimum over
  /// the runs.
  double hidden_low = 0;
  double hidden_high = 0;
  int runs = 0;
  bool operator==(const ExchangeTime&) const = default;
};

/// Time that a rank waits for its data and for the copy of the data to the device.
struct LoadTime {
  std::string loader;
  std::string dataset;
  double seconds_per_sample = 0;  ///< waiting time per sample of a rank, median over the runs
  /// Lower bound of the 95 % interval of `seconds_per_sample`. If there are few runs, it is the
  /// minimum over the runs.
  double low_s = 0;
  double high_s = 0;
  int runs = 0;
  bool operator==(const LoadTime&) const = default;
};

/// Peak memory of a rank in measured runs, next to the memory that the cost model of the network
/// estimates.
struct MemoryPeak {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::string framework;
  /// Device of the ranks. It determines how peak_memory_bytes is measured. For "cpu" it is the
  /// resident memory of the process, with its code and data. For a GPU it is the memory that the
  /// GPU's allocator has reserved, without the context of the process.
  std::string device = "cpu";
  std::string loader;
  std::string dataset;
  int gpus = 1;                  ///< number of ranks on all nodes
  std::int64_t batch = 0;        ///< number of samples in a rank's batch
  double peak_memory_bytes = 0;  ///< peak of the rank with the highest peak, median over the runs
  /// Estimate from the cost model and the run settings, see predict/memory.
  double card_bytes = 0;
  double activations_bytes = 0;  ///< part of card_bytes: maximum memory of activations
  int runs = 0;
  ModelOptions options;  ///< settings of the model that shape the network
  bool operator==(const MemoryPeak&) const = default;
};

/// Fitted value with its 95 % interval, which follows from the residuals of the fit and the t
/// distribution.
struct FittedValue {
  double value = 0;
  double low = 0;
  double high = 0;
  bool operator==(const FittedValue&) const = default;
};

/// Latency and time per byte of a ring of P ranks, fitted to measured all-reduces of n bytes. All
/// measurements have one placement and one range of sizes. The fitted formula is 2(P-1)α +
/// 2((P-1)/P)nβ. The time γ for adding up a byte is also proportional to n, so the fit cannot
/// separate it: the fitted β includes γ/2.
struct AllReduceFit {
  std::string topology;
  int nodes = 1;
  int gpus = 1;
  std::int64_t least_bytes = 0;
  std::int64_t most_bytes = 0;
  FittedValue latency_s;         ///< α, latency of a hop
  FittedValue seconds_per_byte;  ///< β, time per byte
  /// γ, time for adding up a byte: additional time per byte of reduce-scatter compared to
  /// all-gather. 0 if not measured.
  FittedValue sum_s_per_byte;
  double relative_error = 0;  ///< root mean square of fitted / measured - 1
  int points = 0;
  bool operator==(const AllReduceFit&) const = default;
};

/// Fitted time of a forward or backward pass of a model as a function of the batch size: start_s +
/// batch x seconds_per_sample.
struct ComputeFit {
  std::string model;
  std::vector<std::int64_t> input;
  std::string precision = "fp32";
  std::string pass;  ///< name of the pass: forward or backward
  int ranks_on_node = 1;
  FittedValue start_s;
  FittedValue seconds_per_sample;
  double relative_error = 0;
  int points = 0;
  ModelOptions options;  ///< settings of the model that shape the network
  bool operator==(const ComputeFit&) const = default;
};

struct Calibration {
  int schema_version = kCalibrationVersion;
  std::string device;        ///< name in the environment of the records: "NVIDIA A100-SXM4-40GB"
  std::string communicator;  ///< communicator: nccl, mpi, thread
  std::string source;        ///< command, or imported file and the program that wrote the file
  std::map<std::string, std::string> made_with;
  std::vector<AllReduceTime> all_reduce;
  std::vector<KernelTime> kernels;
  std::vector<KernelModel> kernel_models;
  std::vector<StepLayers> layers;
  std::vector<ComputeTime> compute;
  std::vector<ExchangeTime> exchange;
  std::vector<LoadTime> loading;
  std::vector<MemoryPeak> memory;
  /// Fits of `dlscale calibrate` to the measurements above, for people who read the file.
  /// Predictions use the measurements instead of these fits.
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
