// SPDX-License-Identifier: Apache-2.0
// What a run's description offers to templates and to the commands of external trainers, with the
// study's free parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/script/render.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

// The free parameters of a study beside the names that scripts and commands know already.

/// Throws base::SpecError at a parameter whose name a script or command has for something else.
void check_parameters(const Study& study);

/// A line for each axis that is a parameter the external trainer's command does not name: its runs
/// would all be the same.
std::vector<std::string> unused_parameters(const Study& study);

// What a run's description offers to templates and to the commands of external trainers.

/// A name that templates may use.
struct ScriptName {
  std::string name;
  std::string kind;     ///< value, flag, list, lines, partial
  std::string meaning;  ///< one line
};

/// The values every run has.
std::vector<ScriptName> run_value_names();

/// Whether the command has {{name}}.
bool names_value(std::string_view command, std::string_view name);

/// Adds those values, and the run's free parameters by their bare names (check_parameters).
void add_run_values(const contract::RunSpec& run, TemplateData& data);

/// The command of an external trainer, compiled once.
class ExternalCommand {
 public:
  /// `where` is its place in the study. Throws base::SpecError for a tag that is not allowed.
  ExternalCommand(std::string command, base::Location where);
  /// With the run's values in place of its {{names}}, each quoted for the shell. Throws
  /// base::SpecError for a name that the run does not have, or for which the study says no value.
  std::string of(const contract::RunSpec& run);

 private:
  std::string command_;
  base::Location where_;
  ScriptTemplate template_;
};

}  // namespace dlscale::planner
