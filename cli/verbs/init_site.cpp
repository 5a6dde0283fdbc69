// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/init_site.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/file.hpp"
#include "planner/site/site_reader.hpp"
#include "planner/site/site_writer.hpp"
#include "runner/batch/cluster_probe.hpp"
#include "runner/batch/command_runner.hpp"
#include "runner/batch/retry_policy.hpp"
#include "workspace/resources.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// Time limit in seconds for an answer of the scheduler. A busy scheduler answers within seconds.
/// If the scheduler is unreachable, its client programs report this before the time limit.
constexpr double kSitePatience_s = 60;

/// Default walltime in seconds. All known partitions allow this walltime.
constexpr double kUsualWalltime_s = 3600;

struct SiteOptions {
  std::string name, out, scheduler;
  bool force = false;
};

planner::Partition partition_of(const runner::NodeGroup& group) {
  planner::Partition partition;
  partition.name = group.partition;
  partition.nodes = group.nodes;
  partition.gpus_per_node = group.gpus_per_node;
  partition.gpu_type = group.gpu_type;
  partition.cores_per_node = group.cores_per_node;
  partition.memory_gb = group.memory_gb;
  partition.min_nodes = std::max(1, group.min_nodes);
  partition.max_nodes = group.max_nodes;
  partition.max_walltime_s = group.max_walltime_s;
  partition.exclusive = group.exclusive;
  partition.properties = group.properties;
  if (!group.gpu_resource.empty()) partition.gpu_resource = group.gpu_resource;
  return partition;
}

/// Returns a site for the cluster. If the cluster has nodes with GPUs, nodes without GPUs are left
/// out.
planner::Site site_of(const runner::Cluster& cluster, const std::string& scheduler) {
  planner::Site site;
  site.scheduler = scheduler;
  site.launcher = scheduler == "oar" ? "oarsh" : "srun";
  if (scheduler != "oar") site.launcher_args = {"--kill-on-bad-exit=1"};
  const bool gpus = std::any_of(cluster.groups.begin(), cluster.groups.end(),
                                [](const auto& group) { return group.gpus_per_node > 0; });
  if (gpus) {
    site.device = "cuda";
    site.communicator = "nccl";
  }
  if (cluster.max_array_size > 0) site.max_array_size = cluster.max_array_size;
  site.walltime_s = kUsualWalltime_s;
  for (const runner::NodeGroup& group : cluster.groups) {
    if (gpus && group.gpus_per_node == 0) continue;
    planner::Partition partition = partition_of(group);
    const auto taken = [&](const planner::Partition& other) {
      return other.name == partition.name;
    };
    for (int k = 2; std::any_of(site.partitions.begin(), site.partitions.end(), taken); ++k) {
      // A queue whose nodes differ becomes several partitions with different names.
      partition.queue = group.partition;
      partition.name = fmt::format("{}-{}", group.partition, k);
    }
    site.partitions.push_back(std::move(partition));
    const double most_s = group.max_walltime_s;
    if (most_s > 0) site.walltime_s = std::min(site.walltime_s, most_s);
  }
  return site;
}

std::string chosen_name(const SiteOptions& options, const runner::Cluster& cluster) {
  if (!options.name.empty()) return options.name;
  if (!options.out.empty()) return fs::path(options.out).stem();
  return cluster.name.empty() ? "my-cluster" : cluster.name;
}

void refuse_to_overwrite(const SiteOptions& options) {
  if (options.out.empty() || options.force) return;
  std::error_code ignored;
  if (fs::exists(options.out, ignored)) {
    throw base::UsageError(fmt::format("{} exists; --force replaces it", options.out));
  }
}

/// Asks the batch system for its nodes. If the batch system does not answer, for example because
/// this machine has only its client programs, the error names the site file to start from.
runner::Cluster probe_cluster(const runner::ClusterProbeEntry& entry) {
  const auto commands = runner::make_command_runner();
  try {
    return entry.probe(runner::ask_with(*commands, kSitePatience_s));
  } catch (const runner::SchedulerUnreachable& error) {
    const fs::path generic =
        workspace::share_folder() / "sites" / fmt::format("generic-{}.toml", entry.name);
    throw runner::SchedulerUnreachable(
        fmt::format("{}; run dlscale init site on a login node of the cluster, or copy {} and "
                    "replace the example values in the copy",
                    error.what(), generic.string()));
  }
}

int init_site(const SiteOptions& options) {
  refuse_to_overwrite(options);
  const char* path = std::getenv("PATH");
  const runner::ClusterProbeEntry& entry =
      runner::choose_cluster_probe(options.scheduler, path == nullptr ? "" : path);
  const runner::Cluster cluster = probe_cluster(entry);
  planner::Site site = site_of(cluster, entry.name);
  if (site.partitions.empty()) {
    throw base::RunError(fmt::format("{} lists no nodes for this user", entry.program),
                         kExitSchedulerUnreachable);
  }
  site.name = chosen_name(options, cluster);
  const std::string text = planner::site_text(site);
  planner::read_site(text, options.out.empty() ? site.name + ".toml" : options.out);
  if (options.out.empty()) {
    std::cout << text;
    return kExitOk;
  }
  base::write_file_atomically(options.out, text);
  std::cout << fmt::format(
      "{}: fill in the account and the modules, then: dlscale plan STUDY --site {}\n", options.out,
      options.out);
  return kExitOk;
}

}  // namespace

Action define_init_site(CLI::App& app) {
  const auto options = std::make_shared<SiteOptions>();
  app.add_option("name", options->name,
                 "name of the site (default: name of the file or of the cluster)");
  app.add_option("-o,--output", options->out, "site file to write, *.toml (default: print it)");
  app.add_option("--scheduler", options->scheduler, "slurm or oar (default: the one in PATH)");
  app.add_flag("--force", options->force, "replace an existing file");
  return [options] { return init_site(*options); };
}

}  // namespace dlscale::cli
