// SPDX-License-Identifier: Apache-2.0
// A short log of each format, written for the tests from what is known of its lines.
#pragma once

#include <string>
#include <vector>

namespace dlscale::analysis {

struct LogSample {
  std::string format;
  std::string text;    ///< nothing in it is passed over
  std::string broken;  ///< a line that its reader must name; empty: it has no such lines
  std::string why;
  std::string of_each_rank = {};  ///< how lines begin that each rank writes of itself alone
};

const std::vector<LogSample>& log_samples();

}  // namespace dlscale::analysis
