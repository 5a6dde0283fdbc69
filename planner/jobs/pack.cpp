// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "planner/jobs/co_schedule.hpp"

namespace dlscale::planner {
namespace {

using contract::JobKind;
using contract::PlannedJob;
using contract::PlannedRun;
using Indices = std::vector<std::uint32_t>;

constexpr double kSecondsPerHour = 3600;
constexpr double kMinute = 60;

class Arranger {
 public:
  Arranger(const Site& site, const LaunchWishes& launch, std::span<const RunNeeds> needs,
           std::span<PlannedRun> runs)
      : site_(site), launch_(launch), needs_(needs), runs_(runs) {}

  Arrangement arrange() {
    Indices left(runs_.size());
    std::iota(left.begin(), left.end(), 0U);
    const bool batch = site_.scheduler != "local";
    if (batch && launch_.pack) left = pack(left);
    if (batch && launch_.array) left = make_arrays(left);
    for (const std::uint32_t i : left) add_single(i);
    sort_jobs();
    if (batch && launch_.chain > 0) chain(static_cast<std::size_t>(launch_.chain));
    if (batch && site_.max_jobs > 0) note_job_limit();
    return std::move(out_);
  }

 private:
  const contract::ResourceRequest& request_of(std::uint32_t i) const {
    return needs_[i].allocation->request;
  }
  const Partition& partition_of(std::uint32_t i) {
    const auto [place, is_new] =
        partitions_.try_emplace({needs_[i].wishes, needs_[i].allocation->partition});
    if (is_new) place->second = partition_for(site_, *needs_[i].wishes, *needs_[i].allocation);
    return place->second;
  }
  /// The time a run is to be given inside a packed job.
  double allowance_s(std::uint32_t i) const {
    const double limit = request_of(i).walltime_s;
    const double predicted = runs_[i].predicted_s;
    if (predicted <= 0) return limit;
    return std::min(limit, predicted * needs_[i].wishes->margin + predict::kStartUp_s);
  }

  /// Adds a job, charges it and tells its runs.
  void add(PlannedJob job, Indices runs) {
    const std::uint32_t first = runs.front();
    if (needs_[first].allocation->partition >= 0) job.partition = partition_of(first).name;
    const double tasks = job.kind == JobKind::array ? static_cast<double>(runs.size()) : 1;
    job.gpu_hours = tasks * charged_gpus(partition_of(first), job.resources) *
                    job.resources.walltime_s / kSecondsPerHour;
    double all = 0;
    for (const std::uint32_t i : runs) all += runs_[i].gpus * allowance_s(i);
    for (const std::uint32_t i : runs) {
      runs_[i].job = job.name;
      runs_[i].gpu_hours = all > 0 ? job.gpu_hours * runs_[i].gpus * allowance_s(i) / all : 0;
      job.run_ids.push_back(runs_[i].run_id);
    }
    out_.jobs.push_back(std::move(job));
    out_.runs.push_back(std::move(runs));
  }

  void add_single(std::uint32_t i) {
    add({.name = runs_[i].run_id, .resources = request_of(i)}, {i});
  }

  /// Packs what can be packed; returns the other runs.
  Indices pack(const Indices& candidates) {
    using Key = std::tuple<const ResourceWishes*, int, int>;
    std::map<Key, Indices> groups;
    Indices left;
    for (const std::uint32_t i : candidates) {
      const contract::ResourceRequest& request = request_of(i);
      const int room = ranks_per_full_node(site_, partition_of(i), request.cores_per_rank);
      if (request.nodes == 1 && request.ranks_per_node < room && request.walltime_s > 0) {
        groups[{needs_[i].wishes, needs_[i].allocation->partition, request.cores_per_rank}]
            .push_back(i);
      } else {
        left.push_back(i);
      }
    }
    for (const auto& [key, group] : groups) pack_group(group, left);
    std::sort(left.begin(), left.end());
    return left;
  }

  void pack_group(const Indices& group, Indices& left) {
    const Partition& partition = partition_of(group.front());
    double limit = site_.walltime_s;
    std::vector<NodeShare> shares;
    for (const std::uint32_t i : group) {
      shares.push_back({i, runs_[i].gpus, allowance_s(i)});
      limit = std::max(limit, shares.back().seconds);
    }
    if (partition.max_walltime_s > 0) limit = partition.max_walltime_s;
    const int room =
        ranks_per_full_node(site_, partition, request_of(group.front()).cores_per_rank);
    for (const NodePlan& node : co_schedule(std::move(shares), room, limit)) {
      Indices runs;
      for (const NodeShare& share : node.runs)
        runs.push_back(static_cast<std::uint32_t>(share.run));
      if (runs.size() == 1) {
        left.push_back(runs.front());
        continue;
      }
      contract::ResourceRequest request = request_of(runs.front());
      request.ranks_per_node = node.slots;
      request.walltime_s = std::min(limit, std::ceil(node.seconds / kMinute) * kMinute);
      add({.name = fmt::format("packed-{}", ++packed_),
           .resources = request,
           .kind = JobKind::packed},
          std::move(runs));
    }
  }

  /// Makes arrays of what has company; returns the other runs.
  Indices make_arrays(const Indices& candidates) {
    std::vector<Indices> groups;
    std::map<std::tuple<const ResourceWishes*, int, int, double>, std::vector<std::size_t>> known;
    for (const std::uint32_t i : candidates) {
      const Allocation& needed = *needs_[i].allocation;
      auto& alike =
          known[{needs_[i].wishes, needed.partition, runs_[i].gpus, needed.request.walltime_s}];
      const auto same = std::find_if(alike.begin(), alike.end(), [&](std::size_t g) {
        return *needs_[groups[g].front()].allocation == needed;
      });
      if (same == alike.end()) {
        alike.push_back(groups.size());
        groups.push_back({i});
      } else {
        groups[*same].push_back(i);
      }
    }
    Indices left;
    for (const Indices& group : groups) {
      if (group.size() == 1) {
        left.push_back(group.front());
      } else {
        add_array(group);
      }
    }
    return left;
  }

  void add_array(const Indices& group) {
    const int gpus = runs_[group.front()].gpus;
    const int same_count = ++arrays_[gpus];
    const std::string table =
        fmt::format("array-g{}{}", gpus, same_count > 1 ? fmt::format("-{}", same_count) : "");
    const auto most = static_cast<std::size_t>(site_.max_array_size);
    for (std::size_t offset = 0; offset < group.size(); offset += most) {
      const std::size_t end = std::min(offset + most, group.size());
      add({.name = group.size() > most ? fmt::format("{}-part{}", table, offset / most + 1) : table,
           .resources = request_of(group.front()),
           .kind = JobKind::array,
           .table = table,
           .offset = static_cast<int>(offset),
           .throttle = launch_.throttle},
          Indices(group.begin() + static_cast<std::ptrdiff_t>(offset),
                  group.begin() + static_cast<std::ptrdiff_t>(end)));
    }
  }

  void sort_jobs() {
    std::vector<std::size_t> order(out_.jobs.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return *std::min_element(out_.runs[a].begin(), out_.runs[a].end()) <
             *std::min_element(out_.runs[b].begin(), out_.runs[b].end());
    });
    Arrangement sorted{.notes = std::move(out_.notes)};
    for (const std::size_t i : order) {
      sorted.jobs.push_back(std::move(out_.jobs[i]));
      sorted.runs.push_back(std::move(out_.runs[i]));
    }
    out_ = std::move(sorted);
  }

  void chain(std::size_t chains) {
    for (std::size_t i = chains; i < out_.jobs.size(); ++i) {
      out_.jobs[i].after = {out_.jobs[i - chains].name};
    }
  }

  /// Batch systems count each task of an array.
  void note_job_limit() {
    std::size_t jobs = 0;
    for (const PlannedJob& job : out_.jobs) {
      jobs += job.kind == JobKind::array ? job.run_ids.size() : 1;
    }
    if (jobs > static_cast<std::size_t>(site_.max_jobs)) {
      out_.notes.push_back(
          fmt::format("{} jobs, of which {} takes {} of one user at a time (an array counts each "
                      "task): submit them in parts, or let launch.pack make fewer",
                      jobs, site_.name, site_.max_jobs));
    }
  }

  const Site& site_;
  const LaunchWishes& launch_;
  std::span<const RunNeeds> needs_;
  std::span<PlannedRun> runs_;
  std::map<std::pair<const ResourceWishes*, int>, Partition> partitions_;  // as wished
  Arrangement out_;
  int packed_ = 0;
  std::map<int, int> arrays_;  // by GPU count
};

}  // namespace

Arrangement arrange_jobs(const Site& site, const LaunchWishes& launch,
                         std::span<const RunNeeds> needs, std::span<PlannedRun> runs) {
  return Arranger(site, launch, needs, runs).arrange();
}

}  // namespace dlscale::planner
