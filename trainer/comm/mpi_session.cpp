// SPDX-License-Identifier: Apache-2.0
// MPI's start and end, and where its ranks run.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/comm/mpi_call.hpp"

namespace dlscale::trainer {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> reason{};
  int length = 0;
  MPI_Error_string(code, reason.data(), &length);
  throw base::RunError(fmt::format("{} failed: {}", call, reason.data()),
                       contract::kExitCommunication);
}

MpiSession::MpiSession() : exceptions_(std::uncaught_exceptions()) {
  // A rank that polls inside MPI lets others have its core: where ranks and threads outnumber the
  // cores, polling otherwise stops the very rank that is waited for. Free cores lose nothing.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", /*overwrite=*/0);
  // Lets choose_all_reduce() work; while nothing is chosen Open MPI decides as without it.
  ::setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", /*overwrite=*/0);
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    throw base::RunError(
        "this MPI library cannot be called by several threads at the same time "
        "(MPI_THREAD_MULTIPLE)",
        contract::kExitCommunication);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() > exceptions_) abort(contract::kExitCommunication);
  MPI_Finalize();
}

void MpiSession::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

Placement MpiSession::placement() const {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  Placement result;
  MPI_Comm_rank(node, &result.local_rank);
  MPI_Comm_free(&node);
  const int first_of_node = result.local_rank == 0 ? 1 : 0;
  check_mpi(MPI_Allreduce(&first_of_node, &result.nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
            "MPI_Allreduce");

  constexpr int kLength = 256;
  std::array<char, kLength> name{};
  ::gethostname(name.data(), kLength - 1);
  std::vector<char> all(static_cast<std::size_t>(size_) * kLength);
  check_mpi(
      MPI_Allgather(name.data(), kLength, MPI_CHAR, all.data(), kLength, MPI_CHAR, MPI_COMM_WORLD),
      "MPI_Allgather");
  for (std::size_t at = 0; at < all.size(); at += kLength) result.hostnames.emplace_back(&all[at]);
  return result;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  // Open MPI: "Open MPI v4.1.4, package: Debian OpenMPI, ident: …"
  std::string version(text.data(), static_cast<std::size_t>(length));
  version.resize(std::min(version.find_first_of(",\n"), version.size()));
  if (const auto v = version.find(" v"); v != std::string::npos) version.erase(v + 1, 1);
  return version;
}

}  // namespace dlscale::trainer
