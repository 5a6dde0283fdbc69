// SPDX-License-Identifier: Apache-2.0
// Makes log formats from the texts of format files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
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
struct MappedFile;

/// Log format that a file describes. Shipped formats and formats of users are treated alike.
/// The file contains rules for lines, or a column map or patterns (MappedFormat).
class DescribedFormat {
 public:
  /// Parses the text of a format file. Throws base::SpecError with the place of an error. If the
  /// format would find the number of the first epoch in each log, `epochs_from` states it instead.
  DescribedFormat(std::string_view text, const std::string& file,
                  std::optional<int> epochs_from = std::nullopt);
  DescribedFormat(const DescribedFormat&) = delete;
  DescribedFormat& operator=(const DescribedFormat&) = delete;

  /// Returns the format as an entry of the table of formats. The entry is valid as long as this
  /// object.
  const LogFormat& entry() const { return entry_; }
  const std::string& text() const { return text_; }
  /// Returns one line of text for each part of the format that is allowed but probably a mistake.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Returns true if the file has patterns or a column map instead of rules.
  bool is_mapped() const { return mapped_ != nullptr; }
  /// Returns true if the format finds out from a log whether its epochs count from 0 or from 1.
  bool finds_first_epoch() const;
  /// Returns a warning for each rule, pattern or group that `unused` contains, with its place.
  /// `unused` contains indices (LogContent::unused_patterns).
  std::vector<std::string> describe_unused(const std::set<std::size_t>& unused) const;

 private:
  void use_rules(std::string_view text, const std::string& file);

  std::string text_;
  std::vector<std::string> warnings_;
  std::shared_ptr<const FormatDescription> description_;
  std::shared_ptr<const MappedFile> mapped_;
  LogFormat entry_;
};

}  // namespace dlscale::analysis
