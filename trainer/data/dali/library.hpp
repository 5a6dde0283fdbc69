// SPDX-License-Identifier: Apache-2.0
// NVIDIA DALI's libraries on this machine: where they may be, and whether they are of a kind that
// dlscale knows how to call.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "trainer/data/dali/abi.hpp"
#include "trainer/data/data_file.hpp"

namespace dlscale::trainer::dali {

/// With what the declarations of abi.hpp and the shipped pipelines were tried. DALI promises
/// neither beyond a version, so that others are refused.
std::vector<std::string> known_versions();

struct Library {
  std::string path;  ///< of libdali.so
  std::string version;
  Functions call;
};

/// Why there is none: every place that was looked at, and the remedy.
struct Missing {
  std::string why;
};

/// What libdali.so may be called on this machine, in this order: $DLSCALE_DALI_LIBRARY (the library
/// or its folder), and nothing else where that is set; what `tools/setup --dali` keeps;
/// site-packages of $VIRTUAL_ENV, $CONDA_PREFIX and the python3 in $PATH; where the loader looks.
std::vector<std::string> places(const VariableLookup& environment);

/// Opens DALI and its operators, which stay open as long as the process lives: they have threads.
/// Calling it again costs little.
std::variant<Library, Missing> find_library(const VariableLookup& environment);

/// The same. Throws base::RunError (contract::kExitBadRunDescription) with what Missing says.
Library open_library(const VariableLookup& environment);

}  // namespace dlscale::trainer::dali
