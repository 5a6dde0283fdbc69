// SPDX-License-Identifier: Apache-2.0
// Shows how a format reads a log (`dlscale check-format FORMAT FILE`).
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace dlscale::analysis {
class DescribedFormat;
}

namespace dlscale::workspace {

/// Returns true if the argument names a format file: it ends in .toml or contains a slash.
bool is_format_file(const std::string& format);

/// Reads a format file. Throws base::RunError if it cannot be read, and base::SpecError with the
/// place of an error in it.
std::shared_ptr<const analysis::DescribedFormat> read_format_file(const std::string& file);

struct FormatCheck {
  std::string format;               ///< name of a shipped format, or path of a format file
  std::string log;                  ///< path of a log
  std::vector<std::string> stated;  ///< values of the run, "name=value"
};

/// Prints for each line of the log what the format reads from it, and a summary. Returns the number
/// of results (steps, epochs, evaluations). Throws base::Error for an unknown format and for a log
/// that cannot be read.
int check_format(const FormatCheck& check, std::ostream& out);

}  // namespace dlscale::workspace
