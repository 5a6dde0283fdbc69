// SPDX-License-Identifier: Apache-2.0
// Communicator for ranks that are the processes of an MPI job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Placement of the ranks of a job on nodes.
struct Placement {
  std::vector<std::string> hostnames;  ///< host name of each rank
  int local_rank = 0;                  ///< index of this rank among the ranks that share its memory
  int nodes = 1;                       ///< number of groups of ranks that share memory
};

/// Lifetime of MPI, from MPI_Init_thread to MPI_Finalize. A process can have only one session in
/// its lifetime. Threads may communicate at the same time, each through a separate communicator.
class MpiSession {
 public:
  /// **Collective.** Initialises MPI. Throws RunError (kExitCommunication) when MPI does not
  /// support calls by several threads at the same time.
  MpiSession();
  /// **Collective.** Ends MPI. When an exception ends the session, the other ranks could wait
  /// forever for this rank, so all ranks are ended with kExitCommunication.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// **Collective.** Returns the placement of the ranks.
  Placement placement() const;
  /// **Collective.** Selects the all-reduce of communicators made from now on.
  /// "openmpi:<algorithm>", for example "openmpi:ring", selects an algorithm of Open MPI. Any other
  /// name leaves the choice to Open MPI. Throws RunError for an algorithm that Open MPI lacks.
  void choose_all_reduce(const std::string& name);
  /// Returns the selected name, or "tuned".
  const std::string& all_reduce() const { return all_reduce_; }
  /// Ends all ranks at once. The exit code of the job is `exit_code`. The call is not collective.
  [[noreturn]] void abort(int exit_code) const;

 private:
  int exceptions_;
  int rank_ = 0;
  int size_ = 1;
  std::string all_reduce_ = "tuned";
};

/// Prefix of the names of Open MPI's own all-reduces.
inline constexpr std::string_view kOpenMpiPrefix = "openmpi:";

/// Returns the version, for example "Open MPI 4.1.4". Needs no session.
std::string mpi_version();

/// Maximum number of elements in one MPI call, whose counts are 32-bit. Longer data is sent in
/// several calls.
inline constexpr std::int64_t kMpiMaxCount = std::int64_t{1} << 28;

/// **Collective.** Makes a communicator of all ranks of the session, with a separate communication
/// context. The session must outlive the communicator.
std::unique_ptr<Communicator> make_mpi(const MpiSession& session,
                                       std::int64_t max_count = kMpiMaxCount);

// Check of the return code of an MPI call.

/// Throws RunError (kExitCommunication) with the call and the reason of MPI unless `code` is
/// success.
void check_mpi(int code, const char* call);

}  // namespace dlscale::trainer
