// SPDX-License-Identifier: Apache-2.0
// Short sample logs, one for each format. They were written for the tests and contain the lines
// that the format's reader knows.
#pragma once

#include <string>
#include <vector>

namespace dlscale::analysis {

struct LogSample {
  std::string format;
  std::string text;    ///< complete sample without skipped lines
  std::string broken;  ///< line that the reader must report; empty: no such line
  std::string why;
  std::string of_each_rank = {};  ///< beginning of lines that each rank writes about itself
};

const std::vector<LogSample>& log_samples();

}  // namespace dlscale::analysis
