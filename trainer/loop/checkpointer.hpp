// SPDX-License-Identifier: Apache-2.0
// Checkpointing of a run: saves the training state, and resumes the run from the state that an
// earlier launch saved.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/checkpoint.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/record/result_writer.hpp"

namespace dlscale::trainer {

/// Result of resume(). If there is no usable checkpoint and the run starts from the beginning, all
/// members have their default values.
struct Resumed {
  std::string from;  ///< folder name of the resumed launch, for example "launch-1"
  contract::Progress progress;
};

struct SaveFailure {
  std::int64_t step = 0;  ///< step at which saving failed
  std::string reason;
};

/// Checkpointer of a launch. Rank 0 writes and reads the state that all ranks share. Each rank
/// writes and reads its own shard of the remaining state (see ParallelStyle).
class Checkpointer {
 public:
  struct Context {
    const contract::RunSpec& spec;
    contract::RunDir folder;
    int launch;  ///< number of the launch, used only on rank 0
    CollectiveQueue& queue;
    ResultWriter& writer;
    const base::Clock& clock;
    std::string model_sha256 = {};  ///< digest of the model's file, empty for built-in models
  };
  /// Creates the checkpointer. `style` owns the training state to save, such as parameters and
  /// optimizer state.
  Checkpointer(Context context, ParallelStyle& style);

  /// **Collective.** Restores the newest usable checkpoint of the run's earlier launches, if there
  /// is one.
  Resumed resume();
  /// **Collective.** Saves the training state, unless a checkpoint at `progress` already exists. If
  /// the run has asynchronous checkpoints, save() returns as soon as the tensors have been copied.
  /// The next call of save() or finish() then returns a write error. Without asynchronous
  /// checkpoints, save() returns when the checkpoint is on disk, and returns a write error itself.
  std::optional<SaveFailure> save(const contract::Progress& progress);
  /// **Collective.** Waits until the pending checkpoint is on disk. Returns the error if the
  /// checkpoint could not be written.
  std::optional<SaveFailure> finish();
  /// Returns true while this rank is writing a checkpoint.
  bool is_writing() const;
  /// Returns true when save() has started a checkpoint that finish() has not yet completed. The
  /// result is the same on all ranks.
  bool has_begun() const { return pending_.has_value(); }
  /// Returns true when the newest checkpoint on disk holds the training state at `progress`.
  bool holds(const contract::Progress& progress) const {
    return last_ && last_->same_place(progress);
  }
  /// Returns true when a checkpoint is due because the run's checkpoint interval every_minutes has
  /// passed. Only rank 0 measures the interval, so the other ranks always return false.
  bool due_by_time() const;
  /// Returns true when the run's checkpoint interval every_epochs requires a checkpoint after
  /// `epoch`.
  bool due_after_epoch(int epoch) const;
  /// Deletes the checkpoints of the run. The caller uses discard() when the run is complete,
  /// because no launch will resume a complete run. Must be called after finish().
  void discard();
  /// **Collective.** Writes the weights of the model to the file LaunchDir::weights(). These are
  /// the weights that evaluations use: the moving average of the parameters if the run has a moving
  /// average, and the parameters otherwise. Throws on all ranks when the file cannot be written.
  void leave_weights();

 private:
  /// Checkpoint that is being written.
  struct Pending {
    contract::Progress progress;
    double begin_s = 0;
    contract::CheckpointDir next;
    bool is_sharded = false;  ///< true when every rank writes a file, false when only rank 0 does
    std::future<contract::SavedFile> file;
  };
  /// Tensors that one rank writes and reads.
  struct Tensors {
    std::vector<NamedTensor> state;  ///< state of all ranks, complete only on rank 0
    std::vector<NamedTensor> shard;
  };

  Tensors tensors();
  std::vector<NamedTensor> own(const Tensors& tensors) const;
  std::optional<contract::CheckpointHeader> search(const std::vector<NamedTensor>& mine);
  std::string description_hash() const;
  void follow_search(const std::vector<NamedTensor>& mine);
  void restore(const contract::CheckpointDir& saved, const contract::CheckpointHeader& header,
               const std::vector<NamedTensor>& mine);
  void begin(const contract::Progress& progress);
  std::vector<contract::SavedFile> files_of_all_ranks(const contract::SavedFile& mine);
  void complete(std::vector<contract::SavedFile> files);
  contract::LaunchDir launch() const { return context_.folder.launch(context_.launch); }
  bool is_root() const { return context_.queue.rank() == 0; }

  Context context_;
  ParallelStyle& style_;
  std::optional<contract::LaunchDir> source_;  ///< launch that the run resumed from
  std::optional<contract::Progress> last_;     ///< progress of the newest checkpoint on disk
  std::optional<Pending> pending_;
  double saved_s_;  ///< time of the last save attempt or of the launch start
};

}  // namespace dlscale::trainer
