// SPDX-License-Identifier: Apache-2.0
// Reads and writes the records of `dlscale-bench comm`, `kernels` and `layers`. Each line is one
// complete measurement, so files can be concatenated and appended to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/records/calibration.hpp"
#include "contract/records/layer_times.hpp"

namespace dlscale::contract {

/// Measured time of one collective for one message size. The time of a call is the time of its
/// slowest rank.
struct CommTime {
  std::string collective;    ///< collective: all_reduce, reduce_scatter, …
  std::string communicator;  ///< communicator: mpi, nccl, thread
  /// For all_reduce: the trainer's algorithm, or the algorithm that NCCL chose.
  std::string algorithm;
  std::string topology;  ///< interconnect as named by the user; empty if not named
  std::string device;    ///< name of the processor or GPU
  std::string host;      ///< host of rank 0
  int ranks = 1;
  int nodes = 1;
  int ranks_per_node = 1;  ///< largest number of ranks on a node
  std::string precision = "fp32";
  /// Size of the vector that each rank holds. For reduce_scatter and all_gather, size of the vector
  /// of all ranks together, as in nccl-tests.
  std::int64_t bytes = 0;
  double seconds = 0;  ///< time of a call: median of `iterations` calls
  /// Lower bound of the 95 % interval of `seconds`; 0 if there are too few calls.
  double low_s = 0;
  double high_s = 0;
  double least_s = 0;
  double most_s = 0;
  int iterations = 0;
  int warm_up = 0;       ///< number of calls before the measured calls
  double algbw_gbs = 0;  ///< algorithm bandwidth: bytes / seconds, in 10^9 B/s
  /// Bus bandwidth in 10^9 B/s: algbw times 2(n-1)/n, (n-1)/n or 1. The factor depends on the
  /// collective, as in nccl-tests.
  double busbw_gbs = 0;
  std::int64_t wrong = 0;  ///< number of wrong elements in the results of all ranks
  double time = 0;         ///< time of the measurement, seconds since 1970
  std::map<std::string, std::string> made_with;
  bool operator==(const CommTime&) const = default;
};

/// Measured time of one kernel of a layer for one set of sizes.
struct KernelSample {
  std::string kernel;
  std::map<std::string, double> size;
  std::string precision = "fp32";
  double seconds = 0;  ///< time of a call: median over `repetitions` blocks of calls
  double mean_s = 0;
  double deviation_s = 0;
  double least_s = 0;
  double most_s = 0;
  int repetitions = 0;  ///< number of blocks
  int calls = 0;        ///< number of calls in a block
  std::string device;
  std::string host;
  int threads = 0;  ///< number of processor threads; 0 for a GPU
  double time = 0;  ///< time of the measurement, seconds since 1970
  std::map<std::string, std::string> made_with;
  bool operator==(const KernelSample&) const = default;
};

struct BenchRecords {
  std::vector<CommTime> comm;
  std::vector<KernelSample> kernels;
  std::vector<StepLayers> layers;
};

/// Returns the record as one line without a newline.
std::string to_json_line(const CommTime& time);
std::string to_json_line(const KernelSample& sample);

/// Reads all lines of a file. Ignores records of other kinds and unknown keys. Throws
/// base::SpecError, with file and line, for a line that is cut off, is not a record, or has
/// impossible values. `file` is only used in messages.
BenchRecords bench_records_from_jsonl(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
