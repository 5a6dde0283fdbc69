// SPDX-License-Identifier: Apache-2.0
// A row of blocks cut into stages.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::trainer {

/// Cuts `costs` (each at least 0) into `stages` stretches, none empty, so that the dearest is as
/// cheap as can be; among such cuts the one whose later stages begin earliest. Returns stages + 1
/// places: stage s is [places[s], places[s + 1]). There must be as many blocks as stages.
std::vector<std::size_t> cut_into_stages(const std::vector<double>& costs, std::size_t stages);

}  // namespace dlscale::trainer
