// SPDX-License-Identifier: Apache-2.0
// Defines Frame, which holds the measurements of a study as plain data with one row per run. All
// statistics are pure functions of a Frame.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/records/result_record.hpp"
#include "contract/records/run_prediction.hpp"

namespace dlscale::analysis {

// Predictions from the plan folder, together with the measured values of the predicted points.

/// Saved prediction for one point of the study (a combination of axis values), together with the
/// values that the runs of this point have measured so far.
struct KeptPrediction {
  /// Last prediction saved before the point's first launch, or the first prediction if all
  /// predictions were saved after this launch.
  contract::RunPrediction said;
  /// True if the prediction was saved after the point's first launch had started.
  bool afterwards = false;
  std::vector<std::string> run_ids;
  /// Peak memory per GPU in bytes, one value for each run that recorded its peak memory.
  std::vector<double> memory_bytes;
};

inline constexpr double kHour = 3600;  ///< seconds per hour
/// Values of RunRow::outcome for runs that have no contract::RunOutcome.
inline constexpr const char* kUnfinished = "Unfinished";  ///< launched run without a recorded end
inline constexpr const char* kNotStarted = "NotStarted";  ///< run that was never launched
inline constexpr const char* kUnreadable = "Unreadable";  ///< run with a broken or missing run.json

struct EpochRow {
  int epoch = 0;  ///< epoch number, from 0
  double wall_s = 0;
  double train_loss = 0;
  double lr = 0;  ///< learning rate of the last step; NaN: not recorded
  /// Numbers of steps and samples, including repeated samples; 0: not recorded.
  std::int64_t steps = 0, samples = 0;
  /// Share of the training samples that the steps classified correctly. Empty if not recorded.
  std::optional<double> train_accuracy = {};
};

/// Training loss of a block of consecutive steps.
struct WindowLoss {
  int epoch = 0;                ///< epoch number, from 0
  std::int64_t first_step = 0;  ///< number of the first step, from 0 over the whole run
  std::int64_t steps = 0;
  double train_loss = 0;  ///< mean over the steps of the window; always finite
  double wall_s = 0;      ///< wall time of the slowest rank; NaN: not recorded
};

struct EvalRow {
  /// Last epoch trained before the evaluation, counted from 0, or kUnknownEpoch if not recorded.
  int epoch = 0;
  double accuracy = 0;
  double loss = 0;
  double wall_s = 0;         ///< time of the evaluation; NaN: not recorded
  std::int64_t samples = 0;  ///< number of evaluated samples; 0: not recorded
  /// Results of each rank on its share of the test set, by rank. Empty if not recorded.
  std::vector<double> rank_loss = {}, rank_accuracy = {};
  std::vector<double> rank_wall_s = {};  ///< time of each rank without waiting for other ranks
};

/// Further quantity that the program of a run measured, such as its model FLOP utilisation. Two
/// quantities of equal name but different units are different quantities.
struct MeasuredColumn {
  std::string name, unit;  ///< the unit is empty if the quantity has none
  auto operator<=>(const MeasuredColumn&) const = default;
};

/// Shares of kernel time in a profiled block of steps. The four shares add up to 1.
struct ProfileRow {
  int epoch = 0;  ///< epoch number, from 0
  std::int64_t steps = 0;
  double wall_s = 0;    ///< wall time of the slowest rank
  double kernel_s = 0;  ///< time of all kernels of a rank, mean over ranks
  double communication = 0, io = 0, computation = 0, other = 0;
  double cpu_occupancy = 0;  ///< CPU time / (wall time x cores of a rank), mean over ranks
};

/// Target of a run, such as an accuracy, with the time and the samples at which the run first
/// reached the target.
struct TargetRow {
  /// Metric: "accuracy", "bleu", "loss" or "train_loss". Accuracy and BLEU must be at least the
  /// threshold, a loss at most the threshold.
  std::string metric;
  double threshold = 0;
  /// Epoch in which the target was reached, from 0. A train_loss is reached at the end of a step
  /// window, the other metrics at the end of the epoch.
  int epoch = 0;
  /// Training time of all launches until the target was reached, without evaluations.
  double train_s = 0;
  std::int64_t samples = 0;
  std::int64_t step = 0;  ///< number of optimizer steps until the target was reached
};

/// Timing of forward passes without training, for one batch size.
struct InferenceRow {
  std::int64_t batch = 0;  ///< batch size of one rank
  double latency_p50_s = 0, latency_p90_s = 0;
  double samples_per_s = 0;  ///< throughput of all ranks together
  /// Medians of the parts of the latency: computation, and exchange of data between devices or
  /// ranks. Both are empty if the forward passes exchange no data.
  std::optional<double> compute_p50_s, communication_p50_s;
};

/// Sizes of the model and the data set that a launch reported. 0 means that the launch did not
/// report the size.
struct WorkSize {
  std::int64_t trainable_parameters = 0, train_samples = 0, steps_per_epoch = 0;
  /// Samples that each epoch uses twice so that all ranks do equal work.
  std::int64_t padded_samples = 0;
  std::int64_t dropped_samples = 0;  ///< samples that each epoch leaves out
};

/// Sums over the step windows of a run. A step window is a block of consecutive steps that the
/// trainer records together. Windows that include the start-up costs of a launch are left out,
/// unless the run has no other windows.
struct StepTotals {
  bool includes_warmup = false;
  bool leaves_out_warmup = false;  ///< true if warm-up windows exist and are left out
  /// False if the log records no steps. The member `steps` is then the number of samples.
  bool tells_steps = true;
  std::int64_t steps = 0, samples = 0;
  double wall_s = 0;       ///< wall time of the slowest rank
  double bytes_sent = 0;   ///< bytes passed to collectives, mean over ranks
  double collectives = 0;  ///< number of collective calls, mean over ranks
  double comm_busy_s = 0;  ///< time with collectives in progress, mean over ranks
  /// Time of each part of the steps, means over ranks.
  std::array<double, contract::kStepParts> parts_s{};
};

/// Training time of all launches of a run, split into time that counts and time that was lost.
struct SpentTime {
  /// Number of launches that the result comes from: the completed launch and the launches from
  /// which it resumed.
  int launches = 1;
  double kept_s = 0;  ///< time of steps that are part of the result
  double lost_s = 0;  ///< time of repeated steps and of launches that are not part of the result
};

/// Work time and training results of each rank in one epoch. The work time excludes the time that
/// the rank waited for other ranks.
struct RankEpoch {
  std::int64_t steps = 0;
  std::vector<double> work_s;  ///< work time in seconds, by rank
  int epoch = 0;               ///< epoch number, from 0
  /// Training loss and accuracy of each rank, by rank. Empty if not recorded.
  std::vector<double> train_loss = {}, train_accuracy = {};
};

/// Work times of the ranks of one launch, whatever its outcome. Only launches of several ranks
/// record these times.
struct LaunchRanks {
  int launch = 1;
  /// Number of pipeline stages. Ranks with the same value of `rank % stages` do equal work. 0 means
  /// that all ranks do equal work.
  int stages = 0;
  std::vector<std::string> hosts;  ///< host names by rank
  std::vector<RankEpoch> epochs;
};

/// Rule by which step windows of a launch count as warm-up.
enum class WarmUp {
  Marked,    ///< step windows that the trainer marked as warm-up, usually the first window
  Detected,  ///< marked windows and all windows before the step times became steady
};

/// Comparison of the warm-up that the trainer marked with the warm-up that step times show
/// (steady_from in analysis/metrics/statistics/summary.hpp).
struct WarmUpEnd {
  /// Number of windows from the marked to the detected end of the warm-up, in the launch for which
  /// this number is largest.
  int late_windows = 0;
  /// Number of launches that have at least five unmarked windows but never became steady.
  int unsteady = 0;
};

/// Accounting data that a batch system recorded for a run that was one of its jobs. NaN marks
/// values that the batch system did not record.
struct JobRow {
  static constexpr double kSilent = std::numeric_limits<double>::quiet_NaN();
  std::string partition;       ///< partition or queue; empty: not recorded
  double waited_s = kSilent;   ///< seconds from submission to start, by the cluster's clock
  double elapsed_s = kSilent;  ///< seconds from start to end; 0: the job never started
  double timelimit_s = kSilent;
  double gpus = kSilent;
  double requested_memory_bytes = kSilent;  ///< requested memory of all nodes
  double max_memory_bytes = kSilent;        ///< peak memory of the task with the highest peak
  double energy_j = kSilent;
};

/// Result of a collective benchmark for one message size. Bandwidths are in 10^9 bytes/s.
struct CollectiveRow {
  std::string collective;  ///< name of the collective: all_reduce, …; empty: not recorded
  std::string type;        ///< type of the elements: float, half, …
  bool in_place = false;   ///< true if the send and receive buffers are the same
  std::int64_t size_bytes = 0;
  double time_s = 0;  ///< mean time in seconds over the benchmark's iterations
  double algbw_gb_per_s = 0, busbw_gb_per_s = 0;
  double wrong = 0;  ///< number of wrong result elements; NaN: the benchmark did not check
};

/// Measurements of one run. They come from the last completed launch and from the launches that
/// this launch resumed from. Each step and each epoch counts once.
struct RunRow {
  std::string run_id;
  int repetition = 1;
  /// Name of a contract::RunOutcome, or kUnfinished, kNotStarted or kUnreadable.
  std::string outcome = kNotStarted;
  /// False if the run completed, but no measurement of it could be read. This is the case for
  /// external runs whose output has another format than the study states.
  bool has_records = true;
  std::map<std::string, std::string> point;  ///< value of the run on each axis, by axis name
  /// Conditions that must be equal in runs that are compared: device, CPU and GPU model, data set,
  /// … The key is the name of the condition.
  std::map<std::string, std::string> conditions;
  int gpus = 1, nodes = 1;
  /// Batch sizes in samples, 0 if not recorded. `batch_per_gpu` is also 0 if the global batch could
  /// not be divided evenly among the GPUs.
  std::int64_t batch_per_gpu = 0, global_batch = 0;
  double lr_peak = 0;  ///< peak learning rate; 0: not recorded
  StepTotals steps;
  SpentTime spent;
  WarmUpEnd warmup;
  std::vector<EpochRow> epochs;
  std::vector<EvalRow> evals;
  /// Losses of the step windows in the order of the steps. This list and `peak_memory_bytes` are
  /// empty unless functions of analysis/store/reading/window_reader.hpp filled them.
  std::vector<WindowLoss> window_losses = {};
  std::optional<double> peak_memory_bytes = {};  ///< peak of the rank with the highest peak
  /// Metrics of the last evaluation, by name (top5_accuracy, bleu, …).
  std::map<std::string, double> metrics;
  std::vector<TargetRow> targets;  ///< targets that the run reached
  std::vector<InferenceRow> inference;
  std::vector<LaunchRanks> ranks;  ///< work times of the ranks, by launch
  std::vector<ProfileRow> profiles;
  /// Numbers that the step windows record in addition to times, such as "horovod_cycles" or
  /// "loader_busy_s": sums divided by the number of steps, by name. Warm-up windows are left out if
  /// `steps` leaves them out.
  std::map<std::string, double> counters;
  /// Further quantities that the program measured: means over the step windows, weighted by the
  /// time of each window, or means over the epochs. Warm-up windows are left out if `steps` leaves
  /// them out.
  std::map<MeasuredColumn, double> measured;
  /// Accounting data. Only runs that were imported from batch-system accounting have it.
  std::optional<JobRow> job;
  std::vector<CollectiveRow> collectives;
  std::string task;  ///< kind of task: classification, …; empty: not recorded
  WorkSize size;
  /// Name of the run's plan folder on the axis `source`. Empty unless several plan folders are
  /// joined (see analysis/metrics/scaling/joined_frames.hpp).
  std::string source = {};
  /// Packages of an external run, as "NAME==VERSION" in each line. Null if they are unknown. The
  /// condition "packages" is the digest of this text.
  std::shared_ptr<const std::string> packages = {};
};

struct Frame {
  std::string study;
  std::string scaling;  ///< scaling mode: weak, strong, throughput
  contract::BaselineRule baseline;
  bool is_imported = false;          ///< true if all runs were imported from third-party logs
  std::vector<contract::Axis> axes;  ///< axes and their values, in the study's order
  std::vector<RunRow> runs;          ///< runs in the plan's order
  /// Smallest GPU count of each scaling curve before runs were left out (see
  /// analysis/metrics/scaling/selected_runs.hpp). The map's key is the curve's key as text. Empty
  /// while all runs are present.
  std::map<std::string, int> first_gpus;
  /// Rule by which warm-up windows were left out of `RunRow::steps`.
  WarmUp warmup = WarmUp::Marked;
  /// Description of the runs that were left out as outliers (see
  /// analysis/metrics/scaling/selected_runs.hpp). Empty if the user did not request to leave out
  /// outliers.
  std::string outliers;
  /// Predictions for all points, including points whose runs were left out.
  std::vector<KeptPrediction> predictions = {};
  /// Curves that have a GPU count which was measured on different numbers of nodes. This is the
  /// result of CurveKeys::spread (analysis/metrics/scaling/curve.hpp) before runs were left out.
  std::set<std::string> spread_curves = {};
  /// Study file and changes from which each plan was made. The key is the name of the plan folder
  /// on the axis `source`, which is empty if the frame has one folder.
  std::map<std::string, contract::PlanOrigin> origins = {};
  /// True if the study ends the repetitions of a point at a precision (study.until). Some planned
  /// repetitions then never start.
  bool ends_repeats_early = false;
};

/// Returns the values of a condition of two runs, for a message on the difference between the runs.
/// Both runs must have the condition. For the condition "packages", the values are the packages
/// that differ, if the lists of both runs are known.
std::pair<std::string, std::string> shown_values(const std::string& condition, const RunRow& a,
                                                 const RunRow& b);

bool completed(const RunRow& run);
/// Returns true if the run ended because its loss was not finite or the model learnt nothing. Such
/// a run has ended with a result, but its accuracy is not used.
bool diverged(const RunRow& run);
/// Returns true if at least one measurement of the run was read: steps, epochs, evaluations,
/// results of a benchmark or accounting data.
bool has_measurements(const RunRow& run);
/// Returns true if the run completed and has steps from which a throughput can be computed.
bool has_throughput(const RunRow& run);
/// Returns true if the run completed a classification task with at least one evaluation and a
/// finite final accuracy.
bool has_accuracy(const RunRow& run);

/// Returns the run's wall time divided by its samples, in seconds. Throughput, speed-up and
/// efficiency are computed from this value. Throughput is therefore Σ samples / Σ time over all
/// step windows, and not a mean of the windows' rates. Requires has_throughput.
double seconds_per_sample(const RunRow& run);
double step_time_s(const RunRow& run);
/// Returns the median epoch time in seconds. The first epoch is left out because of its start-up
/// costs, unless it is the only epoch. Returns an empty value if the run recorded no epoch times.
std::optional<double> epoch_time_s(const RunRow& run);
/// Returns the accuracy after the last evaluated epoch, as a fraction. Requires has_accuracy.
double final_accuracy(const RunRow& run);
double best_accuracy(const RunRow& run);

/// Returns the word for one worker of these runs: "rank" if all runs compute on CPUs, "worker" if
/// some do, else "GPU".
std::string worker_noun(const Frame& frame);

}  // namespace dlscale::analysis
