// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/text.hpp"
#include "contract/run_spec/run_id.hpp"
#include "planner/jobs/co_schedule.hpp"

namespace dlscale::planner {
namespace {

using contract::JobKind;
using contract::PlannedJob;
using contract::PlannedRun;
using Indices = std::vector<std::uint32_t>;

constexpr double kSecondsPerHour = 3600;
constexpr double kMinute = 60;
constexpr std::size_t kDigits = 8;  // minimum number of digest digits in a name
// Maximum size in bytes of the text from which a digest is computed. A longer text is replaced by
// its digest before more text is appended.
constexpr std::size_t kMostPackFacts = std::size_t{1} << 16;
constexpr const char* kPacked = "packed-";

/// Returns whether Arranger::name_of can have made `name` from the stem and the digest.
bool is_name(const std::string& name, const std::string& stem, const std::string& digest) {
  return name.size() >= stem.size() + kDigits && name.starts_with(stem) &&
         digest.starts_with(std::string_view(name).substr(stem.size()));
}

class Arranger {
 public:
  Arranger(const Site& site, const LaunchSettings& launch, std::span<const RunNeeds> needs,
           std::span<PlannedRun> runs, StartOrder order)
      : site_(site), launch_(launch), needs_(needs), runs_(runs), order_(order) {
    for (const RunNeeds& need : needs_) {
      const auto [own, is_new] = settings_.try_emplace(need.requested, need.requested);
      if (!is_new) continue;
      const auto same = std::find_if(settings_.begin(), settings_.end(), [&](const auto& other) {
        return other.first == other.second && other.first != need.requested &&
               first_conflict(*other.first, *need.requested).empty();
      });
      if (same != settings_.end()) own->second = same->first;
    }
  }

  Arrangement arrange(std::span<const PlannedJob> existing) {
    Indices left(runs_.size());
    std::iota(left.begin(), left.end(), 0U);
    const bool batch = site_.scheduler != "local";
    if (batch && !existing.empty()) left = keep(existing);
    sort_runs(left);
    if (batch && launch_.pack) left = pack(left);
    if (batch && launch_.array) left = make_arrays(left);
    out_.jobs.reserve(out_.jobs.size() + left.size());
    out_.runs.reserve(out_.jobs.capacity());
    for (const std::uint32_t i : left) add_single(i);
    sort_jobs();
    if (too_dear_ > 0) note_price();
    if (batch && launch_.chain > 0) chain(static_cast<std::size_t>(launch_.chain));
    if (batch && site_.max_jobs > 0) note_job_limit();
    return std::move(out_);
  }

 private:
  /// Returns whether run `a` starts before run `b`.
  bool starts_before(std::uint32_t a, std::uint32_t b) const {
    const int of_a = runs_[a].repetition, of_b = runs_[b].repetition;
    return order_ == StartOrder::repetitions && of_a != of_b ? of_a < of_b : a < b;
  }
  void sort_runs(Indices& runs) const {
    std::sort(runs.begin(), runs.end(),
              [&](std::uint32_t a, std::uint32_t b) { return starts_before(a, b); });
  }
  const contract::ResourceRequest& request_of(std::uint32_t i) const {
    return needs_[i].allocation->request;
  }
  /// Returns the same object for all runs with equal resource settings, even if the settings come
  /// from different sub-studies.
  const ResourceSettings* settings_of(std::uint32_t i) const {
    return settings_.at(needs_[i].requested);
  }
  const Partition& partition_of(std::uint32_t i) {
    const auto [place, is_new] =
        partitions_.try_emplace({settings_of(i), needs_[i].allocation->partition});
    if (is_new) place->second = partition_for(site_, *settings_of(i), *needs_[i].allocation);
    return place->second;
  }
  /// Returns the seconds that a packed job reserves for a run.
  double allowance_s(std::uint32_t i) const {
    const double limit = request_of(i).walltime_s;
    const contract::PlannedRun& run = runs_[i];
    if (run.predicted_s <= 0) return limit;
    const double longest_s =
        std::max(run.predicted_s * needs_[i].requested->margin, run.predicted_high_s);
    return std::min(limit, longest_s + predict::kStartUp_s);
  }

  /// Adds a job and computes its charge. Assigns the job and a share of the charge to each of
  /// the runs.
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

  /// Returns a digest of everything that determines the position of each run in a packed job or
  /// table. Queued tasks refer to their runs by number, so a job with another order or another run
  /// must get another name. `most` is the number of tasks per job if an array is split into several
  /// jobs, else 0.
  std::string digest_of(const Indices& runs, const contract::ResourceRequest& request,
                        std::size_t most = 0) {
    contract::RunSpec shape;
    shape.resources = request;
    std::string facts =
        fmt::format("{}\n{}\n{}\n", to_json_line(shape), partition_of(runs.front()).name, most);
    for (const std::uint32_t i : runs) {
      if (facts.size() > kMostPackFacts) facts = contract::sha256_hex(facts);
      facts += runs_[i].run_id + "\n";
    }
    return contract::sha256_hex(facts);
  }
  /// Returns the shortest name that is not taken yet: the stem and the first digits of the digest.
  std::string name_of(const std::string& stem, const std::string& digest) {
    for (std::size_t digits = kDigits;; ++digits) {
      std::string name = stem + digest.substr(0, digits);
      if (names_.insert(name).second) return name;
    }
  }

  /// Keeps existing jobs that the planned runs would form again: single jobs, arrays and packed
  /// jobs. Returns the runs that are not in a kept job. The jobs of a split array share one table,
  /// so either all of them are kept or none.
  Indices keep(std::span<const PlannedJob> existing) {
    std::map<std::string, std::vector<const PlannedJob*>> units;
    for (const PlannedJob& job : existing) {
      if (job.kind == JobKind::single) units[job.name].push_back(&job);
      if (job.kind == JobKind::packed && launch_.pack) units[job.name].push_back(&job);
      if (job.kind == JobKind::array && launch_.array) units[job.table].push_back(&job);
    }
    std::unordered_map<std::string_view, std::uint32_t> planned;
    for (std::uint32_t i = 0; i < runs_.size(); ++i) planned[runs_[i].run_id] = i;
    std::vector<bool> kept(runs_.size());
    for (auto& [name, jobs] : units) {
      std::sort(jobs.begin(), jobs.end(),
                [](const auto* a, const auto* b) { return a->offset < b->offset; });
      Indices group;
      bool whole = true;
      for (const PlannedJob* job : jobs) {
        for (const std::string& id : job->run_ids) {
          const auto run = planned.find(id);
          whole = whole && run != planned.end() && !kept[run->second];
          if (whole) group.push_back(run->second);
        }
      }
      if (!whole || group.empty() || !keep_unit(*jobs.front(), group)) continue;
      for (const std::uint32_t i : group) kept[i] = true;
    }
    Indices left;
    for (std::uint32_t i = 0; i < runs_.size(); ++i) {
      if (!kept[i]) left.push_back(i);
    }
    return left;
  }
  bool keep_unit(const PlannedJob& job, const Indices& group) {
    if (job.kind == JobKind::single) {
      add_single(group.front());
      return true;
    }
    return job.kind == JobKind::array ? keep_array(job.table, group) : keep_packed(job, group);
  }

  bool keep_array(const std::string& table, const Indices& group) {
    const Allocation& needed = *needs_[group.front()].allocation;
    const bool alike = std::all_of(group.begin(), group.end(), [&](std::uint32_t i) {
      return settings_of(i) == settings_of(group.front()) && *needs_[i].allocation == needed;
    });
    if (!alike || !is_name(table, array_stem(group), array_digest(group))) return false;
    names_.insert(table);
    add_array(group, table);
    return true;
  }

  bool keep_packed(const PlannedJob& job, const Indices& group) {
    const Partition& partition = partition_of(group.front());
    const bool alike = std::all_of(group.begin(), group.end(), [&](std::uint32_t i) {
      return can_be_packed(i) && pack_key(i) == pack_key(group.front());
    });
    if (!alike) return false;
    double limit = job.resources.walltime_s;
    if (partition.max_walltime_s > 0) limit = std::min(limit, partition.max_walltime_s);
    std::vector<NodeShare> shares;
    for (const std::uint32_t i : group) shares.push_back(share_of(i));
    const int slots = job.resources.ranks_per_node;
    const auto fits = [&](const NodeShare& share) { return share.slots <= slots; };
    if (slots > room_for(group.front()) || !std::all_of(shares.begin(), shares.end(), fits)) {
      return false;
    }
    const NodePlan node = in_order(shares, slots);
    if (node.seconds > limit) return false;
    const contract::ResourceRequest request = node_request(node, group, limit);
    if (!is_name(job.name, kPacked, digest_of(group, request))) return false;
    names_.insert(job.name);
    add({.name = job.name, .resources = request, .kind = JobKind::packed}, group);
    return true;
  }

  // Key of a run. Runs with equal keys may share a packed job.
  using PackKey = std::tuple<const ResourceSettings*, int, int, bool>;
  PackKey pack_key(std::uint32_t i) const {
    const Allocation& allocation = *needs_[i].allocation;
    return {settings_of(i), allocation.partition, allocation.request.cores_per_rank,
            allocation.one_process};
  }
  NodeShare share_of(std::uint32_t i) {
    const contract::ResourceRequest& request = request_of(i);
    return {i, runs_[i].gpus, allowance_s(i),
            charged_gpus(partition_of(i), request) * request.walltime_s};
  }
  int room_for(std::uint32_t i) {
    return ranks_per_full_node(site_, partition_of(i), request_of(i).cores_per_rank);
  }
  bool can_be_packed(std::uint32_t i) {
    const contract::ResourceRequest& request = request_of(i);
    return request.nodes == 1 && request.ranks_per_node < room_for(i) && request.walltime_s > 0;
  }
  contract::ResourceRequest node_request(const NodePlan& node, const Indices& runs,
                                         double limit) const {
    contract::ResourceRequest request = request_of(runs.front());
    request.ranks_per_node = node.slots;
    request.walltime_s = std::min(limit, std::ceil(node.seconds / kMinute) * kMinute);
    return request;
  }

  /// Packs runs that fill less than a node. Returns the other runs.
  Indices pack(const Indices& candidates) {
    std::map<PackKey, Indices> groups;
    Indices left;
    for (const std::uint32_t i : candidates) {
      (can_be_packed(i) ? groups[pack_key(i)] : left).push_back(i);
    }
    for (const auto& [key, group] : groups) pack_group(group, left);
    sort_runs(left);
    return left;
  }

  /// Packs runs of a group, which is sorted by start order. Appends the other runs to `left`. The
  /// numbers of the shares are positions in the group, because share_nodes() sorts runs of equal
  /// length by number.
  void pack_group(const Indices& group, Indices& left) {
    const Partition& partition = partition_of(group.front());
    double limit = site_.walltime_s;
    std::vector<NodeShare> shares;
    for (const std::uint32_t i : group) {
      shares.push_back(share_of(i));
      shares.back().run = shares.size() - 1;
      limit = std::max(limit, shares.back().seconds);
    }
    if (partition.max_walltime_s > 0) limit = partition.max_walltime_s;
    const auto charge = [&](int slots, double seconds) {
      const auto request = node_request({{}, slots, seconds}, group, limit);
      return charged_gpus(partition, request) * request.walltime_s;
    };
    const Sharing sharing = share_nodes(std::move(shares), room_for(group.front()), limit, charge);
    too_dear_ += sharing.too_dear;
    for (const std::size_t position : sharing.alone) left.push_back(group[position]);
    for (const NodePlan& node : sharing.nodes) {
      Indices runs;
      for (const NodeShare& share : node.runs) runs.push_back(group[share.run]);
      const contract::ResourceRequest request = node_request(node, runs, limit);
      const std::string name = name_of(kPacked, digest_of(runs, request));
      add({.name = name, .resources = request, .kind = JobKind::packed}, std::move(runs));
    }
  }

  /// Combines runs with equal needs into job arrays. Returns the other runs.
  Indices make_arrays(const Indices& candidates) {
    std::vector<Indices> groups;
    std::map<std::tuple<const ResourceSettings*, int, int, double>, std::vector<std::size_t>> known;
    for (const std::uint32_t i : candidates) {
      const Allocation& needed = *needs_[i].allocation;
      auto& alike =
          known[{settings_of(i), needed.partition, runs_[i].gpus, needed.request.walltime_s}];
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
        add_array(group, name_of(array_stem(group), array_digest(group)));
      }
    }
    return left;
  }

  std::string array_stem(const Indices& group) const {
    return fmt::format("array-g{}-", runs_[group.front()].gpus);
  }
  std::string array_digest(const Indices& group) {
    const auto most = static_cast<std::size_t>(site_.max_array_size);
    return digest_of(group, request_of(group.front()), group.size() > most ? most : 0);
  }
  void add_array(const Indices& group, const std::string& table) {
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
    const auto run_before = [&](std::uint32_t a, std::uint32_t b) { return starts_before(a, b); };
    const auto before = [&](std::size_t a, std::size_t b) {
      return starts_before(*std::min_element(out_.runs[a].begin(), out_.runs[a].end(), run_before),
                           *std::min_element(out_.runs[b].begin(), out_.runs[b].end(), run_before));
    };
    // Jobs are already in order if all of them are single jobs, which is the usual case.
    if (std::is_sorted(order.begin(), order.end(), before)) return;
    std::stable_sort(order.begin(), order.end(), before);
    Arrangement sorted{.notes = std::move(out_.notes)};
    for (const std::size_t i : order) {
      sorted.jobs.push_back(std::move(out_.jobs[i]));
      sorted.runs.push_back(std::move(out_.runs[i]));
    }
    out_ = std::move(sorted);
  }

  void chain(std::size_t chains) {
    for (std::size_t i = 0; i < out_.jobs.size(); ++i) {
      out_.jobs[i].chain = static_cast<int>(i % chains) + 1;
      if (i >= chains) out_.jobs[i].after = {out_.jobs[i - chains].name};
    }
  }

  void note_price() {
    out_.notes.push_back(fmt::format(
        "not packed because packed jobs would cost more GPU-hours than separate jobs: {}",
        base::count_of(too_dear_, "run")));
  }

  /// Adds a note when the plan exceeds the job limit of the site. Batch systems count each task of
  /// an array as a job.
  void note_job_limit() {
    std::size_t jobs = 0;
    for (const PlannedJob& job : out_.jobs) {
      jobs += job.kind == JobKind::array ? job.run_ids.size() : 1;
    }
    if (jobs > static_cast<std::size_t>(site_.max_jobs)) {
      out_.notes.push_back(fmt::format(
          "the plan has {} jobs, but {} accepts at most {} per user at a time (each array task "
          "counts): submit the jobs in parts, or use launch.pack for fewer jobs",
          jobs, site_.name, site_.max_jobs));
    }
  }

  const Site& site_;
  const LaunchSettings& launch_;
  std::span<const RunNeeds> needs_;
  std::span<PlannedRun> runs_;
  StartOrder order_;
  // Maps each settings object to the object that represents all equal settings. See settings_of().
  std::map<const ResourceSettings*, const ResourceSettings*> settings_;
  // Cache of partition_of().
  std::map<std::pair<const ResourceSettings*, int>, Partition> partitions_;
  std::size_t too_dear_ = 0;  // number of runs that cost less as separate jobs than packed
  Arrangement out_;
  std::set<std::string> names_;  // names of packed jobs and of tables of arrays
};

}  // namespace

Arrangement arrange_jobs(const Site& site, const LaunchSettings& launch,
                         std::span<const RunNeeds> needs, std::span<PlannedRun> runs,
                         std::span<const PlannedJob> existing, StartOrder order) {
  return Arranger(site, launch, needs, runs, order).arrange(existing);
}

}  // namespace dlscale::planner
