// SPDX-License-Identifier: Apache-2.0
// Ranks that are the processes of an MPI job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Where a job's ranks are.
struct Placement {
  std::vector<std::string> hostnames;  ///< of each rank
  int local_rank = 0;                  ///< this rank's place among those that share its memory
  int nodes = 1;                       ///< groups of ranks that share memory
};

/// MPI's life, from MPI_Init_thread to MPI_Finalize: one in a process, ever. Threads may
/// communicate at the same time, each through a communicator of its own.
class MpiSession {
 public:
  /// **Collective.** Throws RunError (kExitCommunication) when MPI cannot be used so.
  MpiSession();
  /// **Collective.** When an exception passes through, the other ranks may wait for ever for this
  /// one, so all are then ended with kExitCommunication.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// **Collective.**
  Placement placement() const;
  /// **Collective.** For communicators made from now on: "openmpi:<one of Open MPI's algorithms>",
  /// for example "openmpi:ring"; other names leave the choice to Open MPI. Throws RunError for one
  /// it lacks.
  void choose_all_reduce(const std::string& name);
  /// What was chosen, or "tuned".
  const std::string& all_reduce() const { return all_reduce_; }
  /// Ends all ranks at once; the job's exit code is `exit_code`. Not collective.
  [[noreturn]] void abort(int exit_code) const;

 private:
  int exceptions_;
  int rank_ = 0;
  int size_ = 1;
  std::string all_reduce_ = "tuned";
};

/// What a name of one of Open MPI's own all-reduces begins with.
inline constexpr std::string_view kOpenMpiPrefix = "openmpi:";

/// "Open MPI 4.1.4"; needs no session.
std::string mpi_version();

/// Elements that go into one MPI call, whose counts are 32-bit; longer data goes in several.
inline constexpr std::int64_t kMpiMaxCount = std::int64_t{1} << 28;

/// **Collective.** All ranks of the session, in a communication context of their own. The session
/// must outlive it.
std::unique_ptr<Communicator> make_mpi(const MpiSession& session,
                                       std::int64_t max_count = kMpiMaxCount);

// What an MPI call's return code means.

/// Throws RunError (kExitCommunication) naming the call and MPI's reason unless `code` is success.
void check_mpi(int code, const char* call);

}  // namespace dlscale::trainer
