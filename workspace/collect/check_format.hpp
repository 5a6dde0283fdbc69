// SPDX-License-Identifier: Apache-2.0
// Shows how a format reads a log (`dlscale check-format FORMAT FILE`).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace dlscale::workspace {

/// Returns true if the argument names a format file: it ends in .toml or contains a slash.
bool is_format_file(const std::string& format);

struct FormatCheck {
  std::string format;  ///< name of a shipped format, or path of a format file
  std::string log;     ///< path of a log
  /// Values of the run, "name=value". If there are none, and the log lies in the launch folder of a
  /// plan folder, the description of the run is used.
  std::vector<std::string> stated;
};

/// Prints for each line of the log what the format reads from it, and a summary. Returns the number
/// of results (steps, epochs, evaluations). Throws base::Error for an unknown format, for an error
/// in a format file, and for a file that cannot be read.
int check_format(const FormatCheck& check, std::ostream& out);

}  // namespace dlscale::workspace
