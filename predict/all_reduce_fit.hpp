// SPDX-License-Identifier: Apache-2.0
// Latency and bandwidth of measured all-reduces, for each range of sizes that one line describes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "contract/records/calibration.hpp"

namespace dlscale::predict {

/// So many sizes of a placement make a line with an interval.
inline constexpr int kFewestSizes = 3;

/// For each topology and placement its ranges, ascending: protocols and algorithms change with the
/// size, and α and β with them. One range, two or three, of at least four sizes each where there
/// are several; their number and borders have the least AICc of relative errors (Hurvich and Tsai,
/// 1989). Of several times of one size their middle counts. Placements with fewer than kFewestSizes
/// sizes have none.
std::vector<contract::AllReduceFit> fit_all_reduces(
    const std::vector<contract::AllReduceTime>& measured);

/// How much longer a reduce-scatter takes than an all-gather of the same array, for each byte that
/// is added up: γ of Barrachina's formula by the byte. Of times of one placement on `gpus` ranks,
/// by size; sizes of which only one of both was measured are passed over. 0 with fewer than
/// kFewestSizes.
contract::FittedValue fit_summation(int gpus,
                                    const std::map<std::int64_t, double>& reduce_scatter_s,
                                    const std::map<std::int64_t, double>& all_gather_s);

}  // namespace dlscale::predict
