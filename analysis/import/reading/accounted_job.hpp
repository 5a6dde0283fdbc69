// SPDX-License-Identifier: Apache-2.0
// What a batch system's books say of one job.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace dlscale::analysis {

/// Empty, null or NaN where the books are silent. Times of day are as they stand there: SLURM's are
/// of the cluster's clock, of which nobody says the zone.
struct AccountedJob {
  int line = 0;
  std::string job_id, name, cluster, partition, account;
  std::string state;  ///< in the batch system's words: COMPLETED, TIMEOUT, Terminated, …
  std::optional<int> exit_code, signal;
  std::string submitted, started, ended;
  double elapsed_s = std::nan("");
  double timelimit_s = std::nan("");
  std::optional<std::int64_t> nodes, cpus, gpus;
  double requested_memory_bytes = std::nan("");  ///< of all nodes
  double max_memory_bytes = std::nan("");        ///< of the task that had most
  double cpu_s = std::nan("");                   ///< user and system, all cores
  double energy_j = std::nan("");
  std::string hosts;
};

}  // namespace dlscale::analysis
