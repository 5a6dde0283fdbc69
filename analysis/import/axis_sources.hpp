// SPDX-License-Identifier: Apache-2.0
// Sources of a run's axes other than its log: the log's path, a table and the command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/import/foreign_log.hpp"
#include "analysis/import/mapped_format.hpp"
#include "analysis/import/regex.hpp"

namespace dlscale::analysis {

/// Axis whose value is taken from the path of a log by `name=REGEX`.
/// The value is the group of the expression. The expression is matched against the path as the user
/// wrote it, from the last component of the named folder on. The match nearest to the file name
/// wins, because folders further up are often named for other purposes.
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

/// CSV file with a column `path` and one column for each axis. A path is the path of a log or the
/// end of that path.
class AxisTable {
 public:
  /// Throws base::UsageError if the file has no column `path`, a heading twice or a heading that
  /// cannot be an axis name, and base::SpecError for a row that cannot be read.
  explicit AxisTable(const std::string& file);
  /// Returns the axes of the first row whose path matches the log, or null if no row matches.
  const AxisValues* find(const ForeignLog& log);
  /// Returns a message for each row that was not used: rows without a path, rows whose path matches
  /// no log, and rows for a log that an earlier row describes. Each message begins with the path or
  /// the line number.
  std::vector<std::string> unused() const;

 private:
  struct Row {
    std::string path;
    AxisValues axes;
    int line = 0;
    bool is_used = false;
    bool is_late = false;  ///< true if an earlier row describes the same log
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
  /// Returns one message for each conflicting axis, for example
  /// "gpus is 2 by its path, but 3 by its content".
  const std::vector<std::string>& conflicts() const { return conflicts_; }
  /// Returns the source that states an axis, or an empty text if no source states it.
  std::string source_of(const std::string& axis) const;

 private:
  AxisValues values_;
  std::map<std::string, std::string> sources_;
  std::vector<std::string> conflicts_;
};

}  // namespace dlscale::analysis
