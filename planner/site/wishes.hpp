// SPDX-License-Identifier: Apache-2.0
// What a study asks of the site for its jobs: the sections [resources] and [launch].
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/toml/fields.hpp"
#include "planner/site/site.hpp"
#include "predict/walltime.hpp"

namespace dlscale::planner {

/// Where the study says something, the site's own is not used.
struct ResourceWishes {
  double walltime_s = 0;                    ///< 0: "auto"
  double margin = predict::kDefaultMargin;  ///< of auto: times the predicted run time
  /// Of auto: the share of runs that are to end within their limit, once enough have finished.
  double quantile = predict::kWalltimeQuantile;
  std::string calibration;  ///< file of measured throughput or steps; empty: none
  int cores_per_rank = 0;   ///< 0: the site's default
  std::optional<config::Node> partition;
  std::string account, qos, constraint, gpu_type;
  std::optional<bool> exclusive;
  double memory_gb = 0;  ///< of each node; 0: not said
  std::optional<Mail> mail;
  std::optional<config::Node> max_gpu_hours;
  std::map<std::string, config::Node>
      said;  ///< the value of each key the study gives, for messages
};

/// How runs become jobs.
struct LaunchWishes {
  bool pack = false;   ///< runs that fill less than a node share one
  bool array = false;  ///< runs of one shape become job arrays
  int throttle = 0;    ///< tasks of an array at a time; 0: no limit
  int chain = 0;       ///< jobs wait for each other in so many chains; 0: they do not wait
  std::map<std::string, config::Node>
      said;  ///< the value of each key the study gives, for messages
};

/// Throw base::SpecError for unknown keys and values that cannot be.
ResourceWishes read_resources(const config::Item& section);
LaunchWishes read_launch(const config::Item& section);
/// `{ user = "a@b", on = ["end", "fail"] }`.
Mail mail_of(const config::Item& item);
/// A GPU model or type: no quotes, since OAR's properties are SQL.
std::string gpu_type_of(const config::Item& item);

/// The first key that only one of them says, or both with other values; empty: none. Those that
/// decide on a run's time and those of the whole plan are left out.
std::string key_at_odds(const ResourceWishes& a, const ResourceWishes& b);

/// "SLURM", "OAR", "this machine".
std::string scheduler_title(const std::string& scheduler);

/// One line for each wish that the site's batch system cannot fulfil. Throws base::SpecError for
/// `throttle` on OAR, where a limit that is not kept would load the site more than asked.
std::vector<std::string> unheard(const Site& site, const ResourceWishes& resources,
                                 const LaunchWishes& launch);

}  // namespace dlscale::planner
