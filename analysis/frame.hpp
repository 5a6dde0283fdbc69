// SPDX-License-Identifier: Apache-2.0
// Frame: the measurements of a study as plain data with one row per run. Statistics are pure
// functions of a Frame.
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

// Saved prediction of a point next to the values that the point's runs measured.

/// Prediction of one point with the measurements of the point's runs that exist so far.
struct KeptPrediction {
  contract::RunPrediction said;  ///< last prediction before the first launch, else the first one
  bool afterwards = false;       ///< true if it was made after the first launch had started
  std::vector<std::string> run_ids;
  std::vector<double> memory_bytes;  ///< peak allocator memory of a GPU, one value per run on GPUs
};

inline constexpr double kHour = 3600;  ///< seconds per hour
/// Outcomes in addition to the names of contract::RunOutcome.
inline constexpr const char* kUnfinished = "Unfinished";  ///< launched run without a recorded end
inline constexpr const char* kNotStarted = "NotStarted";  ///< run that was never launched
inline constexpr const char* kUnreadable = "Unreadable";  ///< run with a broken or missing run.json

struct EpochRow {
  int epoch = 0;  ///< epoch number, from 0
  double wall_s = 0;
  double train_loss = 0;
};

struct EvalRow {
  int epoch = 0;  ///< epoch before the evaluation; kUnknownEpoch if not recorded
  double accuracy = 0;
  double loss = 0;
};

/// Target of a run at the time when the run first reached it.
struct TargetRow {
  std::string metric;  ///< name; accuracy and bleu: at least, loss: at most the threshold
  double threshold = 0;
  int epoch = 0;       ///< epoch after which the target was reached, from 0
  double train_s = 0;  ///< time of training alone, summed over all launches
  std::int64_t samples = 0;
};

/// Results of forward passes without training, on batches of one size.
struct InferenceRow {
  std::int64_t batch = 0;  ///< batch size of one rank
  double latency_p50_s = 0, latency_p90_s = 0;
  double samples_per_s = 0;  ///< throughput of all ranks together
};

/// Sizes of the model and data that a launch reported. 0 means that a size is not reported.
struct WorkSize {
  std::int64_t trainable_parameters = 0, train_samples = 0, steps_per_epoch = 0;
  std::int64_t padded_samples = 0;   ///< samples that each epoch uses twice
  std::int64_t dropped_samples = 0;  ///< samples that each epoch leaves out
};

/// Sums over the step windows of a run. Windows with the start-up costs of a launch are left out,
/// unless the run has no other windows.
struct StepTotals {
  bool includes_warmup = false;
  bool leaves_out_warmup = false;  ///< true if warm-up windows exist and are left out
  bool tells_steps = true;         ///< false if the log has no steps; samples count as steps
  std::int64_t steps = 0, samples = 0;
  double wall_s = 0;       ///< wall time of the slowest rank
  double bytes_sent = 0;   ///< payload of collectives, mean over ranks
  double comm_busy_s = 0;  ///< time with collectives in progress, mean over ranks
  std::array<double, contract::kStepParts> parts_s{};  ///< step parts, means over ranks
};

/// Training time of all launches of a run.
struct SpentTime {
  int launches = 1;   ///< number of launches in the result: the completed one and its predecessors
  double kept_s = 0;  ///< time of steps that are part of the result
  double lost_s = 0;  ///< time of repeated steps and of launches that are not part of the result
};

/// Work of each rank in an epoch, without the time that the rank waited for other ranks.
struct RankEpoch {
  std::int64_t steps = 0;
  std::vector<double> work_s;  ///< work time by rank
};

/// Launch of several ranks, with any outcome.
struct LaunchRanks {
  int launch = 1;
  int stages = 0;                  ///< ranks of equal rank % stages do equal work; 0: all ranks do
  std::vector<std::string> hosts;  ///< host names by rank
  std::vector<RankEpoch> epochs;
};

/// Rule that selects the windows of a launch that count as warm-up.
enum class WarmUp {
  Marked,    ///< windows that the trainer marked, usually the first
  Detected,  ///< marked windows, and windows before the step times became steady
};

/// End of the warm-up of a run's launches, detected by analysis/metrics/statistics/summary.hpp.
struct WarmUpEnd {
  int late_windows = 0;  ///< windows between the marked and the detected end, most of all launches
  int unsteady = 0;      ///< launches of at least five windows that never became steady
};

/// Accounting data of a batch system on a run that is a job. NaN marks values that are not
/// recorded.
struct JobRow {
  static constexpr double kSilent = std::numeric_limits<double>::quiet_NaN();
  std::string partition;       ///< partition or queue; empty: not recorded
  double waited_s = kSilent;   ///< time from submission to start, by the cluster's clock
  double elapsed_s = kSilent;  ///< time from start to end; 0: the job never started
  double timelimit_s = kSilent;
  double gpus = kSilent;
  double requested_memory_bytes = kSilent;  ///< requested memory of all nodes
  double max_memory_bytes = kSilent;        ///< peak memory of the task that used most
  double energy_j = kSilent;
};

/// Result of a collective benchmark for one message size. Bandwidths are in 10^9 bytes/s.
struct CollectiveRow {
  std::string collective;  ///< name of the collective: all_reduce, …; empty: not recorded
  std::string type;        ///< type of the elements: float, half, …
  bool in_place = false;   ///< true if the send and receive buffers are the same
  std::int64_t size_bytes = 0;
  double time_s = 0;  ///< mean time over the iterations
  double algbw_gb_per_s = 0, busbw_gb_per_s = 0;
  double wrong = 0;  ///< number of wrong elements; NaN: not checked
};

/// Measurements of one run. They come from the last completed launch and from the launches that it
/// resumed from, with each step and each epoch counted once.
struct RunRow {
  std::string run_id;
  int repetition = 1;
  std::string outcome = kNotStarted;         ///< name of a RunOutcome or one of the constants above
  std::map<std::string, std::string> point;  ///< value of each axis
  /// Conditions that must agree between compared runs: device, CPU and GPU model, data set, …
  std::map<std::string, std::string> conditions;
  int gpus = 1, nodes = 1;
  /// Batch sizes, 0 if not recorded. `batch_per_gpu` is also 0 if the GPUs could not share the
  /// global batch evenly.
  std::int64_t batch_per_gpu = 0, global_batch = 0;
  double lr_peak = 0;  ///< peak learning rate; 0: not recorded
  StepTotals steps;
  SpentTime spent;
  WarmUpEnd warmup;
  std::vector<EpochRow> epochs;
  std::vector<EvalRow> evals;
  std::map<std::string, double> metrics;  ///< last evaluation: top5_accuracy, bleu, …
  std::vector<TargetRow> targets;         ///< targets that the run reached
  std::vector<InferenceRow> inference;
  std::vector<LaunchRanks> ranks;  ///< rank times of all launches
  std::optional<JobRow> job;       ///< accounting data, for runs that are only batch-system jobs
  std::vector<CollectiveRow> collectives;
  std::string task;  ///< kind of task that the model learns: classification, …; empty: not recorded
  WorkSize size;
};

struct Frame {
  std::string study;
  std::string scaling;  ///< scaling mode: weak, strong, throughput
  contract::BaselineRule baseline;
  std::vector<contract::Axis> axes;  ///< axes and their values, in the study's order
  std::vector<RunRow> runs;          ///< runs in the plan's order
  /// Smallest GPU count of each curve, by the curve's key as text, before runs were left out (see
  /// analysis/metrics/scaling/selected_runs.hpp). Empty while all runs are present.
  std::map<std::string, int> first_gpus;
  WarmUp warmup = WarmUp::Marked;  ///< warm-up rule that the runs' steps follow
  /// Description of the runs that were left out as outliers (see
  /// analysis/metrics/scaling/selected_runs.hpp). Empty if the user did not request to leave out
  /// outliers.
  std::string outliers;
  std::vector<KeptPrediction> predictions = {};  ///< all points, including those left out
  /// Value of CurveKeys::spread (analysis/metrics/scaling/curve.hpp) before runs were left out.
  std::set<std::string> spread_curves = {};
};

bool completed(const RunRow& run);
/// Returns true if the loss was not finite or the model learnt nothing. A diverged run has a
/// result, but not an accuracy.
bool diverged(const RunRow& run);
/// Returns true if the run completed and has steps from which a throughput can be computed.
bool has_throughput(const RunRow& run);
/// Returns true if the run completed a classification task with at least one evaluation and a
/// finite final accuracy.
bool has_accuracy(const RunRow& run);

/// Returns wall time / samples, in seconds. Throughput, speed-up and efficiency are computed from
/// this value. Its inverse is Σ samples / Σ time, never a mean of rates. Requires has_throughput.
double seconds_per_sample(const RunRow& run);
double step_time_s(const RunRow& run);
/// Returns the median epoch time in seconds. The first epoch is left out because of its start-up
/// costs, unless it is the only epoch. Returns an empty value without epoch records.
std::optional<double> epoch_time_s(const RunRow& run);
/// Returns the accuracy after the last evaluated epoch, as a fraction. Requires has_accuracy.
double final_accuracy(const RunRow& run);
double best_accuracy(const RunRow& run);

/// Returns the word for one worker of these runs: "rank" if all runs compute on CPUs, else "GPU".
std::string worker_noun(const Frame& frame);

}  // namespace dlscale::analysis
