// SPDX-License-Identifier: Apache-2.0
// Collects warnings about runs that would fail or that differ from the intention of the study.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::planner {

/// Capabilities of a trainer: the site's trainer, the trainer built here, or both when they are the
/// same.
struct Knowledge {
  contract::Capabilities capabilities;
  std::string file;
  bool runs_there;  ///< true for the trainer that the site runs
};

/// Counts warnings over the runs of a plan. `known` must outlive this object.
class Warnings {
 public:
  explicit Warnings(const std::optional<Knowledge>& known) : known_(&known) {}

  void look_at(const contract::RunSpec& run, int repeats);
  /// Appends a line for each kind of warning, with the number of runs concerned.
  void add_to(std::vector<std::string>& warnings) const;

 private:
  std::string of_runs(int count) const;
  std::string missing(const std::pair<std::string, std::string>& name, int count) const;
  std::string incompatible_runs(const std::pair<std::string, std::string>& conflict,
                                int count) const;

  const std::optional<Knowledge>* known_;
  int runs_ = 0;
  int endless_warmups_ = 0, falling_warmups_ = 0, flat_warmups_ = 0, idle_epochs_ = 0;
  std::map<std::pair<std::string, std::string>, int> missing_;  // runs by family and name
  std::map<std::pair<std::string, std::string>, int> unfit_;    // runs by key and reason
  std::map<std::string, int> conditional_;                      // runs by condition on the data
};

}  // namespace dlscale::planner
