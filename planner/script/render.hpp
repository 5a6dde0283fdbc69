// SPDX-License-Identifier: Apache-2.0
// Fills in job script templates (mustache), strictly: a name nothing defines is an error.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/script/shell_text.hpp"

namespace dlscale::planner {

/// Of templates and partials.
inline constexpr const char* kTemplateExtension = ".mustache";

/// Names of the templates in a folder, sorted; none where it cannot be read.
std::vector<std::string> templates_in(const std::filesystem::path& folder);

/// The partials that a template asks for, each once.
std::vector<std::string> partials_in(const std::string& text);

/// Names, each once, and what they stand for. The names outlive the data.
template <class T>
using Named = std::vector<std::pair<std::string_view, T>>;

/// What a template may name.
struct TemplateData {
  Named<std::string> values;                  ///< {{name}}: one word, quoted
  Named<bool> flags;                          ///< {{#name}}…{{/name}}
  Named<std::vector<std::string>> lists;      ///< {{#name}}{{.}}{{/name}}
  Named<std::vector<std::string>> verbatim;   ///< {{#name}}{{{line}}}{{/name}}
  Named<std::string> partials;                ///< {{>name}} that stands for another template
  std::map<std::string, std::string> extras;  ///< more values, which hide those of these names
};

/// A template's text as read, for telling where a name stands.
struct TemplateSource {
  std::string file;
  std::string text;
};

/// One template and the partials (`{{>name}}` is <name>.mustache) of a folder. Only `{{{line}}}`
/// may stand unquoted, and delimiters stay {{ }}.
class ScriptTemplate {
 public:
  /// Reads <name>.mustache. Throws base::RunError when it cannot be read.
  ScriptTemplate(std::filesystem::path folder, const std::string& name);
  /// The user's own template; its partials are looked for beside it, then in `folder`.
  static ScriptTemplate of_file(const std::filesystem::path& file, std::filesystem::path folder);
  /// A template that stands in another file, which messages name. It has no partials.
  static ScriptTemplate of_text(std::string text, std::string file);
  /// Throws base::SpecError naming template and line for an unknown name or partial (with the
  /// nearest), bad mustache, and values their line cannot hold (planner/script/shell_text.hpp).
  /// Mustache runs once for all data that differ in values and list items only.
  std::string render(const TemplateData& data);

 private:
  ScriptTemplate() = default;
  /// A text and the data it was made for; their values and list items may be others.
  struct Compiled {
    TemplateData data;
    ScriptText text;
    std::vector<TemplateSource> sources;  // the template, then its partials
  };
  const Compiled& compiled_for(const TemplateData& data);
  Compiled compile(const TemplateData& data) const;

  std::vector<std::filesystem::path> folders_;  // where partials are, the first that has one
  std::string file_;
  std::string text_;
  std::vector<Compiled> compiled_;  // of each shape of data met so far
};

}  // namespace dlscale::planner
