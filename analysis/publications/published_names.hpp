// SPDX-License-Identifier: Apache-2.0
// Translates the names that publications use for axes and their values to the names of dlscale.
#pragma once

#include <string>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

/// Returns the axis of the user's runs that a publication calls `axis`: the name in the settings
/// `names.axes` of the publication, else `axis` itself.
std::string own_axis(const Publication& publication, const std::string& axis);

/// Returns the cell with the names that the user's runs have. Each name is translated by the
/// settings `names.<axis>` of the publication, else by a list of common names ("PyTorch-DDP",
/// "dali", "autoencoder"). A name may stand for several names, as "dali" does for "dali_cpu" and
/// "dali_gpu". Other names, numbers and ranges stay as they are.
std::string own_cell(const Publication& publication, const std::string& axis,
                     const std::string& cell);

}  // namespace dlscale::analysis
