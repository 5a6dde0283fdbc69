// SPDX-License-Identifier: Apache-2.0
// The records a launch leaves in `results.jsonl`, one JSON object a line, written by rank 0 only;
// and what of the file is no record.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/skip_tally.hpp"
#include "contract/run_outcome.hpp"
#include "contract/step_part.hpp"

namespace dlscale::contract {

// The records a launch leaves in `results.jsonl`, one JSON object a line, written by rank 0 only.
// Times are seconds, sizes bytes, `time` is seconds since 1970 UTC. Records never change meaning.

inline constexpr int kResultSchemaVersion = 1;

/// First record of a launch.
struct RunStart {
  int schema_version = kResultSchemaVersion;
  std::string run_id;
  int launch = 1;
  std::string resumed_from;  ///< folder of the launch whose checkpoint was taken; empty = fresh
  std::int64_t resumed_step = 0;  ///< optimizer steps that were done in it
  double time = 0;
  int world_size = 1, nodes = 1;
  std::vector<std::string> hosts;  ///< host of each rank
  std::string trainer_version;
  std::map<std::string, std::string> environment;  ///< built-in parts, library versions, CPU, …
  std::int64_t parameters = 0;                     ///< scalars, all
  std::int64_t trainable_parameters = 0;
  std::int64_t train_samples = 0;  ///< unique samples in the training set
  std::int64_t test_samples = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t warmup_steps = 0;     ///< of the whole run, before the schedule sets the rate
  std::int64_t padded_samples = 0;   ///< repeated in each epoch so that ranks do equal work
  std::int64_t dropped_samples = 0;  ///< left out of each epoch
  std::string extra;                 ///< JSON object of keys this version does not know
  bool operator==(const RunStart&) const = default;
};

/// A block of consecutive optimizer steps. Per-rank seconds are totals over the block.
struct StepWindow {
  int epoch = 0;                ///< counts from 0
  std::int64_t first_step = 0;  ///< counts from 0 over the whole run
  int steps = 0;
  bool warmup = false;       ///< includes one-time costs (first window of a launch)
  double time = 0;           ///< end of the block
  std::int64_t samples = 0;  ///< over all ranks, repeated samples included
  double wall_s = 0;         ///< slowest rank
  double lr = 0;             ///< at the last step
  double train_loss = 0;     ///< mean over the block and the ranks
  std::array<Spread, kStepParts> parts{};
  double bytes_sent = 0;         ///< payload handed to collectives, mean over ranks
  double collectives = 0;        ///< collective calls, mean over ranks
  Spread comm_busy_s;            ///< time collectives were under way, hidden or not
  Spread comm_wait_s;            ///< of it: until all ranks were there
  double peak_memory_bytes = 0;  ///< largest rank
  std::string extra;
  bool operator==(const StepWindow&) const = default;
};

struct EpochRecord {
  int epoch = 0;
  double time = 0;
  double wall_s = 0;  ///< training only, slowest rank
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double train_loss = 0;
  double lr = 0;  ///< at the last step
  std::string extra;
  bool operator==(const EpochRecord&) const = default;
};

/// What each rank worked in an epoch, as far as this launch trained it; of more than one rank.
struct RankTimes {
  int epoch = 0;
  double time = 0;
  std::int64_t steps = 0;      ///< counted here: a launch's warmup window only if there is no other
  std::vector<double> work_s;  ///< by rank, to 5 digits: wall_s without exposed_comm and bubble
  int stages = 0;              ///< only ranks of equal rank % stages do equal work; 0: all do
  std::string extra;
  bool operator==(const RankTimes&) const = default;
};

/// Evaluation on the whole test set, each sample counted once.
struct EvalRecord {
  int epoch = 0;  ///< after this epoch
  double time = 0;
  double wall_s = 0;
  std::int64_t samples = 0;
  std::int64_t correct = 0;  ///< top-1; of translations those that are right word by word
  double accuracy = 0;       ///< correct / samples; of reconstruction 0
  double loss = 0;           ///< the task's mean, without label smoothing
  std::map<std::string, double> metrics;  ///< more: top5_accuracy, perplexity, bleu, …
  std::string extra;
  bool operator==(const EvalRecord&) const = default;
};

/// A target of the run has been reached, the first time in the run.
struct TargetRecord {
  std::string metric;  ///< accuracy, bleu: at least; loss: at most
  double threshold = 0;
  double value = 0;
  int epoch = 0;          ///< after this one
  std::int64_t step = 0;  ///< optimizer steps done, over the whole run
  double time = 0;
  double train_s = 0;        ///< wall time of training alone, over all launches of the run
  std::int64_t samples = 0;  ///< trained on by then, over the whole run, repeated ones included
  std::string extra;
  bool operator==(const TargetRecord&) const = default;
};

/// Forward passes alone, on batches of one size, after some that are not counted.
struct InferenceRecord {
  std::int64_t batch = 0;  ///< of a rank
  int batches = 0;         ///< of a rank
  double time = 0;
  double wall_s = 0;             ///< slowest rank
  Spread latency_s;              ///< of a batch, over all batches of all ranks
  double samples_per_s = 0;      ///< of all ranks together
  double peak_memory_bytes = 0;  ///< largest rank
  std::string extra;
  bool operator==(const InferenceRecord&) const = default;
};

/// The state of the run has been saved.
struct CheckpointRecord {
  int epoch = 0;
  std::int64_t step = 0;  ///< optimizer steps done, over the whole run
  double time = 0;
  double wall_s = 0;  ///< to save it
  std::string path;   ///< from the launch's folder
  std::int64_t bytes = 0;
  std::string extra;
  bool operator==(const CheckpointRecord&) const = default;
};

/// A kernel of a profile: an operator on a CPU, a CUDA kernel on a GPU.
struct ProfiledKernel {
  std::string name;
  std::string kind;  ///< which share it is in: communication, io, computation, other
  std::int64_t calls = 0;
  double self_s = 0;  ///< without the kernels it called
  bool operator==(const ProfiledKernel&) const = default;
};

/// Where kernel time went in a block of consecutive steps. Kernels of a rank may run side by side,
/// so that their time is no wall time. The shares are of all ranks and sum to 1.
struct ProfileRecord {
  int epoch = 0;
  std::int64_t first_step = 0;
  int steps = 0;
  double time = 0;           ///< end of the block
  double wall_s = 0;         ///< slowest rank
  double kernel_s = 0;       ///< time of all kernels of a rank, mean over ranks
  double communication = 0;  ///< share: exchange between ranks or devices
  double io = 0;             ///< share: loading, copies between host and device
  double computation = 0;    ///< share: the layers' convolutions, products, normalisation, pools
  double other = 0;          ///< share: the rest, for example element-wise operators
  double cpu_occupancy = 0;  ///< CPU time / (wall time x cores of a rank), mean over ranks
  std::vector<ProfiledKernel> kernels;  ///< rank 0's that took longest, in falling order
  std::string extra;
  bool operator==(const ProfileRecord&) const = default;
};

/// Last record of a launch that could still write.
struct RunStop {
  RunOutcome outcome = RunOutcome::Completed;
  int exit_code = 0;
  std::string reason;
  double time = 0;
  double wall_s = 0;  ///< whole launch
  std::int64_t samples = 0;
  std::string extra;
  bool operator==(const RunStop&) const = default;
};

using ResultRecord =
    std::variant<RunStart, StepWindow, EpochRecord, RankTimes, EvalRecord, CheckpointRecord,
                 ProfileRecord, TargetRecord, InferenceRecord, RunStop>;

/// One line without its newline; the first key-value pair names the record ("record": "epoch").
/// Numbers that JSON cannot say (NaN, infinities) become null and are read as NaN.
std::string to_json_line(const ResultRecord& record);

// The records of a launch as they are read from a file, and what of the file is no record.

struct ResultsFile {
  std::vector<ResultRecord> records;
  std::vector<int> record_lines;  ///< line (from 1) of each record
  /// "line 7: …" for the first 100 lines that skip_line() counted, and then for other remarks.
  std::vector<std::string> skipped;
  base::SkipTally skipped_lines;  ///< all lines that skip_line() counted; an example is "line 7"
  bool truncated = false;         ///< the last line was incomplete (a killed writer)
};

/// Counts a line that is not read, with the reason.
void skip_line(ResultsFile& file, std::int64_t line, std::string_view why);

/// What `skipped` holds beside the lines that skip_line() counted.
std::vector<std::string> remarks_on(const ResultsFile& file);

/// Reads `results.jsonl` text. Never throws on content: unknown keys are kept in `extra`.
ResultsFile parse_results(std::string_view text);

}  // namespace dlscale::contract
