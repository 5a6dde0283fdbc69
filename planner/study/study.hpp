// SPDX-License-Identifier: Apache-2.0
// A study as data: the recipe all runs share, the axes they differ along, what is left out.
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
#include "planner/site/wishes.hpp"

namespace dlscale::planner {

/// What a study says of batches; the rest is derived. Nothing: not said.
struct BatchWish {
  std::optional<std::int64_t> per_gpu, global, most_per_gpu;
  std::optional<int> accumulation_steps;
};

/// What a study says about a run, before anything is derived from it.
struct Recipe {
  contract::RunSpec run;  ///< what needs no derivation; lr_schedule holds its kind only
  BatchWish batch;
  std::optional<double> lr_base, lr_base_per_gpu;
  std::optional<std::int64_t> lr_base_batch;  ///< the global batch that lr_base is for
  std::string lr_scale;  ///< empty: linear where the base is for a GPU or a batch, else none
  std::optional<std::int64_t> warmup_steps;
  std::map<std::string, contract::LrScheduleSpec> schedules;            ///< by kind
  std::map<std::string, contract::FrameworkOptions> framework_options;  ///< by framework
  /// By model; a frozen backbone's classifier is as wide as that of torchvision's VGG unless told.
  std::map<std::string, contract::ModelOptions> model_options{
      {"frozen_backbone", {.classifier_hidden = 4096, .dropout = 0.5}}};
};

/// A key of [training] or [matrix]: how it is read into a recipe and what expressions see.
struct Setting {
  config::Symbol symbol;  ///< the dotted key, the kind of its values, the texts they may be
  bool is_list = false;   ///< one value is itself a list
  std::function<void(Recipe&, const config::Item&)> read;
  std::function<config::Value(Recipe&)> value;  ///< what a recipe says; of lists nothing
};

struct StudyAxis {
  Setting setting;
  std::string key;                   ///< where it stands, as in messages: matrix.gpus
  std::vector<config::Node> values;  ///< those that only an [[include]] asks for, too
  std::vector<std::string> texts;    ///< the values as tables show them
  std::vector<config::Value> seen;   ///< the values as expressions see them
  base::Location where;
  const std::string& name() const { return setting.symbol.name; }
};

/// Axes that vary together: each row holds, for each of the axes, the index of a value.
struct Factor {
  std::vector<std::size_t> axes;
  std::vector<std::vector<std::uint32_t>> rows;
};

/// Points: every combination of a row of each factor, the last factor varying fastest.
using Block = std::vector<Factor>;

struct Exclusion {
  config::Expression when;
  std::string why;
};

/// Values for the points a condition holds for.
struct Override {
  struct Change {
    Setting setting;
    std::string key;
    config::Node node;
    config::Value seen;  ///< as expressions see it
  };
  config::Expression when;
  std::vector<Change> changes;
  std::string key;  ///< where it stands: override[0]
  base::Location where;
};

/// A study, or one of its sub-studies: a matrix of runs and the recipe they share.
struct Matrix {
  std::string name;  ///< of the sub-study; empty: the study itself
  std::string key;   ///< what its sections' keys begin with: "", "substudy[0]."
  base::Location where;
  std::string scaling = "weak";
  Recipe recipe;
  std::map<std::string, base::Location> given;  ///< keys of [training] that the study gives
  std::vector<StudyAxis> axes;                  ///< of [matrix] in the order of the file, of zips
  std::vector<Block> blocks;                    ///< the product, then what each [[include]] adds
  std::vector<config::Symbol> symbols;          ///< what its conditions may name: the axes, …
  std::vector<config::Value> constants;         ///< … then what is the same at all points
  std::vector<Exclusion> exclusions;
  std::vector<Override> overrides;  ///< in their order; the last one that holds counts
  ResourceWishes resources;
};

/// A file the study extends.
struct SourceText {
  std::string file, text;
};

struct Study {
  std::string file;  ///< as the user named it
  std::string name;
  std::string scaling = "weak";
  std::string uneven_batch = "error";
  contract::BaselineRule baseline;
  int repeats = 1;  ///< most of each point
  contract::RepeatUntil until;
  std::uint64_t seed = 1;
  contract::ExternalTrainer trainer;
  base::Location command_where;  ///< of the trainer's command
  std::vector<Matrix> matrices;  ///< at least one
  LaunchWishes launch;
  std::vector<SourceText> bases;  ///< in the order they were read
};

const StudyAxis* find_axis(const Matrix& matrix, std::string_view name);

/// True for a setting that an axis or an override gives, else points do not differ in it.
bool varies(const Matrix& matrix, std::string_view setting);

/// Where a study says something, and how messages call it.
struct Place {
  base::Location where;
  std::string key;
};
/// Of an axis or of a key of [training], if the matrix has it.
std::optional<Place> place_of(const Matrix& matrix, const std::string& name);

}  // namespace dlscale::planner
