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

/// Returns a line for each parameter axis that the command of the external trainer does not use.
/// The runs along such an axis would all be the same.
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

/// Returns true when the command contains {{name}}.
bool names_value(std::string_view command, std::string_view name);

/// Adds the values of run_value_names() and the run's free parameters, which have their bare names
/// (see check_parameters).
void add_run_values(const contract::RunSpec& run, TemplateData& data);

/// Command of an external trainer, compiled once.
class ExternalCommand {
 public:
  /// Takes the command and its place `where` in the study. Throws base::SpecError for a tag that is
  /// not allowed.
  ExternalCommand(std::string command, base::Location where);
  /// Returns the command with the run's values in place of the {{names}}. Each value is quoted for
  /// the shell. Throws base::SpecError for a name that the run does not have, and for a name
  /// without a value in the study.
  std::string of(const contract::RunSpec& run);

 private:
  std::string command_;
  base::Location where_;
  ScriptTemplate template_;
};

}  // namespace dlscale::planner
