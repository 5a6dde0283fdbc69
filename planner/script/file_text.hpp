// SPDX-License-Identifier: Apache-2.0
// Renders configuration files of runs from templates. Values are escaped as the format of the file
// requires.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/script/run_values.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Format of a configuration file, which decides how values are escaped.
enum class FileFormat { yaml, toml, json, shell, other };

/// Returns the format of a file by the extension of its path: .yaml, .yml, .toml, .json, .sh and
/// .bash. Files with other extensions get values unchanged.
FileFormat format_of(std::string_view path);

/// Template of a configuration file with tags {{name}}. Comments {{! … }} are left out. Other tags
/// of mustache are errors.
///
/// A value stands inside quotes of the format, or alone. A value that stands alone is written as a
/// number, a truth value or a list if it is one, and otherwise as a text in quotes.
class FileText {
 public:
  /// Parses a template. `file` is used in messages. Throws base::SpecError with the place of a
  /// wrong tag.
  FileText(std::string_view text, std::string file, FileFormat format);

  /// Returns the value of a name. May throw base::SpecError without a place.
  using Lookup = std::function<CommandValue(const std::string& name)>;
  /// Returns the file with all values. Throws base::SpecError with the place in the template for a
  /// value that `lookup` rejects, or that the format cannot hold at this place.
  std::string with(const Lookup& lookup) const;

 private:
  /// Surroundings of a value in the file.
  enum class Context {
    alone,    ///< the value is a complete value of the format
    part,     ///< outside of quotes, next to other characters
    text,     ///< any characters except line breaks: comments, block scalars, other formats
    escaped,  ///< inside double quotes with \ escapes
    doubled,  ///< inside single quotes of YAML, in which '' stands for '
    literal,  ///< inside single quotes of TOML, which have no escapes
    multiline_literal  ///< inside ''' of TOML
  };
  struct Piece {
    std::string before;  ///< text between the previous tag and this tag
    std::string name;
    Context context = Context::text;
    base::Location where;
  };
  void find_contexts();
  std::string fitted(const CommandValue& value, const Piece& piece) const;
  std::string shell_text(const std::vector<CommandValue>& values) const;

  std::string file_;
  FileFormat format_;
  std::vector<Piece> pieces_;
  std::string rest_;
};

/// Configuration files of the runs of a study.
class RunFiles {
 public:
  /// Parses the templates of the study. Throws base::SpecError for a wrong tag.
  explicit RunFiles(const Study& study);
  bool empty() const { return files_.empty(); }
  /// Returns the paths of the files, relative to the launch folder.
  const std::vector<std::string>& paths() const { return paths_; }
  /// Returns the text of each file for a run. Values that are known only when the job starts are
  /// marks that the job script replaces (templates/rank_external.mustache). Throws base::SpecError
  /// with the place in the template.
  std::vector<std::string> texts(const contract::RunSpec& run, const RunPlace& place,
                                 const Matrix& matrix) const;

 private:
  std::vector<FileText> files_;
  std::vector<std::string> paths_;
};

}  // namespace dlscale::planner
