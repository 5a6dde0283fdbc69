// SPDX-License-Identifier: Apache-2.0
// Short sample log of each format, written for the tests from the known lines of the format.
#pragma once

#include <string>
#include <vector>

namespace dlscale::analysis {

struct LogSample {
  std::string format;
  std::string text;    ///< complete sample without skipped lines
  std::string broken;  ///< line that the reader must report, or empty without such lines
  std::string why;
  std::string of_each_rank = {};  ///< beginning of the lines that each rank writes only for itself
};

const std::vector<LogSample>& log_samples();

}  // namespace dlscale::analysis
