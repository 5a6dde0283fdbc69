// SPDX-License-Identifier: Apache-2.0
// Shows how a format reads logs (`dlscale check-format FORMAT FILE…`).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace dlscale::workspace {

/// Returns true if the argument names a format file: it ends in .toml or contains a slash.
bool is_format_file(const std::string& format);

struct FormatCheck {
  std::string format;             ///< name of a shipped format, or path of a format file
  std::vector<std::string> logs;  ///< paths of logs
  /// Values of the run, "name=value". If there are none, and a log lies in the launch folder of a
  /// plan folder, the description of the run is used.
  std::vector<std::string> stated;
};

/// Prints for each line of each log what the format reads from the line, and a summary of each log.
/// Prints the name of each log if there are several. A log without text, for example an empty file,
/// gets a message instead. Prints the warnings about a format file once, after the logs, and the
/// patterns or rules of the file that read no line of any log. Returns true if the format read
/// results (steps, epochs, evaluations) from all logs. Throws base::Error for an unknown format,
/// for an error in a format file, for a wrong value of the run and for a log that does not exist.
/// Nothing is printed before such an error.
bool check_format(const FormatCheck& check, std::ostream& out);

}  // namespace dlscale::workspace
