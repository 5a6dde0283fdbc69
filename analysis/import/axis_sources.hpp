// SPDX-License-Identifier: Apache-2.0
// Determines the axes of an imported run (settings such as gpus or model) from sources other than
// the content of its log: the path of the log, a table and the command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/import/foreign_log.hpp"
#include "analysis/import/mapped/mapped_format.hpp"
#include "analysis/import/reading/regex.hpp"

namespace dlscale::analysis {

/// Axis whose value a regular expression extracts from the path of a log. The user states the axis
/// as NAME=REGEX, and the capture group of the expression is the value. The expression is matched
/// against the path as the user wrote it, beginning with the last component of the named folder. If
/// there are several matches, the match nearest to the file name is used, because folders further
/// up are often named for other purposes.
class PathAxis {
 public:
  /// Throws base::UsageError if the text does not have the form NAME=REGEX or the expression does
  /// not have exactly one group.
  explicit PathAxis(const std::string& text);
  const std::string& name() const { return name_; }
  std::optional<std::string> value(const ForeignLog& log) const;

 private:
  std::string name_;
  Regex regex_;
};

/// Splits `name=value`. `option` is the command line option that error messages name. Throws
/// base::UsageError for any other form.
std::pair<std::string, std::string> parse_stated(const std::string& option,
                                                 const std::string& text);

/// CSV file that states the axes of logs. It has a column `path` and one column for each axis. A
/// path in the table is the whole path of a log or the last part of this path.
class AxisTable {
 public:
  /// Throws base::UsageError if the file has no column `path`, has two equal headings, or has a
  /// heading that cannot be the name of an axis. Throws base::SpecError for a row that cannot be
  /// read.
  explicit AxisTable(const std::string& file);
  /// Returns the axes of the first row whose path matches the log, or null if no row matches.
  const AxisValues* find(const ForeignLog& log);
  /// Returns a message for each row that was not used: rows without a path, rows whose path matches
  /// no log, and rows whose log an earlier row already describes. Each message begins with the path
  /// or the line number.
  std::vector<std::string> unused() const;

 private:
  struct Row {
    std::string path;
    AxisValues axes;
    int line = 0;
    bool is_used = false;
    bool is_late = false;  ///< true if an earlier row matches the same log
  };
  std::vector<Row> rows_;
};

/// Axes of a run merged from several sources. The first source that states an axis determines its
/// value.
class MergedAxes {
 public:
  /// Adds the axes of one source. Records a conflict for each value that differs from the value of
  /// an earlier source. Ignores empty values.
  void add(const std::string& source, const AxisValues& axes);
  const AxisValues& values() const { return values_; }
  /// Returns one message for each axis for which two sources state different values, for example
  /// "gpus is 2 according to its path, but 3 according to its content".
  const std::vector<std::string>& conflicts() const { return conflicts_; }
  /// Returns the source that states an axis, or an empty text if no source states it.
  std::string source_of(const std::string& axis) const;

 private:
  AxisValues values_;
  std::map<std::string, std::string> sources_;
  std::vector<std::string> conflicts_;
};

}  // namespace dlscale::analysis
