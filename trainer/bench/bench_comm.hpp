// SPDX-License-Identifier: Apache-2.0
// Command `dlscale-bench comm`, which measures how long collectives between the ranks of a job
// take.
#pragma once

#include <string>
#include <vector>

#include "trainer/bench/comm_sweep.hpp"
#include "trainer/comm/mpi.hpp"

namespace dlscale::trainer {

struct CommBench {
  CommSweep sweep;
  std::string communicator = "mpi";
  /// Name of the all-reduce algorithm, from all_reduce_table() or from Open MPI. An empty name
  /// selects the algorithm "auto" between processes. Between threads, an empty name selects the
  /// built-in algorithm of the communicator "thread".
  std::string all_reduce;
  int threads = 2;       ///< number of ranks of the communicator "thread"
  std::string topology;  ///< name that the user gives to the interconnect of the ranks
  std::string file;      ///< file to which measurements are appended, empty for no file
  bool json = false;     ///< true to print JSON lines instead of a table
};

extern const char* const kCommBenchUsage;

/// Reads the arguments after `dlscale-bench comm`. Throws base::UsageError for an invalid argument.
CommBench read_comm_bench(const std::vector<std::string>& arguments);

/// Measures collectives between threads of this process. Calls `found` on rank 0 with each
/// measurement, including its metadata.
void measure_threads(const CommBench& bench, const OnCommTime& found);

/// **Collective.** Measures collectives between the processes of an MPI job, over MPI or NCCL.
/// Calls `found` on rank 0 with each measurement, including its metadata.
void measure_processes(const CommBench& bench, MpiSession& session, const OnCommTime& found);

/// **Collective.** Runs the whole command: reads the arguments, measures, prints and appends
/// records. Returns the exit code, which is 4 when a collective delivered a wrong result.
int bench_comm(const std::vector<std::string>& arguments);

}  // namespace dlscale::trainer
