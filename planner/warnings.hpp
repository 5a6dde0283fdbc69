// SPDX-License-Identifier: Apache-2.0
// What of a plan would fail or differs from what was meant.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::planner {

/// What is known of a trainer: the site's own, or the one built here, or both in one.
struct Knowledge {
  contract::Capabilities capabilities;
  std::string file;
  bool runs_there;  ///< it is the site's
};

/// Counts while the runs go by; `known` must outlive it.
class Warnings {
 public:
  explicit Warnings(const std::optional<Knowledge>& known) : known_(&known) {}

  void look_at(const contract::RunSpec& run, int repeats);
  /// A line for each kind of thing, with how many runs it is about.
  void add_to(std::vector<std::string>& warnings) const;

 private:
  std::string of_runs(int count) const;
  std::string missing(const std::pair<std::string, std::string>& name, int count) const;
  std::string unfit(const std::pair<std::string, std::string>& misfit, int count) const;

  const std::optional<Knowledge>* known_;
  int runs_ = 0;
  int endless_warmups_ = 0, falling_warmups_ = 0, flat_warmups_ = 0, idle_epochs_ = 0;
  std::map<std::pair<std::string, std::string>, int> missing_;  // family and name → runs
  std::map<std::pair<std::string, std::string>, int> unfit_;    // key and reason → runs
  std::map<std::string, int> conditional_;  // what the data must be like → runs
};

}  // namespace dlscale::planner
