// SPDX-License-Identifier: Apache-2.0
// What only some parts of a trainer count.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dlscale::trainer {

/// For the record: keys of it, and how much was counted in its time.
using Counts = std::vector<std::pair<std::string, std::int64_t>>;

}  // namespace dlscale::trainer
