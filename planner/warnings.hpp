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

/// Capabilities of a trainer: the trainer of the site, or the trainer built next to this program.
struct Knowledge {
  contract::Capabilities capabilities;
  std::string file;
  bool runs_there;  ///< flag: the site runs this trainer
};

/// Counts, for each kind of warning, the runs of a plan that cause the warning. `known` must
/// outlive this object.
class Warnings {
 public:
  explicit Warnings(const std::optional<Knowledge>& known) : known_(&known) {}

  void look_at(const contract::RunSpec& run, int repeats);
  /// Appends one line for each kind of warning, with the number of runs that cause the warning.
  void add_to(std::vector<std::string>& warnings) const;

 private:
  std::string of_runs(int count) const;
  std::string missing(const std::pair<std::string, std::string>& name, int count) const;
  std::string incompatible_runs(const std::pair<std::string, std::string>& conflict,
                                int count) const;

  const std::optional<Knowledge>* known_;
  int runs_ = 0;
  int endless_warmups_ = 0, falling_warmups_ = 0, flat_warmups_ = 0, idle_epochs_ = 0;
  // Number of runs for each family and name that the trainer does not have.
  std::map<std::pair<std::string, std::string>, int> missing_;
  // Number of runs for each rejected key and reason.
  std::map<std::pair<std::string, std::string>, int> unfit_;
  // Number of runs for each condition on the data.
  std::map<std::string, int> conditional_;
};

}  // namespace dlscale::planner
