// SPDX-License-Identifier: Apache-2.0
#include "workspace/doctor/cluster_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

constexpr double kClusterPatience_s = 60;
constexpr const char* kAdvice = "correct the site file, or write a new one with dlscale init site";

struct SchedulerPrograms {
  const char* scheduler;
  std::vector<const char*> needed;
  std::vector<const char*> useful;
  const char* useful_for;
};

const std::vector<SchedulerPrograms>& scheduler_programs() {
  static const std::vector<SchedulerPrograms> programs{
      {"slurm",
       {"sbatch", "squeue", "scancel", "scontrol"},
       {"sacct"},
       "the end states of jobs that left the queue minutes ago"},
      {"oar",
       {"oarsub", "oarstat", "oardel"},
       {"oarnodes"},
       "dlscale init site and dlscale doctor"},
  };
  return programs;
}

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && fs::is_regular_file(fs::path(folder) / program, ignored)) return true;
  }
  return false;
}

Check check_commands(const SchedulerPrograms& programs) {
  const std::string name = programs.scheduler;
  const auto missing_of = [](std::vector<const char*> words) {
    std::erase_if(words, [](const char* word) { return is_on_path(word); });
    return words;
  };
  if (const auto missing = missing_of(programs.needed); !missing.empty()) {
    return fail(name, fmt::format("not on PATH: {}", fmt::join(missing, ", ")),
                "run dlscale doctor on a login node of the cluster");
  }
  if (const auto missing = missing_of(programs.useful); !missing.empty()) {
    return warn(name, fmt::format("not on PATH: {}", fmt::join(missing, ", ")),
                fmt::format("needed for {}", programs.useful_for));
  }
  return ok(name, fmt::format("{} found", fmt::join(programs.needed, ", ")));
}

std::string queue_of(const planner::Partition& partition) {
  return partition.queue.value_or(partition.name);
}

/// Returns the group of equal nodes in the partition's queue whose GPUs and cores are closest to
/// those in the site file. Returns null if the queue has no nodes.
const runner::NodeGroup* nearest_group(const planner::Partition& partition,
                                       const runner::Cluster& cluster) {
  const runner::NodeGroup* nearest = nullptr;
  double least = 0;
  for (const runner::NodeGroup& group : cluster.groups) {
    if (group.partition != queue_of(partition)) continue;
    const double difference = 1000.0 * std::abs(group.gpus_per_node - partition.gpus_per_node) +
                              std::abs(group.cores_per_node - partition.cores_per_node);
    if (nearest != nullptr && difference >= least) continue;
    nearest = &group;
    least = difference;
  }
  return nearest;
}

/// Collector of the differences between the site file and the cluster for one partition.
class Differences {
 public:
  /// Adds a difference if both values are known and differ. A larger value in the site file is
  /// worse, because jobs that request more than exists do not start. With a smaller value, jobs
  /// leave resources idle.
  void compare(const char* what, double in_file, double there, const std::string& unit = "") {
    if (in_file <= 0 || there <= 0 || in_file == there) return;
    const std::string text = fmt::format("{}: {:g}{} in the site file, {:g}{} on the cluster", what,
                                         in_file, unit, there, unit);
    (in_file > there ? worse_ : other_).push_back(text);
  }
  void add_worse(const std::string& text) { worse_.push_back(text); }

  Check check(const std::string& name, const std::string& all_is_well) const {
    std::vector<std::string> all = worse_;
    all.insert(all.end(), other_.begin(), other_.end());
    const std::string text = fmt::format("{}", fmt::join(all, "; "));
    if (!worse_.empty()) return fail(name, text, kAdvice);
    return other_.empty() ? ok(name, all_is_well) : warn(name, text, kAdvice);
  }

 private:
  std::vector<std::string> worse_, other_;
};

std::string limit_text(double seconds) {
  return seconds > 0 ? base::clock_time(seconds) : "none";
}

/// Returns the number of free nodes in all groups of a partition, or an empty text if it is
/// unknown.
std::string free_text(const std::string& queue, const runner::Cluster& cluster) {
  int nodes = 0, free = 0, shared = 0;
  for (const runner::NodeGroup& group : cluster.groups) {
    if (group.partition != queue) continue;
    if (!group.use_is_known) return "";
    nodes += group.nodes;
    free += group.free_nodes;
    shared += group.shared_nodes;
  }
  std::string text = fmt::format("{} of {} free now", free, base::count_of(nodes, "node"));
  if (shared > 0) text += fmt::format(", {} partly in use", shared);
  return text;
}

/// Adds a difference for each limit that is higher in the site file than on the cluster. A limit of
/// 0 means no limit.
void compare_limits(const planner::Partition& partition, const runner::NodeGroup& group,
                    Differences& differences) {
  if (group.max_walltime_s > 0 &&
      (partition.max_walltime_s == 0 || partition.max_walltime_s > group.max_walltime_s)) {
    differences.add_worse(fmt::format("max_walltime: {} in the site file, {} on the cluster",
                                      limit_text(partition.max_walltime_s),
                                      limit_text(group.max_walltime_s)));
  }
  if (group.max_nodes > 0 && (partition.max_nodes == 0 || partition.max_nodes > group.max_nodes)) {
    differences.add_worse(fmt::format(
        "max_nodes: {} in the site file, {} on the cluster",
        partition.max_nodes == 0 ? "none" : std::to_string(partition.max_nodes), group.max_nodes));
  }
}

Check missing_partition(const planner::Partition& partition, const runner::Cluster& cluster) {
  if (const auto closed = cluster.closed.find(queue_of(partition));
      closed != cluster.closed.end()) {
    return fail("partition " + partition.name,
                fmt::format("partition {} of the cluster is {}", closed->first, closed->second),
                "wait until it is UP again, or plan for another partition");
  }
  std::set<std::string> names;
  for (const runner::NodeGroup& group : cluster.groups) names.insert(group.partition);
  return fail("partition " + partition.name,
              fmt::format("the cluster has no partition {}", queue_of(partition)),
              base::unknown_name("partition", queue_of(partition), {names.begin(), names.end()}));
}

Check compare_partition(const planner::Partition& partition, const runner::Cluster& cluster) {
  const runner::NodeGroup* group = nearest_group(partition, cluster);
  if (group == nullptr) return missing_partition(partition, cluster);
  Differences differences;
  differences.compare("gpus_per_node", partition.gpus_per_node, group->gpus_per_node);
  differences.compare("cores_per_node", partition.cores_per_node, group->cores_per_node);
  differences.compare("nodes", partition.nodes, group->nodes);
  differences.compare("memory_gb", std::floor(partition.memory_gb), group->memory_gb, " GB");
  if (partition.gpus_per_node > 0 && group->gpus_per_node == 0) {
    differences.add_worse("gpus_per_node: the nodes of the cluster have no GPUs");
  }
  compare_limits(partition, *group, differences);
  return differences.check(
      "partition " + partition.name,
      fmt::format("{} nodes with {} GPUs and {} cores each, as in the site file", group->nodes,
                  group->gpus_per_node, group->cores_per_node));
}

}  // namespace

Checks compare_with_cluster(const planner::Site& site, const runner::Cluster& cluster) {
  Checks checks;
  std::set<std::string> reported;  // queues whose free nodes are in `checks`
  for (const planner::Partition& partition : site.partitions) {
    // A partition without a queue cannot be compared, because the scheduler selects the queue.
    if (queue_of(partition).empty()) continue;
    checks.push_back(compare_partition(partition, cluster));
    const std::string queue = queue_of(partition);
    if (!reported.insert(queue).second || nearest_group(partition, cluster) == nullptr) continue;
    if (const std::string text = free_text(queue, cluster); !text.empty()) {
      checks.push_back(ok("free nodes of " + queue, text));
    }
  }
  if (cluster.max_array_size > 0) {
    Differences differences;
    differences.compare("max_array_size", site.max_array_size, cluster.max_array_size);
    checks.push_back(differences.check(
        "arrays", fmt::format("at most {} tasks, as in the site file", cluster.max_array_size)));
  }
  return checks;
}

Checks check_cluster(const planner::Site& site, runner::CommandRunner& commands) {
  if (site.scheduler == "local") return {ok("scheduler", "jobs run on this machine")};
  Checks checks;
  for (const SchedulerPrograms& programs : scheduler_programs()) {
    if (programs.scheduler == site.scheduler) checks.push_back(check_commands(programs));
  }
  if (!checks.empty() && checks.back().level == kFail) return checks;
  try {
    const char* path = std::getenv("PATH");
    const auto& entry = runner::choose_cluster_probe(site.scheduler, path == nullptr ? "" : path);
    const runner::Cluster cluster = entry.probe(runner::ask_with(commands, kClusterPatience_s));
    checks.push_back(
        ok("answers", fmt::format("{} answers{}", site.scheduler,
                                  cluster.name.empty() ? "" : " as cluster " + cluster.name)));
    for (Check& check : compare_with_cluster(site, cluster)) checks.push_back(std::move(check));
  } catch (const base::Error& error) {
    checks.push_back(fail("answers", error.what(),
                          "try again later; if the error persists, ask the administrators"));
  }
  return checks;
}

}  // namespace dlscale::workspace
