// SPDX-License-Identifier: Apache-2.0
// Provides the values of a run, including the study's free parameters, to templates and to the
// commands of external trainers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/script/render.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

// The following functions check the free parameters of a study against the names that scripts and
// commands use.

/// Throws base::SpecError at a parameter whose name already has another meaning in scripts or
/// commands.
void check_parameters(const Study& study);

/// Returns one line of text for each parameter axis that the command of the external trainer does
/// not use. All runs along such an axis would be equal.
std::vector<std::string> unused_parameters(const Study& study);

// The following declarations provide the values of a run to templates and commands.

/// Name that templates may use.
struct ScriptName {
  std::string name;
  std::string kind;     ///< value, flag, list, lines or partial
  std::string meaning;  ///< description in a single line
};

/// Returns the names of the values that every run has.
std::vector<ScriptName> run_value_names();

/// Returns whether the command contains {{name}}.
bool names_value(std::string_view command, std::string_view name);

/// Adds the values of run_value_names() and the free parameters of the run to `data`. The names of
/// the parameters have no prefix "parameters." (see check_parameters()).
void add_run_values(const contract::RunSpec& run, TemplateData& data);

/// Command of an external trainer. Its template is compiled once.
class ExternalCommand {
 public:
  /// Stores the command and its place in the study. Throws base::SpecError for a tag that is not
  /// allowed in templates.
  ExternalCommand(std::string command, base::Location where);
  /// Returns the command of a run: each {{name}} is replaced by the run's value, quoted for the
  /// shell. Throws base::SpecError for a name that the run does not have, and for a name whose
  /// value the study does not set.
  std::string of(const contract::RunSpec& run);

 private:
  std::string command_;
  base::Location where_;
  ScriptTemplate template_;
};

}  // namespace dlscale::planner
