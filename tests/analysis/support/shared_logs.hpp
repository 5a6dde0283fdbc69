// SPDX-License-Identifier: Apache-2.0
// Folders of published logs below DLSCALE_TEST_DATA: how each is collected, and what it then says.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dlscale::test {

/// Of the command line, without its dashes; `milliseconds` names a measure of a pattern's factor.
struct Option {
  const char* name;
  const char* value;
};

/// A value that stands in the files, as the database has it.
struct TableValue {
  const char* query;
  double value;
  double tolerance = 1e-6;  ///< relative
};

struct SharedLogs {
  const char* path;
  std::vector<Option> options;
  std::map<std::string, int> formats;  ///< logs of each
  int runs = 0;
  int failed = 0;    ///< of the runs
  int left_out = 0;  ///< files that are no logs
  std::vector<TableValue> values;
};

const std::vector<SharedLogs>& shared_logs();

}  // namespace dlscale::test
