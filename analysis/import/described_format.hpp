// SPDX-License-Identifier: Apache-2.0
// Makes log formats from the texts of format files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

struct FormatText {
  const char* file;  ///< name of the file, for messages
  const char* text;
};
/// Returns the texts of the files in share/log_formats, which are compiled into the program.
std::span<const FormatText> shipped_format_texts();

struct FormatDescription;

/// Log format that a file describes. Shipped formats and formats of users are treated alike.
/// The file contains rules for lines, or a column map or patterns (MappedFormat).
class DescribedFormat {
 public:
  /// Parses the text of a format file. Throws base::SpecError with the place of an error.
  DescribedFormat(std::string_view text, const std::string& file);
  DescribedFormat(const DescribedFormat&) = delete;
  DescribedFormat& operator=(const DescribedFormat&) = delete;

  /// Returns the format as an entry of the table of formats. The entry is valid as long as this
  /// object.
  const LogFormat& entry() const { return entry_; }
  const std::string& text() const { return text_; }
  /// Returns one line of text for each part of the format that is allowed but probably a mistake.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void use_rules(std::string_view text, const std::string& file);

  std::string text_;
  std::vector<std::string> warnings_;
  std::shared_ptr<const FormatDescription> description_;
  std::string mapped_name_;
  LogFormat entry_;
};

}  // namespace dlscale::analysis
