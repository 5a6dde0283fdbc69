// SPDX-License-Identifier: Apache-2.0
// Folders of published logs below DLSCALE_TEST_DATA, with their collect options and expected
// values.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dlscale::test {

/// Option of the command line without the dashes. The option `milliseconds` exists only in
/// these tests. Its value is the name of a measure that a pattern reads in milliseconds.
struct Option {
  const char* name;
  const char* value;
};

/// Expected value, taken from the files, and the query that must return this value from the
/// database.
struct TableValue {
  const char* query;
  double value;
  double tolerance = 1e-6;  ///< relative tolerance
};

struct SharedLogs {
  const char* path;
  std::vector<Option> options;
  std::map<std::string, int> formats;  ///< number of logs by format
  int runs = 0;
  int failed = 0;    ///< number of failed runs
  int left_out = 0;  ///< number of files that are not logs
  std::vector<TableValue> values;
};

const std::vector<SharedLogs>& shared_logs();

}  // namespace dlscale::test
