// SPDX-License-Identifier: Apache-2.0
// Where axes of a run come from when its log does not say them: its path, a table, the user.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/import/foreign_log.hpp"
#include "analysis/import/mapped_format.hpp"
#include "analysis/import/regex.hpp"

namespace dlscale::analysis {

/// `name=REGEX`: the group of the expression where it matches the path of a log as it was named,
/// from the folder on that was named; of several matches that which is nearest to the file, for
/// folders above are others' names.
class PathAxis {
 public:
  /// Throws base::UsageError for another form, or another number of groups than one.
  explicit PathAxis(const std::string& text);
  const std::string& name() const { return name_; }
  std::optional<std::string> value(const ForeignLog& log) const;

 private:
  std::string name_;
  Regex regex_;
};

/// `name=value`, as `option` says it. Throws base::UsageError for another form.
std::pair<std::string, std::string> parse_stated(const std::string& option,
                                                 const std::string& text);

/// A CSV file with a column `path` (of logs, or the ends of their paths) and a column for each
/// axis.
class AxisTable {
 public:
  /// Throws base::UsageError when it is none.
  explicit AxisTable(const std::string& file);
  /// Null when no row is about the log.
  const AxisValues* find(const ForeignLog& log);
  /// What is wrong with rows that say nothing of a log: no path, the path of none of the logs, or
  /// of one that an earlier row is about. Begins with the path or the line.
  std::vector<std::string> unused() const;

 private:
  struct Row {
    std::string path;
    AxisValues axes;
    int line = 0;
    bool is_used = false;
    bool is_late = false;  ///< an earlier row is about the same log
  };
  std::vector<Row> rows_;
};

/// What several sources say of a run: those that come first count.
class MergedAxes {
 public:
  /// What says otherwise than a source before it is a conflict; empty values say nothing.
  void add(const std::string& source, const AxisValues& axes);
  const AxisValues& values() const { return values_; }
  /// "gpus is 2 by its path, but 3 by its content": one for each axis.
  const std::vector<std::string>& conflicts() const { return conflicts_; }
  /// Who says an axis; empty: nobody.
  std::string source_of(const std::string& axis) const;

 private:
  AxisValues values_;
  std::map<std::string, std::string> sources_;
  std::vector<std::string> conflicts_;
};

}  // namespace dlscale::analysis
