// SPDX-License-Identifier: Apache-2.0
// The columns of nccl-tests' tables, which have changed over the years: as the heading says.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

/// Parts of a line between blanks, in place of what `words` had.
void words_of(std::string_view line, std::vector<std::string_view>& words);

/// "all_reduce" of "/opt/all_reduce_perf -b 8".
std::string collective_of(std::string_view program);

struct NcclColumns {
  static constexpr int kNone = -1;
  struct Way {
    int time = kNone, algbw = kNone, busbw = kNone, wrong = kNone;
  };
  int size = 0, count = 1, type = 2, redop = kNone, root = kNone;
  int all = 0;              ///< words of a row, a timestamp not counted
  std::array<Way, 2> ways;  ///< out of place, in place
};

/// Of "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong";
/// nothing for any other line.
std::optional<NcclColumns> nccl_columns_of(std::string_view heading);

}  // namespace dlscale::analysis
