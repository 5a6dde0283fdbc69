// SPDX-License-Identifier: Apache-2.0
// A study as data: the recipe all runs share, the axes they differ along, what is left out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/plan.hpp"
#include "contract/run_spec.hpp"
#include "planner/expression.hpp"

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
  const Setting* setting = nullptr;
  std::vector<Node> values;
  base::Location where;
  const std::string& name() const { return setting->symbol.name; }
};

struct Exclusion {
  Expression when;
  std::string why;
};

/// What the study asks of the site.
struct ResourceWishes {
  double walltime_s = 0;   ///< 0: the site's default
  int cores_per_rank = 0;  ///< 0: the site's default
  std::optional<Node> partition;
  std::optional<Node> max_gpu_hours;
};

struct Study {
  std::string file;  ///< as the user named it
  std::string name;
  std::string scaling = "weak";
  std::string uneven_batch = "error";
  contract::BaselineRule baseline;
  int repeats = 1;
  std::uint64_t seed = 1;
  Recipe recipe;
  base::Location dataset_where;  ///< of training.dataset.kind
  std::vector<StudyAxis> axes;   ///< in the order of the file
  /// The value lists of each [[include]], one list per axis: the whole axis where it says nothing.
  std::vector<std::vector<std::vector<Node>>> includes;
  std::vector<Exclusion> exclusions;
  ResourceWishes resources;
};

/// Names expressions may use: every axis, then those of gpus, batch_per_gpu and global_batch that
/// are no axis. `point_values` in planner/expand.cpp gives the values in this order.
std::vector<Symbol> study_symbols(const std::vector<StudyAxis>& axes);

}  // namespace dlscale::planner
