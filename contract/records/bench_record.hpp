// SPDX-License-Identifier: Apache-2.0
// Lines that `dlscale-bench comm` and `dlscale-bench kernels` write: one measurement each, whole
// in itself, so that files can be put together and gone on with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/records/calibration.hpp"

namespace dlscale::contract {

/// One collective at one size. Times are of the slowest rank of each call.
struct CommTime {
  std::string collective;    ///< all_reduce, reduce_scatter, all_gather, broadcast
  std::string communicator;  ///< mpi, nccl, thread
  std::string algorithm;     ///< of all_reduce: a name of the trainer's table; nccl's own choice
  std::string topology;      ///< as the user named it; empty: not named
  std::string device;        ///< the processor's or GPU's name
  std::string host;          ///< of rank 0
  int ranks = 1;
  int nodes = 1;
  int ranks_per_node = 1;  ///< at most
  std::string precision = "fp32";
  /// Of the vector that each rank has; reduce_scatter and all_gather: of the whole array, as
  /// nccl-tests count.
  std::int64_t bytes = 0;
  double seconds = 0;  ///< the middle of `iterations` calls
  double low_s = 0;    ///< 95 % interval of `seconds`; 0, 0: too few calls
  double high_s = 0;
  double least_s = 0;
  double most_s = 0;
  int iterations = 0;
  int warm_up = 0;         ///< calls before them
  double algbw_gbs = 0;    ///< bytes / seconds, 10^9 B/s
  double busbw_gbs = 0;    ///< algbw x 2(n-1)/n, (n-1)/n or 1, as nccl-tests define it
  std::int64_t wrong = 0;  ///< elements of all ranks that were not the right result
  double time = 0;         ///< seconds since 1970
  std::map<std::string, std::string> made_with;
  bool operator==(const CommTime&) const = default;
};

/// One kernel of a layer at one size.
struct KernelSample {
  std::string kernel;
  std::map<std::string, double> size;
  std::string precision = "fp32";
  double seconds = 0;  ///< the middle of `repetitions` blocks of calls, of one call
  double mean_s = 0;
  double deviation_s = 0;
  double least_s = 0;
  double most_s = 0;
  int repetitions = 0;  ///< blocks
  int calls = 0;        ///< in a block
  std::string device;
  std::string host;
  int threads = 0;  ///< that a processor computed with; 0: a GPU
  double time = 0;  ///< seconds since 1970
  std::map<std::string, std::string> made_with;
  bool operator==(const KernelSample&) const = default;
};

struct BenchRecords {
  std::vector<CommTime> comm;
  std::vector<KernelSample> kernels;
};

/// One line, without its end.
std::string to_json_line(const CommTime& time);
std::string to_json_line(const KernelSample& sample);

/// All lines of a file. Records of other kinds are passed over, keys that nobody knows as well.
/// Throws base::SpecError with file and line: what is cut off, no record, or cannot be. `file` is
/// only named.
BenchRecords bench_records_from_jsonl(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
