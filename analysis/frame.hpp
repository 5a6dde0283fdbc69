// SPDX-License-Identifier: Apache-2.0
// The measurements of a study as data: one row per run. Statistics are pure functions of it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/records/result_record.hpp"
#include "contract/records/run_prediction.hpp"

namespace dlscale::analysis {

// A kept prediction of a point beside what its runs then measured.

/// Of the runs of one point, as far as they were measured.
struct KeptPrediction {
  contract::RunPrediction said;  ///< the last one before the point's first launch, else the first
  bool afterwards = false;       ///< it was made after the first launch had started
  std::vector<std::string> run_ids;
  std::vector<double> memory_bytes;  ///< peak of a GPU's allocator, of each run on GPUs
};

inline constexpr double kHour = 3600;  ///< s
/// Outcomes beside contract::RunOutcome's names.
inline constexpr const char* kUnfinished = "Unfinished";  ///< launched, no end seen yet
inline constexpr const char* kNotStarted = "NotStarted";  ///< never launched
inline constexpr const char* kUnreadable = "Unreadable";  ///< its run.json is broken or missing

struct EpochRow {
  int epoch = 0;  ///< counts from 0
  double wall_s = 0;
  double train_loss = 0;
};

struct EvalRow {
  int epoch = 0;  ///< after this epoch; kUnknownEpoch if the log does not tell it
  double accuracy = 0;
  double loss = 0;
};

/// A target of a run, the first time it was reached.
struct TargetRow {
  std::string metric;  ///< accuracy, bleu: at least; loss: at most
  double threshold = 0;
  int epoch = 0;       ///< after this one, from 0
  double train_s = 0;  ///< of training alone, over all launches
  std::int64_t samples = 0;
};

/// Forward passes alone, on batches of one size.
struct InferenceRow {
  std::int64_t batch = 0;  ///< of a rank
  double latency_p50_s = 0, latency_p90_s = 0;
  double samples_per_s = 0;  ///< of all ranks together
};

/// What a launch said of its model and data; 0: nothing.
struct WorkSize {
  std::int64_t trainable_parameters = 0, train_samples = 0, steps_per_epoch = 0;
  std::int64_t padded_samples = 0;   ///< taken twice in each epoch
  std::int64_t dropped_samples = 0;  ///< left out of each epoch
};

/// Step windows of a run added up. Those with the start-up costs of a launch are left out, unless
/// there are no others.
struct StepTotals {
  bool includes_warmup = false;
  bool leaves_out_warmup = false;  ///< there were such windows, and they are not in here
  bool tells_steps = true;         ///< false: the log has none, and each sample stands as one
  std::int64_t steps = 0, samples = 0;
  double wall_s = 0;       ///< of the slowest rank
  double bytes_sent = 0;   ///< payload of collectives, mean over ranks
  double comm_busy_s = 0;  ///< in which collectives were under way, mean over ranks
  std::array<double, contract::kStepParts> parts_s{};  ///< means over the ranks
};

/// Training time of all launches of a run.
struct SpentTime {
  int launches = 1;   ///< that make up the result: the completed one and those it went on from
  double kept_s = 0;  ///< of steps that are part of the result
  double lost_s = 0;  ///< of steps that were done again, or by launches that led to nothing
};

/// What each rank worked in an epoch, waiting for others left out.
struct RankEpoch {
  std::int64_t steps = 0;
  std::vector<double> work_s;  ///< by rank
};

/// A launch of several ranks, whatever became of it.
struct LaunchRanks {
  int launch = 1;
  int stages = 0;                  ///< only ranks of equal rank % stages do equal work; 0: all do
  std::vector<std::string> hosts;  ///< by rank
  std::vector<RankEpoch> epochs;
};

/// Which windows of a launch count as its warm-up.
enum class WarmUp {
  Marked,    ///< those that its trainer marked, usually the first
  Detected,  ///< also those before its step times got steady, where they did
};

/// How the warm-up of a run's launches ended, by analysis/metrics/statistics/summary.hpp.
struct WarmUpEnd {
  int late_windows = 0;  ///< got steady so many windows later than marked; the most of its launches
  int unsteady = 0;      ///< launches of five windows and more that never got steady
};

/// What a batch system's books say of a run that is a job; NaN where they are silent.
struct JobRow {
  static constexpr double kSilent = std::numeric_limits<double>::quiet_NaN();
  std::string partition;       ///< or queue; empty: not said
  double waited_s = kSilent;   ///< from its submission to its start, by the cluster's clock
  double elapsed_s = kSilent;  ///< 0: it never started
  double timelimit_s = kSilent;
  double gpus = kSilent;
  double requested_memory_bytes = kSilent;  ///< of all nodes
  double max_memory_bytes = kSilent;        ///< of the task that had most
  double energy_j = kSilent;
};

/// A message size of a benchmark of collectives; bandwidths in 10^9 bytes/s.
struct CollectiveRow {
  std::string collective;  ///< all_reduce, …; empty: nobody says
  std::string type;        ///< of the elements: float, half, …
  bool in_place = false;   ///< send and receive buffers are the same
  std::int64_t size_bytes = 0;
  double time_s = 0;  ///< mean over the iterations
  double algbw_gb_per_s = 0, busbw_gb_per_s = 0;
  double wrong = 0;  ///< elements; NaN: not checked
};

/// One run; what was measured is that of its last completed launch and of the launches it went on
/// from, each step and each epoch once.
struct RunRow {
  std::string run_id;
  int repetition = 1;
  std::string outcome = kNotStarted;         ///< a RunOutcome's name or one of the above
  std::map<std::string, std::string> point;  ///< value of each axis
  /// What must agree between runs that are compared: device, CPU and GPU model, data set, …
  std::map<std::string, std::string> conditions;
  int gpus = 1, nodes = 1;
  /// 0: nobody says it; that of a GPU is also 0 where they could not share the global one evenly.
  std::int64_t batch_per_gpu = 0, global_batch = 0;
  double lr_peak = 0;  ///< likewise
  StepTotals steps;
  SpentTime spent;
  WarmUpEnd warmup;
  std::vector<EpochRow> epochs;
  std::vector<EvalRow> evals;
  std::map<std::string, double> metrics;  ///< of the last evaluation: top5_accuracy, bleu, …
  std::vector<TargetRow> targets;         ///< those that were reached
  std::vector<InferenceRow> inference;
  std::vector<LaunchRanks> ranks;  ///< of all its launches
  std::optional<JobRow> job;       ///< of runs that are no more than jobs in somebody's books
  std::vector<CollectiveRow> collectives;
  std::string task;  ///< what its model learns: classification, …; empty: not said
  WorkSize size;
};

struct Frame {
  std::string study;
  std::string scaling;  ///< weak, strong, throughput
  contract::BaselineRule baseline;
  std::vector<contract::Axis> axes;  ///< in the study's order, values too
  std::vector<RunRow> runs;          ///< in the plan's order
  /// The smallest GPU count of each curve (by its key as text) before runs were left out, see
  /// analysis/metrics/scaling/selected_runs.hpp; empty while all are there.
  std::map<std::string, int> first_gpus;
  WarmUp warmup = WarmUp::Marked;  ///< what the runs' steps leave out
  /// Runs left out as outliers, see analysis/metrics/scaling/selected_runs.hpp; empty: nobody
  /// asked.
  std::string outliers;
  std::vector<KeptPrediction> predictions = {};  ///< of its points, those left out as well
  /// CurveKeys::spread of analysis/metrics/scaling/curve.hpp before runs were left out.
  std::set<std::string> spread_curves = {};
};

bool completed(const RunRow& run);
/// The loss was not finite, or nothing was learnt: a result, though without an accuracy.
bool diverged(const RunRow& run);
/// Completed, with steps to compute a throughput from.
bool has_throughput(const RunRow& run);
/// Learns classes; completed and evaluated at least once, with a finite accuracy in the end.
bool has_accuracy(const RunRow& run);

/// Wall time over samples: what throughput, speed-up and efficiency are made of. Its inverse is
/// Σ samples / Σ time, never a mean of rates. Needs has_throughput.
double seconds_per_sample(const RunRow& run);
double step_time_s(const RunRow& run);
/// Median over the epochs without the first (start-up costs); empty without epoch records.
std::optional<double> epoch_time_s(const RunRow& run);
/// After the last epoch, as a fraction. Needs has_accuracy.
double final_accuracy(const RunRow& run);
double best_accuracy(const RunRow& run);

/// What a rank of these runs is called: "rank" when all compute on CPUs, else "GPU".
std::string worker_word(const Frame& frame);

}  // namespace dlscale::analysis
