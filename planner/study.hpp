// SPDX-License-Identifier: Apache-2.0
// A study as data: the recipe all runs share, the axes they differ along, what is left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/plan.hpp"
#include "contract/run_spec.hpp"
#include "planner/expression.hpp"
#include "planner/wishes.hpp"

namespace dlscale::planner {

/// What a study says about a run, before anything is derived from it.
struct Recipe {
  contract::RunSpec run;  ///< what needs no derivation; lr_schedule holds its kind only
  std::optional<std::int64_t> batch_per_gpu, global_batch;
  std::optional<double> lr_base, lr_base_per_gpu;
  std::string lr_scale;  ///< empty: linear for a rate per GPU, none for a rate of the run
  std::map<std::string, contract::LrScheduleSpec> schedules;            ///< by kind
  std::map<std::string, contract::FrameworkOptions> framework_options;  ///< by framework
};

/// A key of [training] or [matrix]: how it is read into a recipe and what expressions see.
struct Setting {
  Symbol symbol;         ///< the dotted key, the kind of its values, the texts they may be
  bool is_list = false;  ///< one value is itself a list
  std::function<void(Recipe&, const Item&)> read;
};

struct StudyAxis {
  Setting setting;
  std::vector<Node> values;        ///< those that only an [[include]] asks for, too
  std::vector<std::string> texts;  ///< the values as tables show them
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
  Expression when;
  std::string why;
};

/// Values for the points a condition holds for.
struct Override {
  Expression when;
  std::vector<std::pair<Setting, Item>> values;
};

/// A study, or one of its sub-studies: a matrix of runs and the recipe they share.
struct Matrix {
  std::string name;  ///< of the sub-study; empty: the study itself
  std::string scaling = "weak";
  Recipe recipe;
  base::Location dataset_where;  ///< of training.dataset.kind
  std::vector<StudyAxis> axes;   ///< in the order of the file
  std::vector<Block> blocks;     ///< the product, then what each [[include]] adds
  std::vector<Exclusion> exclusions;
  std::vector<Override> overrides;  ///< in their order; the last one that holds counts
  ResourceWishes resources;
};

struct Study {
  std::string file;  ///< as the user named it
  std::string name;
  std::string scaling = "weak";
  std::string uneven_batch = "error";
  contract::BaselineRule baseline;
  int repeats = 1;
  std::uint64_t seed = 1;
  std::vector<Matrix> matrices;  ///< at least one
  LaunchWishes launch;
};

/// Names expressions may use: every axis, then those of gpus, batch_per_gpu and global_batch that
/// are no axis. `point_values` in planner/expand.cpp gives the values in this order.
std::vector<Symbol> study_symbols(const std::vector<StudyAxis>& axes);

}  // namespace dlscale::planner
