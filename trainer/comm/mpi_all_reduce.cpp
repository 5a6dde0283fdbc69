// SPDX-License-Identifier: Apache-2.0
// Selection of Open MPI's own all-reduce algorithms through the MPI tool interface.
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/mpi.hpp"

namespace dlscale::trainer {
namespace {

constexpr const char* kVariable = "coll_tuned_allreduce_algorithm";

/// Guard that keeps the MPI tool interface open during its lifetime.
class Tools {
 public:
  Tools() {
    int provided = 0;
    check_mpi(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), "MPI_T_init_thread");
  }
  ~Tools() { MPI_T_finalize(); }
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;
};

/// Returns the integer for `name` among the named values of an MPI control variable. Throws
/// RunError, with a list of the known names, when the variable has no value with this name.
int value_of(int variable, const std::string& name) {
  int no_name = 0, verbosity = 0, no_text = 0, bound = 0, scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  check_mpi(MPI_T_cvar_get_info(variable, nullptr, &no_name, &verbosity, &type, &values, nullptr,
                                &no_text, &bound, &scope),
            "MPI_T_cvar_get_info");
  int count = 0, length = 0;
  MPI_T_enum_get_info(values, &count, nullptr, &length);
  std::string known;
  for (int i = 0; i < count; ++i) {
    std::array<char, 64> text{};
    int value = 0, size = static_cast<int>(text.size());
    MPI_T_enum_get_item(values, i, &value, text.data(), &size);
    if (name == text.data()) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", text.data());
  }
  throw base::RunError(
      fmt::format("Open MPI has no all-reduce \"{}\"; the available names are {}", name, known),
      contract::kExitBadRunDescription);
}

}  // namespace

void MpiSession::choose_all_reduce(const std::string& name) {
  const bool own = name.starts_with(kOpenMpiPrefix);
  if (!own && all_reduce_ == "tuned") return;
  const Tools tools;
  int variable = 0;
  if (MPI_T_cvar_get_index(kVariable, &variable) != MPI_SUCCESS) {
    throw base::RunError(
        fmt::format("all_reduce \"{}\": {} has no variable {}", name, mpi_version(), kVariable),
        contract::kExitBadRunDescription);
  }
  const int value = value_of(variable, own ? name.substr(kOpenMpiPrefix.size()) : "ignore");
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  check_mpi(MPI_T_cvar_handle_alloc(variable, nullptr, &handle, &count), "MPI_T_cvar_handle_alloc");
  const int code = MPI_T_cvar_write(handle, &value);
  MPI_T_cvar_handle_free(&handle);
  check_mpi(code, "MPI_T_cvar_write");
  all_reduce_ = own ? name : "tuned";
}

}  // namespace dlscale::trainer
