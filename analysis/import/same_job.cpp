// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/same_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;

bool may_be_equal(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a == b;
}

/// Returns true if two rows describe the same attempt of a job. A row without a start describes a
/// waiting job, which becomes the first attempt. Rows without times describe the same attempt if
/// all fields agree or if the job had not ended in one of the rows.
bool is_one_attempt(const JobIdentity& a, const JobIdentity& b, bool is_one_open) {
  if (a.job_id != b.job_id || !may_be_equal(a.cluster, b.cluster)) return false;
  if (a.submitted.empty() && a.started.empty()) return a.row == b.row || is_one_open;
  return a.submitted == b.submitted && may_be_equal(a.started, b.started);
}

/// Returns true if the axes stated by the user agree. Axes that come from the accounting records
/// differ from row to row and are ignored.
bool have_same_axes(const ImportedRun& a, const ImportedRun& b) {
  return std::ranges::all_of(a.spec.point, [&](const auto& axis) {
    const auto other = b.spec.point.find(axis.first);
    const bool is_of_row = axis.first == "attempt" || a.record.facts.contains(axis.first) ||
                           b.record.facts.contains(axis.first);
    return is_of_row || other == b.spec.point.end() || other->second == axis.second;
  });
}

bool has_ended(const ImportedRun& run) {
  return run.outcome != RunOutcome::Lost;
}

class Jobs {
 public:
  explicit Jobs(std::vector<ImportedRun> runs) : runs_(std::move(runs)) {}

  void add_folder(const ImportedPlan& before) {
    folder_ = runs_of_folder(before, runs_);
    std::erase_if(folder_, [](const ImportedRun& run) { return !run.record.job; });
    for (std::size_t i = 0; i < folder_.size(); ++i) {
      kept_[folder_[i].record.job->job_id].push_back(i);
    }
    own_from_ = folder_.size();
  }

  DistinctJobs find() {
    std::vector<bool> is_repeated(runs_.size(), false);
    DistinctJobs found;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!runs_[i].record.job) continue;
      std::vector<std::size_t>& kept = kept_[runs_[i].record.job->job_id];
      const auto same = std::ranges::find_if(
          kept, [&](std::size_t other) { return is_same(at(other), runs_[i]); });
      if (same == kept.end()) {
        kept.push_back(own_from_ + i);
      } else if (!replaces(at(*same), runs_[i])) {
        is_repeated[i] = true;
      } else {
        if (*same < own_from_) found.replaced.insert(at(*same).spec.run_id);
        if (*same >= own_from_) is_repeated[*same - own_from_] = true;
        *same = own_from_ + i;
      }
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      (is_repeated[i] ? found.repeated : found.runs).push_back(std::move(runs_[i]));
    }
    return found;
  }

 private:
  const ImportedRun& at(std::size_t i) const {
    return i < own_from_ ? folder_[i] : runs_[i - own_from_];
  }

  static bool is_same(const ImportedRun& a, const ImportedRun& b) {
    const bool is_copy = a.record.path != b.record.path && a.record.sha256 == b.record.sha256;
    return !is_copy && a.record.format == b.record.format && have_same_axes(a, b) &&
           is_one_attempt(*a.record.job, *b.record.job, !has_ended(a) || !has_ended(b));
  }

  static bool replaces(const ImportedRun& kept, const ImportedRun& row) {
    if (has_ended(kept) != has_ended(row)) return has_ended(row);
    return row.record.job->elapsed_s > kept.record.job->elapsed_s;
  }

  std::vector<ImportedRun> runs_, folder_;
  std::size_t own_from_ = 0;  ///< number of runs in `folder_`
  std::map<std::string, std::vector<std::size_t>> kept_;
};

}  // namespace

std::optional<JobIdentity> identity_of(const std::vector<AccountedJob>& jobs) {
  if (jobs.empty()) return std::nullopt;
  const AccountedJob& job = jobs.front();
  JobIdentity identity{job.job_id, job.cluster, job.submitted, job.started};
  if (std::isfinite(job.elapsed_s)) identity.elapsed_s = job.elapsed_s;
  if (job.submitted.empty() && job.started.empty()) {
    identity.row =
        fmt::format("{} {} {} {} {} {}", job.state, job.ended, job.elapsed_s,
                    job.nodes.value_or(-1), job.cpus.value_or(-1), job.gpus.value_or(-1));
  }
  return identity;
}

DistinctJobs distinct_jobs(std::vector<ImportedRun> runs, const ImportedPlan& before) {
  Jobs jobs(std::move(runs));
  jobs.add_folder(before);
  return jobs.find();
}

}  // namespace dlscale::analysis
