// SPDX-License-Identifier: Apache-2.0
// Defines the records that rank 0 of a launch writes to `results.jsonl`, one JSON object per line,
// and reads such a file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/skip_tally.hpp"
#include "contract/run_outcome.hpp"
#include "contract/step_part.hpp"

namespace dlscale::contract {

// The following types are the records of a launch in `results.jsonl`. Times are in seconds and
// sizes in bytes. `time` is seconds since 1970 UTC. The meaning of an existing key never changes.

inline constexpr int kResultSchemaVersion = 1;

/// First record of a launch.
struct RunStart {
  int schema_version = kResultSchemaVersion;
  std::string run_id;
  int launch = 1;
  /// Folder of the launch whose checkpoint was loaded. Empty means that the run started from the
  /// beginning.
  std::string resumed_from;
  std::int64_t resumed_step = 0;  ///< number of optimizer steps before the loaded checkpoint
  double time = 0;
  int world_size = 1, nodes = 1;
  std::vector<std::string> hosts;  ///< host of each rank
  std::string trainer_version;
  /// Properties of the build and the machine: library versions, CPU, …
  std::map<std::string, std::string> environment;
  std::int64_t parameters = 0;  ///< number of all scalars
  std::int64_t trainable_parameters = 0;
  std::int64_t train_samples = 0;  ///< number of unique samples in the training set
  std::int64_t test_samples = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t warmup_steps = 0;     ///< number of warm-up steps of the whole run
  std::int64_t padded_samples = 0;   ///< samples repeated in each epoch so that ranks do equal work
  std::int64_t dropped_samples = 0;  ///< samples left out of each epoch
  /// Units of the values in StepWindow::measured and EpochRecord::measured, by name. A value
  /// without a unit has no entry.
  std::map<std::string, std::string> measured_units;
  std::string extra;  ///< JSON object of keys that this version does not know
  bool operator==(const RunStart&) const = default;
};

/// Measurements of a block of consecutive optimizer steps. The times of a rank are sums over the
/// block.
struct StepWindow {
  int epoch = 0;                ///< number of the epoch, from 0
  std::int64_t first_step = 0;  ///< number of the first step, from 0 over the whole run
  int steps = 0;
  bool warmup = false;       ///< true if one-time costs are included (first window of a launch)
  double time = 0;           ///< time at the end of the block
  std::int64_t samples = 0;  ///< samples of all ranks, including repeated samples
  double wall_s = 0;         ///< wall time of the slowest rank
  double lr = 0;             ///< learning rate of the last step
  double train_loss = 0;     ///< training loss, mean over the block and the ranks
  std::array<Spread, kStepParts> parts{};
  double bytes_sent = 0;         ///< bytes passed to collectives, mean over ranks
  double collectives = 0;        ///< number of collective calls, mean over ranks
  Spread comm_busy_s;            ///< time with a collective in progress, during computation or not
  Spread comm_wait_s;            ///< part of comm_busy_s: waiting until all ranks have arrived
  double peak_memory_bytes = 0;  ///< peak memory of the rank with the highest peak
  /// Further values that the program measured, by name: model FLOP utilisation, gradient norm, …
  /// Each value is the mean over the steps of the block.
  std::map<std::string, double> measured;
  std::string extra;
  bool operator==(const StepWindow&) const = default;
};

struct EpochRecord {
  int epoch = 0;
  double time = 0;
  double wall_s = 0;  ///< wall time of training only, slowest rank
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double train_loss = 0;
  /// Number of training samples that the forward pass of their step classified correctly. Empty if
  /// the trainer did not count them.
  std::optional<std::int64_t> correct;
  double lr = 0;  ///< learning rate of the last step
  /// Further values that the program measured, by name. Each value is the mean over the epoch.
  std::map<std::string, double> measured;
  std::string extra;
  bool operator==(const EpochRecord&) const = default;
};

/// Time that each rank worked in an epoch. It covers the steps of the epoch that this launch
/// trained. The record is written only for runs with more than one rank.
struct RankTimes {
  int epoch = 0;
  double time = 0;
  /// Number of counted steps. The warm-up window counts only if it is the only window.
  std::int64_t steps = 0;
  /// Working time of each rank (wall_s without exposed_comm and bubble), rounded to 5 digits.
  std::vector<double> work_s;
  /// Mean training loss of each rank over the same steps. Empty if the trainer did not record it.
  std::vector<double> train_loss;
  /// Training accuracy of each rank over the same steps. Empty if it was not counted.
  std::vector<double> train_accuracy;
  /// Number of stages. Ranks have equal work if their (rank % stages) is equal. 0 means that all
  /// ranks have equal work.
  int stages = 0;
  std::string extra;
  bool operator==(const RankTimes&) const = default;
};

/// Evaluation on the whole test set. Each sample counts once.
struct EvalRecord {
  int epoch = 0;  ///< number of the epoch after which the model was evaluated
  double time = 0;
  double wall_s = 0;
  std::int64_t samples = 0;
  /// Number of correct samples (top-1). A translation is correct if all its words are correct.
  std::int64_t correct = 0;
  double accuracy = 0;                    ///< correct / samples; 0 for reconstruction
  double loss = 0;                        ///< mean of the task's loss, without label smoothing
  std::map<std::string, double> metrics;  ///< other metrics: top5_accuracy, perplexity, bleu, …
  /// Results of each rank on its own share of the test set. Empty for one rank, and if the trainer
  /// did not record them.
  std::vector<double> rank_loss, rank_accuracy;
  std::vector<double> rank_wall_s;  ///< time of each rank without waiting for other ranks
  std::string extra;
  bool operator==(const EvalRecord&) const = default;
};

/// Record of the first time in the run that a target is reached.
struct TargetRecord {
  std::string metric;  ///< metric: accuracy or bleu (minimum), loss or train_loss (maximum)
  double threshold = 0;
  double value = 0;
  int epoch = 0;          ///< epoch after which the target was reached
  std::int64_t step = 0;  ///< number of optimizer steps done in the whole run
  double time = 0;
  double train_s = 0;        ///< wall time of training only, over all launches of the run
  std::int64_t samples = 0;  ///< samples trained on in the whole run, including repeated samples
  std::string extra;
  bool operator==(const TargetRecord&) const = default;
};

/// Times of forward passes on batches of one size. The first batches of a rank, which warm up the
/// device, are not included.
struct InferenceRecord {
  std::int64_t batch = 0;  ///< number of samples in a rank's batch
  int batches = 0;         ///< number of counted batches of a rank
  double time = 0;
  double wall_s = 0;  ///< wall time of the slowest rank
  Spread latency_s;   ///< latency of a batch, over all batches of all ranks
  /// Parts of the latency of a batch, for styles whose forward passes exchange data between devices
  /// or ranks: the exchange, which includes waiting for other ranks, and the rest. All zero for
  /// other styles.
  Spread compute_s, communication_s;
  double samples_per_s = 0;      ///< samples per second of all ranks together
  double peak_memory_bytes = 0;  ///< peak memory of the rank with the highest peak
  std::string extra;
  bool operator==(const InferenceRecord&) const = default;
};

/// Record of a saved state of the run.
struct CheckpointRecord {
  int epoch = 0;
  std::int64_t step = 0;  ///< number of optimizer steps done in the whole run
  double time = 0;
  double wall_s = 0;  ///< time to save the state
  std::string path;   ///< path relative to the launch folder
  std::int64_t bytes = 0;
  std::string extra;
  bool operator==(const CheckpointRecord&) const = default;
};

/// Kernel of a profile: an operator on a CPU, a CUDA kernel on a GPU.
struct ProfiledKernel {
  std::string name;
  std::string kind;  ///< share with the kernel's time: communication, io, computation, other
  std::int64_t calls = 0;
  double self_s = 0;  ///< time without the time of called kernels
  bool operator==(const ProfiledKernel&) const = default;
};

/// Shares of communication, I/O and computation in the kernel time of a block of consecutive steps.
/// Kernels of a rank can run at the same time, so the kernel time is not a wall time. The shares
/// cover all ranks and add up to 1.
struct ProfileRecord {
  int epoch = 0;
  std::int64_t first_step = 0;
  int steps = 0;
  double time = 0;           ///< time at the end of the block
  double wall_s = 0;         ///< wall time of the slowest rank
  double kernel_s = 0;       ///< time of all kernels of a rank, mean over ranks
  double communication = 0;  ///< share of the exchange between ranks or devices
  double io = 0;             ///< share of loading and of copies between host and device
  double computation = 0;    ///< share of convolutions, matrix products, normalisation and pooling
  double other = 0;          ///< share of all other kernels, for example element-wise operators
  double cpu_occupancy = 0;  ///< CPU time / (wall time x cores of a rank), mean over ranks
  std::vector<ProfiledKernel> kernels;  ///< rank 0's slowest kernels, in descending order of time
  std::string extra;
  bool operator==(const ProfileRecord&) const = default;
};

/// Last record of a launch. A killed launch does not write it.
struct RunStop {
  RunOutcome outcome = RunOutcome::Completed;
  int exit_code = 0;
  std::string reason;
  double time = 0;
  double wall_s = 0;  ///< wall time of the whole launch
  std::int64_t samples = 0;
  std::string extra;
  bool operator==(const RunStop&) const = default;
};

using ResultRecord =
    std::variant<RunStart, StepWindow, EpochRecord, RankTimes, EvalRecord, CheckpointRecord,
                 ProfileRecord, TargetRecord, InferenceRecord, RunStop>;

/// Returns the record as one line without a newline. The first key names the kind of the record
/// ("record": "epoch"). Numbers that JSON cannot express (NaN, infinities) become null and are read
/// as NaN.
std::string to_json_line(const ResultRecord& record);

// The following functions read the records of a launch from a file and report the lines that are
// not records.

struct ResultsFile {
  std::vector<ResultRecord> records;
  std::vector<int> record_lines;  ///< line (from 1) of each record
  /// Messages about the file. Each of the first 100 lines passed to skip_line() has a message "line
  /// 7: …". Other remarks follow.
  std::vector<std::string> skipped;
  base::SkipTally skipped_lines;  ///< lines passed to skip_line(), counted by reason
  bool truncated = false;         ///< true if the last line is incomplete (killed writer)
};

/// Records that line `line` (from 1) was skipped, and the reason `why`.
void skip_line(ResultsFile& file, std::int64_t line, std::string_view why);

/// Returns the entries of `skipped` that do not come from skip_line().
std::vector<std::string> remarks_on(const ResultsFile& file);

/// Reads the text of a `results.jsonl`. Never throws because of the content. Keeps unknown keys in
/// `extra`.
ResultsFile parse_results(std::string_view text);

}  // namespace dlscale::contract
