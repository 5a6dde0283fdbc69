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
  double walltime_s = 0;                    ///< time limit; 0: derived by the planner ("auto")
  double margin = predict::kDefaultMargin;  ///< automatic time limit / predicted run time
  /// Share of the runs that should end within an automatic time limit. Replaces the margin when
  /// enough runs have finished.
  double quantile = predict::kWalltimeQuantile;
  std::string calibration;  ///< file with measured throughput or steps; empty: none
  int cores_per_rank = 0;   ///< cores of a rank; 0: the site's default
  std::optional<config::Node> partition;
  std::string account, qos, constraint, gpu_type;
  std::optional<bool> exclusive;
  double memory_gb = 0;  ///< memory of each node; 0: not given
  std::optional<Mail> mail;
  std::optional<config::Node> max_gpu_hours;
  /// Value of each key that the study sets, for messages.
  std::map<std::string, config::Node> said;
};

/// Settings of [launch], which decide how runs become jobs.
struct LaunchSettings {
  bool pack = false;   ///< true when small runs share a node
  bool array = false;  ///< true when runs with equal needs form job arrays
  int throttle = 0;    ///< limit on concurrent tasks of an array; 0: no limit
  /// Number of chains. Each job of a chain waits for the previous job of the chain. 0 means that no
  /// job waits.
  int chain = 0;
  /// Value of each key that the study sets, for messages.
  std::map<std::string, config::Node> said;
};

/// Reads the section [resources]. read_launch() reads the section [launch]. Both functions throw
/// base::SpecError for unknown keys and invalid values.
ResourceSettings read_resources(const config::Item& section);
LaunchSettings read_launch(const config::Item& section);
/// Reads a mail setting such as `{ user = "a@b", on = ["end", "fail"] }`.
Mail mail_of(const config::Item& item);
/// Reads a GPU model or type. Rejects quotes, because OAR gets the type in an SQL expression.
std::string gpu_type_of(const config::Item& item);

/// Returns the first key that only `a` or only `b` sets, or that both set to different values.
/// Returns an empty text if there is no such key. Ignores the keys for time limits (walltime,
/// margin, quantile, calibration) and max_gpu_hours, which applies to the whole plan.
std::string first_conflict(const ResourceSettings& a, const ResourceSettings& b);

/// Returns "SLURM", "OAR" or "a single machine".
std::string scheduler_title(const std::string& scheduler);

/// Returns one line of text for each setting that the site's batch system does not support. Throws
/// base::SpecError for `throttle` on OAR, because without this limit more tasks would run at the
/// same time than the user intended.
std::vector<std::string> unsupported_settings(const Site& site, const ResourceSettings& resources,
                                              const LaunchSettings& launch);

}  // namespace dlscale::planner
