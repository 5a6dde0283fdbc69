// SPDX-License-Identifier: Apache-2.0
// Describes a study: the recipe that all runs share, the axes along which runs differ, and the
// excluded points.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/expression/expression.hpp"
#include "contract/plan/plan.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/site/job_settings.hpp"

namespace dlscale::planner {

/// Batch sizes that a study gives. Missing values are derived.
struct RequestedBatch {
  std::optional<std::int64_t> per_gpu, global, most_per_gpu;
  std::optional<int> accumulation_steps;
};

/// Settings that a study gives for a run, before any values are derived.
struct Recipe {
  contract::RunSpec run;  ///< values as the study gives them; lr_schedule has only its kind
  RequestedBatch batch;
  std::optional<double> lr_base, lr_base_per_gpu;
  std::optional<std::int64_t> lr_base_batch;  ///< global batch for which lr_base was chosen
  /// Rule that scales the learning rate. If empty, the rule is "linear" with lr_base_per_gpu or
  /// lr_base_batch, and otherwise "none".
  std::string lr_scale;
  std::optional<std::int64_t> warmup_steps;
  std::map<std::string, contract::LrScheduleSpec> schedules;            ///< schedules by kind
  std::map<std::string, contract::FrameworkOptions> framework_options;  ///< options by framework
  /// Options by model. By default, the classifier of a frozen backbone is as wide as the classifier
  /// of torchvision's VGG.
  std::map<std::string, contract::ModelOptions> model_options{
      {"frozen_backbone", {.classifier_hidden = 4096, .dropout = 0.5}}};
};

/// Key of [training] or [matrix]. `read` stores a value in a recipe, and `value` returns it as
/// conditions use it.
struct Setting {
  config::Symbol symbol;  ///< dotted key, kind of its values, allowed texts
  bool is_list = false;   ///< true when a single value is a list
  std::function<void(Recipe&, const config::Item&)> read;
  std::function<config::Value(Recipe&)> value;  ///< value in a recipe; empty text for lists
};

struct StudyAxis {
  Setting setting;
  std::string key;                   ///< key in messages, such as matrix.gpus
  std::vector<config::Node> values;  ///< all values, including values of an [[include]]
  std::vector<std::string> texts;    ///< values as tables show them
  std::vector<config::Value> seen;   ///< values as conditions use them
  base::Location where;
  const std::string& name() const { return setting.symbol.name; }
};

/// Axes that vary together. Each row contains one value index for each of the axes.
struct Factor {
  std::vector<std::size_t> axes;
  std::vector<std::vector<std::uint32_t>> rows;
};

/// Product of factors. Its points are all combinations of one row of each factor. The last factor
/// varies fastest.
using Block = std::vector<Factor>;

struct Exclusion {
  config::Expression when;
  std::string why;
};

/// Settings that change for the points for which a condition holds.
struct Override {
  struct Change {
    Setting setting;
    std::string key;
    config::Node node;
    config::Value seen;  ///< value as conditions use it
  };
  config::Expression when;
  std::vector<Change> changes;
  std::string key;  ///< key in messages, such as override[0]
  base::Location where;
};

/// Matrix of runs and the recipe that they share, from a study or a sub-study.
struct Matrix {
  std::string name;  ///< name of the sub-study; empty: the study itself
  std::string key;   ///< beginning of section keys in messages: "" or "substudy[0]."
  base::Location where;
  std::string scaling = "weak";
  Recipe recipe;
  /// Places of the keys of [training] that the study sets.
  std::map<std::string, base::Location> given;
  std::vector<StudyAxis> axes;  ///< axes of [matrix] in file order, then of [[zip]]
  /// Blocks of points: first the combinations of the axes, then a block for each [[include]].
  std::vector<Block> blocks;
  std::vector<config::Symbol> symbols;   ///< names that conditions may use: axes first
  std::vector<config::Value> constants;  ///< value of each symbol that is not an axis
  std::vector<Exclusion> exclusions;
  std::vector<Override> overrides;  ///< overrides in file order; the last matching one applies
  ResourceSettings resources;
};

/// File that the study extends.
struct SourceText {
  std::string file, text;
};

/// Template of a configuration file that each run of an external trainer gets.
struct FileTemplate {
  std::string file, text;  ///< path and content of the template
  std::string to;          ///< path of the configuration file in the launch folder
  base::Location where;    ///< place of `template` in the study
  std::string key;         ///< key in messages, such as trainer.files[0].template
};

struct Study {
  std::string file;  ///< file name as given by the user
  std::string name;
  std::string scaling = "weak";
  std::string uneven_batch = "error";
  contract::BaselineRule baseline;
  /// Publication that the study is compared with: name or absolute path of a reference. Empty:
  /// none.
  std::string reference;
  int repeats = 1;  ///< maximum number of repetitions of a point
  contract::RepeatUntil until;
  /// Order in which runs start. "repetitions": the first repetition of all points, then the second.
  /// "points": all repetitions of the first point, then those of the second.
  std::string order = "repetitions";
  std::uint64_t seed = 1;
  contract::ExternalTrainer trainer;
  SourceText log_format;  ///< format of the trainer's output that the study describes; empty: none
  /// Name of the log format that the key `read` states. `trainer` does not contain this name,
  /// because run ids depend on `trainer` but not on the key `read`.
  std::string read_format;
  base::Location command_where;                ///< place of the trainer's command
  std::vector<std::string> environment_setup;  ///< shell lines that each job runs at its start
  base::Location environment_setup_where;
  std::vector<FileTemplate> files;  ///< templates of trainer.files, in the same order
  std::vector<Matrix> matrices;     ///< matrices of the study; at least 1
  LaunchSettings launch;
  std::vector<SourceText> bases;  ///< extended files in the order of reading

  /// Returns the absolute path of the folder of the study file.
  std::string folder() const;
};

/// Returns the absolute path of the folder of the file in which a value was written. A value from
/// the command line belongs to the study file. Relative paths in a study begin in this folder.
std::string folder_of(const base::Location& where, const std::string& study_file);

const StudyAxis* find_axis(const Matrix& matrix, std::string_view name);

/// Returns whether an axis or an override sets the setting. Otherwise all points have the same
/// value.
bool varies(const Matrix& matrix, std::string_view setting);

/// Place in a study, with the key that messages show.
struct StudyPlace {
  base::Location where;
  std::string key;
};
/// Returns the place of an axis or of a key of [training]. Returns nothing if the matrix does not
/// set the name.
std::optional<StudyPlace> place_of(const Matrix& matrix, const std::string& name);

}  // namespace dlscale::planner
