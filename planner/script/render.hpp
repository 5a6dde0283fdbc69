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

/// Returns the names of the partials that a template includes. Each name is listed once.
std::vector<std::string> partials_in(const std::string& text);

/// List of values with unique names. The texts of the names must outlive the list.
template <class T>
using Named = std::vector<std::pair<std::string_view, T>>;

/// Names and values that a template may use.
struct TemplateData {
  Named<std::string> values;                 ///< {{name}}: value, quoted as one word
  Named<bool> flags;                         ///< {{#name}}…{{/name}}: section shown when true
  Named<std::vector<std::string>> lists;     ///< {{#name}}{{.}}{{/name}}: list of quoted words
  Named<std::vector<std::string>> verbatim;  ///< {{#name}}{{{line}}}{{/name}}: unquoted lines
  Named<std::string> partials;               ///< {{>name}}: name of the included template
  /// {{name}}: text that the shell expands to one word, such as "$PWD" in double quotes. The text
  /// is inserted unchanged where the shell reads words, and refused elsewhere.
  Named<std::string> expansions;
  /// Additional values. An additional value replaces the value of the same name in `values`.
  std::map<std::string, std::string> extras;
};

/// Text of a template file. The text is used to find the line of a name for error messages.
struct TemplateSource {
  std::string file;
  std::string text;
};

/// Job script template. `{{>name}}` includes the partial <name>.mustache from the folders of the
/// template. Only `{{{line}}}` may insert unquoted text, and the delimiters are always {{ }}.
class ScriptTemplate {
 public:
  /// Reads <name>.mustache. Throws base::RunError when the file cannot be read.
  ScriptTemplate(std::filesystem::path folder, const std::string& name);
  /// Reads a template of the user. Its partials are first searched in the folder of this template
  /// and then in `folder`.
  static ScriptTemplate of_file(const std::filesystem::path& file, std::filesystem::path folder);
  /// Creates a template from `text`, which is part of the file `file`. Error messages name this
  /// file. The template must not include partials.
  static ScriptTemplate of_text(std::string text, std::string file);
  /// Returns the template filled with the data. Mustache runs only once for all data that differ
  /// only in values and list items. Throws base::SpecError with the template and the line in these
  /// cases:
  /// - The template uses an unknown name or partial. The message suggests the most similar name.
  /// - The text is not valid mustache.
  /// - A value is not allowed on its line (planner/script/shell_text.hpp).
  std::string render(const TemplateData& data);

 private:
  ScriptTemplate() = default;
  /// Text that mustache made, and the data from which mustache made the text. The text is also used
  /// for other data that differ only in values and list items.
  struct Compiled {
    TemplateData data;
    ScriptText text;
    std::vector<TemplateSource> sources;  // sources of the template and its partials
  };
  const Compiled& compiled_for(const TemplateData& data);
  Compiled compile(const TemplateData& data) const;

  std::vector<std::filesystem::path> folders_;  // folders of partials, in search order
  std::string file_;
  std::string text_;
  std::vector<Compiled> compiled_;  // compiled texts of all data so far; see same_shape()
};

}  // namespace dlscale::planner
