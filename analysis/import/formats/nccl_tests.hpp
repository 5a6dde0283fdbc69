// SPDX-License-Identifier: Apache-2.0
// Finds the columns of nccl-tests tables from the heading, because the columns changed between
// versions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

/// Replaces the content of `words` with the words of a line, which are separated by blanks.
void words_of(std::string_view line, std::vector<std::string_view>& words);

/// Returns the collective that a command measures: "all_reduce" for "/opt/all_reduce_perf -b 8".
std::string collective_of(std::string_view program);

struct NcclColumns {
  static constexpr int kNone = -1;
  struct Way {
    int time = kNone, algbw = kNone, busbw = kNone, wrong = kNone;
  };
  int size = 0, count = 1, type = 2, redop = kNone, root = kNone;
  int all = 0;              ///< number of words in a row, without a timestamp
  std::array<Way, 2> ways;  ///< columns of the out-of-place operation and of the in-place operation
};

/// Returns the columns of a heading "#  size  count  type  redop  root  time  algbw  busbw  #wrong
/// time  algbw  busbw  #wrong", or nothing for any other line.
std::optional<NcclColumns> nccl_columns_of(std::string_view heading);

}  // namespace dlscale::analysis
