// SPDX-License-Identifier: Apache-2.0
// Reads the settings of a study for its jobs: the sections [resources] and [launch].
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/toml/fields.hpp"
#include "planner/site/site.hpp"
#include "predict/walltime.hpp"

namespace dlscale::planner {

/// Settings of [resources]. A setting that the study gives replaces the setting of the site.
struct ResourceSettings {
  double walltime_s = 0;                    ///< time limit; 0: "auto"
  double margin = predict::kDefaultMargin;  ///< factor on the predicted time in auto limits
  /// Share of the runs that should end within an automatic time limit. Applies when enough runs
  /// have finished.
  double quantile = predict::kWalltimeQuantile;
  std::string calibration;  ///< file of measured throughput or steps; empty: none
  int cores_per_rank = 0;   ///< cores of a rank; 0: the site's default
  std::optional<config::Node> partition;
  std::string account, qos, constraint, gpu_type;
  std::optional<bool> exclusive;
  double memory_gb = 0;  ///< memory of each node; 0: not given
  std::optional<Mail> mail;
  std::optional<config::Node> max_gpu_hours;
  std::map<std::string, config::Node> said;  ///< value of each key in the study, for messages
};

/// Settings of [launch], which decide how runs become jobs.
struct LaunchSettings {
  bool pack = false;   ///< true when small runs share a node
  bool array = false;  ///< true when runs of equal shape form job arrays
  int throttle = 0;    ///< limit on concurrent tasks of an array; 0: no limit
  int chain = 0;       ///< number of chains of jobs that wait for each other; 0: no waiting
  std::map<std::string, config::Node> said;  ///< value of each key in the study, for messages
};

/// Reads the section [resources]. read_launch() reads the section [launch]. Both throw
/// base::SpecError for unknown keys and invalid values.
ResourceSettings read_resources(const config::Item& section);
LaunchSettings read_launch(const config::Item& section);
/// Reads `{ user = "a@b", on = ["end", "fail"] }`.
Mail mail_of(const config::Item& item);
/// Reads a GPU model or type. Rejects quotes, because OAR's properties are SQL.
std::string gpu_type_of(const config::Item& item);

/// Returns the first key that only `a` or only `b` gives, or that both give with different values.
/// Returns an empty text when all keys agree. Ignores the keys that decide the run time and the
/// keys that apply to the whole plan.
std::string first_conflict(const ResourceSettings& a, const ResourceSettings& b);

/// Returns "SLURM", "OAR" or "a single machine".
std::string scheduler_title(const std::string& scheduler);

/// Returns a line for each setting that the site's batch system does not support. Throws
/// base::SpecError for `throttle` on OAR, because an ignored limit would load the site more than
/// the user intended.
std::vector<std::string> unsupported_settings(const Site& site, const ResourceSettings& resources,
                                              const LaunchSettings& launch);

}  // namespace dlscale::planner
