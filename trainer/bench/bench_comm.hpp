// SPDX-License-Identifier: Apache-2.0
// `dlscale-bench comm`: how long collectives take between the ranks of a job.
#pragma once

#include <string>
#include <vector>

#include "trainer/bench/comm_sweep.hpp"
#include "trainer/comm/mpi.hpp"

namespace dlscale::trainer {

struct CommBench {
  CommSweep sweep;
  std::string communicator = "mpi";
  std::string all_reduce;  ///< a name of all_reduce_table() or of Open MPI's; empty: auto, and the
                           ///< transport's own between threads
  int threads = 2;         ///< ranks of the communicator "thread"
  std::string topology;    ///< how the ranks are connected, in the user's word
  std::string file;        ///< lines are appended to it; empty: none
  bool json = false;       ///< lines instead of the table on standard output
};

extern const char* const kCommBenchUsage;

/// From the arguments behind `dlscale-bench comm`. Throws base::UsageError.
CommBench read_comm_bench(const std::vector<std::string>& arguments);

/// Between threads of this process. `found` is called on rank 0, with everything filled in.
void measure_threads(const CommBench& bench, const OnCommTime& found);

/// **Collective.** Between the processes of an MPI job, over MPI or NCCL; `found` as above.
void measure_processes(const CommBench& bench, MpiSession& session, const OnCommTime& found);

/// **Collective.** The whole mode: reads, measures, prints, appends. Returns the exit code: 4 where
/// a result was wrong.
int bench_comm(const std::vector<std::string>& arguments);

}  // namespace dlscale::trainer
