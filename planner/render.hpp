// SPDX-License-Identifier: Apache-2.0
// Fills in job script templates (mustache), strictly: a name nothing defines is an error.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dlscale::planner {

/// What a template may name.
struct TemplateData {
  std::map<std::string, std::string> values;                 ///< {{name}}: one word, quoted
  std::map<std::string, bool> flags;                         ///< {{#name}}…{{/name}}
  std::map<std::string, std::vector<std::string>> lists;     ///< {{#name}}{{.}}{{/name}}
  std::map<std::string, std::vector<std::string>> verbatim;  ///< {{#name}}{{{line}}}{{/name}}
  std::map<std::string, std::string> partials;  ///< {{>name}} that stands for another template
};

/// One template and the partials (`{{>name}}` is <name>.mustache) of a folder. Only `{{{line}}}`
/// may stand unquoted, and delimiters stay {{ }}.
class ScriptTemplate {
 public:
  /// Reads <name>.mustache. Throws base::RunError when it cannot be read.
  ScriptTemplate(std::filesystem::path folder, const std::string& name);
  /// Throws base::SpecError naming template and line for an unknown name or partial (with the
  /// nearest), bad mustache, and values their line cannot hold (planner/shell_text.hpp).
  std::string render(const TemplateData& data) const;

 private:
  std::filesystem::path folder_;
  std::string file_;
  std::string text_;
};

}  // namespace dlscale::planner
