// SPDX-License-Identifier: Apache-2.0
// Defines the records of `dlscale-bench comm` and `dlscale-bench kernels`: one complete measurement
// per line, so that files can be concatenated and continued.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/records/calibration.hpp"

namespace dlscale::contract {

/// Measured time of one collective for one size. Each call counts with the time of its slowest
/// rank.
struct CommTime {
  std::string collective;    ///< collective: all_reduce, reduce_scatter, all_gather, broadcast
  std::string communicator;  ///< communicator: mpi, nccl, thread
  std::string algorithm;     ///< algorithm of all_reduce in the trainer's table, or nccl's choice
  std::string topology;      ///< topology as the user named it; empty if not named
  std::string device;        ///< name of the processor or GPU
  std::string host;          ///< host of rank 0
  int ranks = 1;
  int nodes = 1;
  int ranks_per_node = 1;  ///< largest number of ranks on a node
  std::string precision = "fp32";
  /// Size of the vector that each rank has. For reduce_scatter and all_gather, size of the whole
  /// array, as in nccl-tests.
  std::int64_t bytes = 0;
  double seconds = 0;  ///< median of `iterations` calls
  double low_s = 0;    ///< 95 % interval of `seconds`; 0, 0 if there are too few calls
  double high_s = 0;
  double least_s = 0;
  double most_s = 0;
  int iterations = 0;
  int warm_up = 0;         ///< number of calls before the measured calls
  double algbw_gbs = 0;    ///< bytes / seconds, 10^9 B/s
  double busbw_gbs = 0;    ///< algbw x 2(n-1)/n, (n-1)/n or 1, as nccl-tests define it
  std::int64_t wrong = 0;  ///< number of wrong elements in the results of all ranks
  double time = 0;         ///< seconds since 1970
  std::map<std::string, std::string> made_with;
  bool operator==(const CommTime&) const = default;
};

/// Measured time of one kernel of a layer for one size.
struct KernelSample {
  std::string kernel;
  std::map<std::string, double> size;
  std::string precision = "fp32";
  double seconds = 0;  ///< time of one call: median of `repetitions` blocks of calls
  double mean_s = 0;
  double deviation_s = 0;
  double least_s = 0;
  double most_s = 0;
  int repetitions = 0;  ///< number of blocks
  int calls = 0;        ///< number of calls in a block
  std::string device;
  std::string host;
  int threads = 0;  ///< number of processor threads; 0 for a GPU
  double time = 0;  ///< seconds since 1970
  std::map<std::string, std::string> made_with;
  bool operator==(const KernelSample&) const = default;
};

struct BenchRecords {
  std::vector<CommTime> comm;
  std::vector<KernelSample> kernels;
};

/// Returns the record as one line without a newline.
std::string to_json_line(const CommTime& time);
std::string to_json_line(const KernelSample& sample);

/// Reads all lines of a file. Ignores records of other kinds and unknown keys. Throws
/// base::SpecError, with file and line, for a line that is cut off, is not a record, or has
/// impossible values. `file` is only used in messages.
BenchRecords bench_records_from_jsonl(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
