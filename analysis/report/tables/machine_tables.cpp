// SPDX-License-Identifier: Apache-2.0
// Builds the tables about the machine: times of collectives by message size, jobs in batch-system
// accounting, and slow nodes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "analysis/metrics/scaling/node_residuals.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

// Table of collectives, with their times and bandwidths by message size.

namespace {

constexpr const char* kCollective = "collective";

/// Key that identifies the same measurement in all repeats: collective, element type, true for an
/// in-place operation, and message size in bytes.
using Message = std::tuple<std::string, std::string, bool, std::int64_t>;
using Results = std::map<Message, std::vector<const CollectiveRow*>>;

Results results_of(const RunPoint& point) {
  Results results;
  for (const RunRow* run : point.repeats) {
    for (const CollectiveRow& row : run->collectives) {
      results[{row.collective, row.type, row.in_place, row.size_bytes}].push_back(&row);
    }
  }
  return results;
}

std::vector<double> collective_values_of(const std::vector<const CollectiveRow*>& rows,
                                         double CollectiveRow::*member) {
  std::vector<double> values;
  for (const CollectiveRow* row : rows) {
    if (std::isfinite(row->*member)) values.push_back(row->*member);
  }
  return values;
}

void add_message(Row row, const Message& message, const std::vector<const CollectiveRow*>& rows,
                 Table& table) {
  const auto& [collective, type, in_place, size_bytes] = message;
  const auto of = [&](double CollectiveRow::*member) { return collective_values_of(rows, member); };
  row.text(collective).text(type).text(in_place ? "in place" : "out of place");
  row.number(static_cast<double>(size_bytes)).number(static_cast<double>(rows.size()));
  add_median(row, of(&CollectiveRow::time_s));
  add_median(row, of(&CollectiveRow::algbw_gb_per_s));
  const std::vector<double> busbw = of(&CollectiveRow::busbw_gb_per_s);
  add_median(row, busbw);
  busbw.empty() ? row.nothing() : row.interval(interval_of_median(busbw));
  const std::vector<double> wrong = of(&CollectiveRow::wrong);
  wrong.empty() ? row.nothing() : row.number(*std::max_element(wrong.begin(), wrong.end()));
  row.into(table);
}

Repeats collective_repeats_of(const std::vector<Results>& all) {
  Repeats repeats;
  for (const Results& results : all) {
    for (const auto& [message, rows] : results) repeats.add(rows.size());
  }
  return repeats;
}

}  // namespace

Table collectives_table(const Frame& frame, const AnalysisOptions&) {
  std::vector<RunPoint> points = run_points(
      frame, [](const RunRow& run) { return completed(run) && !run.collectives.empty(); });
  std::vector<Results> all;
  for (RunPoint& point : points) {
    // The collective's name is removed from the key because it has its own column.
    std::erase_if(point.key, [](const AxisValue& entry) { return entry.axis == kCollective; });
    all.push_back(results_of(point));
  }
  const Start start(frame, keys_of(points));
  const Repeats repeats = collective_repeats_of(all);
  std::vector<std::string> notes{
      describe_statistic(repeats),
      "n: number of measurements of a message size, each of which is a mean over iterations; algbw "
      "= size / time; busbw = algbw x the factor that makes collectives and rank counts "
      "comparable; algbw and busbw are the values that the benchmark printed",
      "wrong: number of wrong elements, the maximum over the n measurements; empty if results were "
      "not checked"};
  notes.push_back(describe_use(frame));
  Table table = begin_table(start, "collectives", "Collectives of " + frame.study, std::move(notes),
                            {{.id = kCollective, .title = kCollective, .is_key = true},
                             {.id = "type", .title = "type", .is_key = true},
                             {.id = "buffers", .title = "buffers", .is_key = true},
                             {.id = "size_bytes", .title = "size", .unit = "bytes", .is_key = true},
                             {"n", "n"},
                             {"time_s", "time", "us", 2, 1e6},
                             {"algbw_gb_per_s", "algbw", "GB/s", 2},
                             {"busbw_gb_per_s", "busbw", "GB/s", 2},
                             {"busbw_gb_per_s", interval_title(repeats), "GB/s", 2, 1, true},
                             {"wrong", "wrong"}});
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const auto& [message, rows] : all[i]) {
      add_message(start.row(points[i].key, points[i].first().gpus), message, rows, table);
    }
  }
  return table;
}

// Table of the jobs in batch-system accounting: waiting times, used resources, and the used share
// of the requested resources.

namespace {

constexpr double kMinute = 60;
constexpr double kJoulesOfKwh = 3.6e6;
constexpr double kLongWaits = 0.9;  ///< quantile of the waiting times that the table shows

/// Jobs that requested the same partition and the same number of GPUs.
struct JobGroup {
  std::vector<const JobRow*> jobs;  ///< jobs that started
  int all = 0;
  int completed = 0;
};

/// Quantity of a job that is NaN if the accounting does not contain it. `name` is used in a note.
struct Told {
  const char* name;
  double (*of)(const JobRow&);
};

double waited_s(const JobRow& job) {
  return job.waited_s;
}
double job_gpu_hours(const JobRow& job) {
  return job.gpus * job.elapsed_s / kHour;
}
double share_of_time(const JobRow& job) {
  return job.timelimit_s > 0 ? job.elapsed_s / job.timelimit_s : JobRow::kSilent;
}
double share_of_memory(const JobRow& job) {
  return job.requested_memory_bytes > 0 ? job.max_memory_bytes / job.requested_memory_bytes
                                        : JobRow::kSilent;
}
double energy_j(const JobRow& job) {
  return job.energy_j;
}

constexpr Told kTold[] = {{"waiting time", &waited_s},
                          {"GPU-hours", &job_gpu_hours},
                          {"time limit", &share_of_time},
                          {"memory", &share_of_memory},
                          {"energy", &energy_j}};

std::vector<double> job_values_of(const std::vector<const JobRow*>& jobs,
                                  double (*of)(const JobRow&)) {
  std::vector<double> values;
  for (const JobRow* job : jobs) {
    if (std::isfinite(of(*job))) values.push_back(of(*job));
  }
  return values;
}

/// Partition and GPU count. The count is -1 if it is not recorded.
using JobPlace = std::pair<std::string, double>;

std::map<JobPlace, JobGroup> job_groups_of(const Frame& frame) {
  std::map<JobPlace, JobGroup> groups;
  for (const RunRow& run : frame.runs) {
    if (!run.job) continue;
    JobGroup& group =
        groups[{run.job->partition, std::isfinite(run.job->gpus) ? run.job->gpus : -1}];
    ++group.all;
    group.completed += completed(run);
    if (run.job->elapsed_s != 0) group.jobs.push_back(&*run.job);
  }
  return groups;
}

/// Returns a note on the quantities that the accounting lacks, with the number of started jobs that
/// lack each of them. Returns an empty text if the accounting is complete.
std::string silence_of(const std::map<JobPlace, JobGroup>& groups) {
  std::vector<const JobRow*> jobs;
  for (const auto& [place, group] : groups) {
    jobs.insert(jobs.end(), group.jobs.begin(), group.jobs.end());
  }
  std::vector<std::string> parts;
  for (const Told& reported : kTold) {
    const std::size_t silent = jobs.size() - job_values_of(jobs, reported.of).size();
    if (silent > 0) parts.push_back(fmt::format("no {} for {}", reported.name, silent));
  }
  if (parts.empty()) return "";
  return fmt::format(
      "the accounting of {} that started is incomplete: {}; numbers do not include these jobs",
      base::count_of(jobs.size(), "job"), fmt::join(parts, ", "));
}

Repeats job_repeats_of(const std::map<JobPlace, JobGroup>& groups) {
  Repeats repeats;
  for (const auto& [place, group] : groups) {
    const std::size_t n = job_values_of(group.jobs, &waited_s).size();
    if (n > 0) repeats.add(n);
  }
  return repeats;
}

void add_sum(Row& row, const std::vector<double>& values) {
  values.empty() ? row.nothing() : row.number(std::accumulate(values.begin(), values.end(), 0.0));
}

void add_group(Table& table, const JobPlace& place, const JobGroup& group) {
  const auto& [partition, gpus] = place;
  const auto of = [&](double (*value)(const JobRow&)) { return job_values_of(group.jobs, value); };
  Row row;
  row.text(partition);
  gpus < 0 ? row.nothing() : row.number(gpus);
  row.number(group.all).number(static_cast<double>(group.jobs.size())).number(group.completed);
  const std::vector<double> waits = of(&waited_s);
  add_median(row, waits);
  waits.empty() ? row.nothing() : row.interval(interval_of_median(waits));
  waits.empty() ? row.nothing() : row.number(quantile(waits, kLongWaits));
  add_sum(row, of(&job_gpu_hours));
  add_median(row, of(&job_gpu_hours));
  add_median(row, of(&share_of_time));
  add_median(row, of(&share_of_memory));
  add_sum(row, of(&energy_j));
  add_median(row, of(&energy_j));
  row.into(table);
}

}  // namespace

Table jobs_table(const Frame& frame, const AnalysisOptions&) {
  const std::map<JobPlace, JobGroup> groups = job_groups_of(frame);
  std::vector<std::string> notes{
      "values are for the jobs that started: sums for GPU-h and energy, medians for all other "
      "columns",
      "waited: from submission to start by the clock of the cluster, including time on hold or "
      "waiting for other jobs; 90 %: nine of ten jobs waited at most this long",
      "time limit used: elapsed time / time limit; memory used: peak of the task with the highest "
      "peak / memory requested on all nodes, a ratio that is too low for jobs with several tasks"};
  if (const std::string silence = silence_of(groups); !silence.empty()) notes.push_back(silence);
  notes.push_back(describe_use(frame));
  Table table{"jobs",
              "Jobs of " + frame.study,
              std::move(notes),
              {{"partition", "partition"},
               {"gpus", "GPUs"},
               {"n", "jobs"},
               {"started", "started"},
               {"completed", "completed"},
               {"waited_s", "waited", "min", 1, 1 / kMinute},
               {"waited_s", interval_title(job_repeats_of(groups)), "min", 1, 1 / kMinute, true},
               {"waited_p90_s", "90 %", "min", 1, 1 / kMinute},
               {"gpu_hours", "GPU-h", "", 2},
               {"gpu_hours_of_job", "GPU-h/job", "", 2},
               {"share_of_time_limit", "time limit used", "%", 1, 100},
               {"share_of_memory", "memory used", "%", 1, 100},
               {"energy_j", "energy", "kWh", 2, 1 / kJoulesOfKwh},
               {"energy_j_of_job", "energy/job", "kWh", 3, 1 / kJoulesOfKwh}},
              {}};
  for (const auto& [place, group] : groups) add_group(table, place, group);
  return table;
}

// Table of slow nodes: each node is compared with the other nodes of the same launches.

namespace {

std::string node_word_of(NodeFinding finding) {
  switch (finding) {
    case NodeFinding::Slow:
      return "slow";
    case NodeFinding::StandsOut:
      return "possibly slow, too few launches to be sure";
    case NodeFinding::NotSlower:
      return "not slower";
    case NodeFinding::TooFewTimes:
      return "too few launches";
  }
  return "";
}

/// Adds a note that consists of the number of launches and `text`. Adds nothing if `count` is 0.
void add_count(std::vector<std::string>& notes, int count, const char* text) {
  if (count > 0) notes.push_back(fmt::format("{} {}", base::count_of(count, "launch"), text));
}

std::string cost_of(const NodeResidual& node, const NodeResiduals& all, const std::string& worker) {
  return fmt::format(
      "{}: if this node were as fast as the next slowest node, training would have taken at least "
      "{:.0f} s ({:.1f} %, {:.2f} {}-hours) less",
      node.host, node.lost_s, 100 * node.lost_s / all.work_s, node.lost_gpu_s / kHour, worker);
}

std::vector<std::string> node_notes_of(const Frame& frame, const NodeResiduals& found) {
  const std::string worker = worker_noun(frame);
  std::vector<std::string> notes{
      "a node is compared only with the other nodes of the same launch; the compared time is the "
      "time in which the slowest rank of the node does not wait for other ranks (without exposed "
      "communication and pipeline bubbles), excluding the start-up",
      "slowdown: ratio to the median of the other nodes, median over epochs, Hodges-Lehmann "
      "estimate over launches with its 95 % interval (or range, if n is too small for an "
      "interval); z: modified z-score from the median absolute deviation of the nodes",
      "p: one-sided, exact test of the ranking within launches; adjusted p: Holm correction over "
      "all nodes that could be significant, so that a node is called slow by chance in at most 5 "
      "of 100 tables"};
  for (const NodeResidual& node : found.nodes) {
    if (node.finding == NodeFinding::Slow) notes.push_back(cost_of(node, found, worker));
  }
  add_count(notes, found.alone, "not compared: only one node, or nodes without comparable work");
  add_count(notes, found.unknown, "not compared: the nodes of the ranks were not recorded");
  notes.push_back(describe_use(frame));
  return notes;
}

}  // namespace

Table node_table(const Frame& frame, const AnalysisOptions&) {
  const NodeResiduals found = node_residuals(frame);
  const std::string hours = worker_noun(frame) + "-h";
  Table table{"nodes",
              "Slow nodes in " + frame.study,
              node_notes_of(frame, found),
              {{"host", "node"},
               {"ranks", "ranks"},
               {"n", "n"},
               {"slowdown", "slowdown", "", 3},
               {"slowdown", "interval", "", 3, 1, true},
               {"z", "z", "", 1},
               {"p", "p", "", 4, 1, false, true},
               {"adjusted_p", "adjusted p", "", 4, 1, false, true},
               {"others_waited_s", "others waited", "s", 1},
               {"others_waited_gpu_hours", "others waited", hours, 3},
               {"verdict", "verdict"}},
              {}};
  for (const NodeResidual& node : found.nodes) {
    Row row;
    row.text(node.host).number(static_cast<double>(node.ranks));
    row.number(static_cast<double>(node.launches));
    row.number(node.slowdown.value).interval(node.slowdown.interval);
    row.number(node.z).number(node.p).number(node.adjusted_p);
    row.number(node.lost_s).number(node.lost_gpu_s / kHour);
    row.text(node_word_of(node.finding)).into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
