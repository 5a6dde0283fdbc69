// SPDX-License-Identifier: Apache-2.0
// Search for NVIDIA DALI's libraries on this machine and check of their version.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "trainer/data/dali/abi.hpp"
#include "trainer/data/data_file.hpp"

namespace dlscale::trainer::dali {

/// Returns the versions of DALI with which abi.hpp and the shipped pipelines were tested. Other
/// versions are rejected, because DALI may change its C API and the format of serialized pipelines
/// in any version.
std::vector<std::string> known_versions();

struct Library {
  std::string path;  ///< path of libdali.so
  std::string version;
  Functions call;
};

/// Reason why DALI was not found. The text lists all searched places and the remedy.
struct Missing {
  std::string why;
};

/// Returns the paths at which libdali.so may lie on this machine, in search order:
/// - $DLSCALE_DALI_LIBRARY, which is the library or its folder. If the variable is set, no other
///   place is searched.
/// - The folder in which `tools/setup --dali` keeps the library.
/// - site-packages of $VIRTUAL_ENV, of $CONDA_PREFIX and of the python3 in $PATH.
/// - The search path of the dynamic loader.
std::vector<std::string> places(const VariableLookup& environment);

/// Opens the libraries of DALI and of its operators. The libraries stay open until the process
/// ends, because their threads keep running. Repeated calls are cheap.
std::variant<Library, Missing> find_library(const VariableLookup& environment);

/// Opens DALI like find_library(). Throws base::RunError (contract::kExitBadRunDescription) with
/// Missing::why when DALI is not found.
Library open_library(const VariableLookup& environment);

}  // namespace dlscale::trainer::dali
