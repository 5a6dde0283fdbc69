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
  int nodes = 1;  ///< number of nodes, counted as groups of ranks that share memory
};

/// Lifetime of MPI, from MPI_Init_thread to MPI_Finalize. A process can have only one session in
/// its lifetime. Threads may communicate at the same time, each through a separate communicator.
class MpiSession {
 public:
  /// **Collective.** Initialises MPI. Throws RunError (kExitCommunication) when MPI does not
  /// support calls by several threads at the same time.
  MpiSession();
  /// **Collective.** Ends MPI. If an exception destroys the session, the other ranks could wait
  /// forever for this rank. The destructor therefore ends all ranks with kExitCommunication in this
  /// case.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// **Collective.** Returns the placement of the ranks on nodes.
  Placement placement() const;
  /// **Collective.** Selects the all-reduce algorithm of all communicators that are made after this
  /// call. "openmpi:<algorithm>", for example "openmpi:ring", selects an algorithm of Open MPI. Any
  /// other name leaves the choice to Open MPI. Throws RunError for an algorithm that Open MPI
  /// lacks.
  void choose_all_reduce(const std::string& name);
  /// Returns the name of the selected all-reduce algorithm, or "tuned" if Open MPI chooses.
  const std::string& all_reduce() const { return all_reduce_; }
  /// Ends all ranks of the job at once with the exit code `exit_code`. The call is not collective.
  [[noreturn]] void abort(int exit_code) const;

 private:
  int exceptions_;
  int rank_ = 0;
  int size_ = 1;
  std::string all_reduce_ = "tuned";
};

/// Prefix of the names of all-reduce algorithms that Open MPI provides.
inline constexpr std::string_view kOpenMpiPrefix = "openmpi:";

/// Returns the name and version of the MPI library, for example "Open MPI 4.1.4". May be called
/// without an MpiSession.
std::string mpi_version();

/// Maximum number of elements in one MPI call. MPI passes counts as 32-bit integers, so longer data
/// is sent in several calls.
inline constexpr std::int64_t kMpiMaxCount = std::int64_t{1} << 28;

/// **Collective.** Makes a communicator of all ranks of the session, with a separate communication
/// context. The session must outlive the communicator.
std::unique_ptr<Communicator> make_mpi(const MpiSession& session,
                                       std::int64_t max_count = kMpiMaxCount);

// Check of the return code of an MPI call.

/// Throws RunError (kExitCommunication) unless `code` is MPI_SUCCESS. The message contains the name
/// of the call and the error text of MPI.
void check_mpi(int code, const char* call);

}  // namespace dlscale::trainer
