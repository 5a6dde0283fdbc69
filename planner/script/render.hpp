// SPDX-License-Identifier: Apache-2.0
// Renders job script templates (mustache) and treats each undefined name as an error.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/script/shell_text.hpp"

namespace dlscale::planner {

/// File name extension of templates and partials.
inline constexpr const char* kTemplateExtension = ".mustache";

/// Returns the sorted names of the templates in a folder, or an empty list for an unreadable
/// folder.
std::vector<std::string> templates_in(const std::filesystem::path& folder);

/// Returns the partials that a template includes, each listed once.
std::vector<std::string> partials_in(const std::string& text);

/// Unique names and their values. The names must outlive the data.
template <class T>
using Named = std::vector<std::pair<std::string_view, T>>;

/// Names and values that a template may use.
struct TemplateData {
  Named<std::string> values;                  ///< {{name}}: quoted word
  Named<bool> flags;                          ///< {{#name}}…{{/name}}: section shown when true
  Named<std::vector<std::string>> lists;      ///< {{#name}}{{.}}{{/name}}: quoted words
  Named<std::vector<std::string>> verbatim;   ///< {{#name}}{{{line}}}{{/name}}: unquoted lines
  Named<std::string> partials;                ///< {{>name}}: name of another template
  std::map<std::string, std::string> extras;  ///< more values; they hide values of the same names
};

/// Text of a template as read, used to locate a name in error messages.
struct TemplateSource {
  std::string file;
  std::string text;
};

/// Template with the partials of its folders: `{{>name}}` includes <name>.mustache. Only
/// `{{{line}}}` may be unquoted, and the delimiters are always {{ }}.
class ScriptTemplate {
 public:
  /// Reads <name>.mustache. Throws base::RunError when the file cannot be read.
  ScriptTemplate(std::filesystem::path folder, const std::string& name);
  /// Reads the user's own template. Its partials are searched in the folder of the template, then
  /// in `folder`.
  static ScriptTemplate of_file(const std::filesystem::path& file, std::filesystem::path folder);
  /// Takes a template that is part of another file, which messages name. The template has no
  /// partials.
  static ScriptTemplate of_text(std::string text, std::string file);
  /// Returns the template filled with the data. Throws base::SpecError naming template and line for
  /// an unknown name or partial (with the nearest name), for invalid mustache, and for values that
  /// are not allowed on their line (planner/script/shell_text.hpp). Mustache runs only once for all
  /// data that differ only in values and list items.
  std::string render(const TemplateData& data);

 private:
  ScriptTemplate() = default;
  /// Compiled text and the data it was made from. The text also serves data with other values and
  /// list items.
  struct Compiled {
    TemplateData data;
    ScriptText text;
    std::vector<TemplateSource> sources;  // template, then its partials
  };
  const Compiled& compiled_for(const TemplateData& data);
  Compiled compile(const TemplateData& data) const;

  std::vector<std::filesystem::path> folders_;  // folders of partials, in search order
  std::string file_;
  std::string text_;
  std::vector<Compiled> compiled_;  // compiled text for each shape of data so far
};

}  // namespace dlscale::planner
