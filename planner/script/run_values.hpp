// SPDX-License-Identifier: Apache-2.0
// Provides the values of a run, including the study's free parameters, to templates and to the
// commands of external trainers.
#pragma once

#include <map>
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

/// Returns one line of text for each parameter axis that neither the command of the external
/// trainer nor a configuration file uses. All runs along such an axis would be equal.
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
/// Returns whether the command or the template of a configuration file contains {{name}}.
bool names_value(const Study& study, std::string_view name);

/// Adds the values of run_value_names() and the free parameters of the run to `data`. The names of
/// the parameters have no prefix "parameters." (see check_parameters()).
void add_run_values(const contract::RunSpec& run, TemplateData& data);

/// Facts about the plan and the site of a run that commands and configuration files may name.
struct RunPlace {
  std::string study_folder;  ///< absolute path of the folder of the study file
  std::string plan_folder;   ///< absolute path of the plan folder
  int gpus_per_node = 0;     ///< GPUs of each node of the partition
};

/// Returns the names that commands and configuration files may use in addition to
/// run_value_names(): places, resources, and values that are known when the job starts.
std::vector<ScriptName> command_names();

/// Value that a command or a configuration file names.
struct CommandValue {
  enum class Kind { text, number, truth, list };
  std::string text;
  Kind kind = Kind::text;
};

/// Values of a run by the names that commands and configuration files use. Values that are known
/// only when the job starts are missing (see launch_value_names()).
/// - Names of parameters count first, without the prefix "parameters.". A parameter therefore keeps
///   its meaning if a later version adds a value of the same name.
/// - Then follow the names of run_value_names() and command_names().
/// - Then follow the axes of the run, with their dotted names, and environment.NAME.
///
/// `matrix` contains the run and tells the kinds of its axes and parameters. It may be null. Values
/// of axes and parameters then count as texts.
std::map<std::string, CommandValue> command_values(const contract::RunSpec& run,
                                                   const RunPlace& place, const Matrix* matrix);

/// Returns the names of values that the job script knows only after it has created the launch
/// folder: launch_folder, master_address, master_port.
const std::vector<std::string_view>& launch_value_names();

/// Returns the message for a named value that the study does not set, or an empty text.
std::string missing_value(const std::string& name, const CommandValue& value,
                          const contract::RunSpec& run);

/// Returns the command with absolute paths: a word without quotes that names a file in `folder` is
/// replaced by the path of the file. Words after `>` stay as they are, and so do the names of
/// `files`, which the job writes into the launch folder.
std::string with_paths(std::string_view command, const std::string& folder,
                       const std::vector<contract::TrainerFile>& files = {});

/// Returns the words of the command that with_paths() replaces, in the order of the command.
std::vector<std::string> named_files(std::string_view command, const std::string& folder,
                                     const std::vector<contract::TrainerFile>& files = {});

/// Command of an external trainer. Its template is compiled once.
class ExternalCommand {
 public:
  /// Stores the command of the trainer and its place in the study. Words that name files in
  /// `folder` become absolute paths (see with_paths()). Throws base::SpecError for a tag that is
  /// not allowed in templates.
  ExternalCommand(const contract::ExternalTrainer& trainer, base::Location where,
                  const std::string& folder);
  /// Stores a command without files.
  ExternalCommand(const std::string& command, base::Location where)
      : ExternalCommand(contract::ExternalTrainer{.command = command}, std::move(where), {}) {}
  /// Returns the command of a run: each {{name}} is replaced by the run's value, quoted for the
  /// shell. Values that are known only when the job starts become variables of the shell. Throws
  /// base::SpecError for a name that the run does not have, and for a name whose value the study
  /// does not set.
  std::string of(const contract::RunSpec& run, const RunPlace& place);
  /// Returns the command as the study gives it, with absolute paths.
  const std::string& text() const { return command_; }

 private:
  std::string command_;
  base::Location where_;
  ScriptTemplate template_;
};

/// Returns the program that a job starts for `command`, which is ExternalCommand::text(): torchrun
/// if it is the launcher of the trainer, else the first word of the command. Returns an empty text
/// if the first word is not a plain name or path.
std::string program_of(const contract::ExternalTrainer& trainer, std::string_view command);

/// Returns the lines of trainer.environment_setup. Replaces {{study}}, {{study_folder}} and
/// {{plan_folder}}, and makes words that name files in the study's folder absolute paths. Throws
/// base::SpecError for any other {{name}}.
std::vector<std::string> setup_lines(const Study& study, const RunPlace& place);

}  // namespace dlscale::planner
