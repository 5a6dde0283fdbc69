// SPDX-License-Identifier: Apache-2.0
// The table of jobs in a batch system's books: how long they waited, what they took, and how much
// that was of what they had asked for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kMinute = 60;
constexpr double kJoulesOfKwh = 3.6e6;
constexpr double kLongWaits = 0.9;  ///< a quantile

/// Jobs of one partition and number of GPUs.
struct JobGroup {
  std::vector<const JobRow*> jobs;  ///< that started
  int all = 0;
  int completed = 0;
};

/// A number that the books may be silent on.
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

constexpr Told kTold[] = {{"waiting", &waited_s},
                          {"GPU-hours", &job_gpu_hours},
                          {"a time limit", &share_of_time},
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

using JobPlace = std::pair<std::string, double>;  ///< partition, GPUs; -1: not said

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

/// Of how many jobs that started the books do not say what.
std::string silence_of(const std::map<JobPlace, JobGroup>& groups) {
  std::vector<const JobRow*> jobs;
  for (const auto& [place, group] : groups) {
    jobs.insert(jobs.end(), group.jobs.begin(), group.jobs.end());
  }
  std::vector<std::string> parts;
  for (const Told& told : kTold) {
    const std::size_t silent = jobs.size() - job_values_of(jobs, told.of).size();
    if (silent > 0) parts.push_back(fmt::format("{} of {}", told.name, silent));
  }
  if (parts.empty()) return "";
  return fmt::format("of {} that started the books do not tell {}; these count there in no number",
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
      "of the jobs that started: medians, sums of GPU-hours and of energy",
      "waited: from submission to start, by the cluster's clock, with what a job was held or "
      "depended on others; 90 %: as long or shorter waited nine of ten",
      "of the limit: time it ran / time limit; of the memory: of the task that had most / asked "
      "for on all nodes, so that jobs of several tasks used more"};
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
               {"share_of_time_limit", "of the limit", "%", 1, 100},
               {"share_of_memory", "of the memory", "%", 1, 100},
               {"energy_j", "energy", "kWh", 2, 1 / kJoulesOfKwh},
               {"energy_j_of_job", "energy/job", "kWh", 3, 1 / kJoulesOfKwh}},
              {}};
  for (const auto& [place, group] : groups) add_group(table, place, group);
  return table;
}

}  // namespace dlscale::analysis
