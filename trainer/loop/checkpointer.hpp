// SPDX-License-Identifier: Apache-2.0
// Saves where a run stands, and takes a run back to where an earlier launch saved it.
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

/// What resume() found; nothing for a fresh start.
struct Resumed {
  std::string from;  ///< the launch's folder, "launch-1"
  contract::Progress progress;
};

struct SaveFailure {
  std::int64_t step = 0;  ///< where the run stood that could not be saved
  std::string reason;
};

/// One for a launch. Rank 0 writes and reads what all ranks have alike; each rank its shard.
class Checkpointer {
 public:
  struct Context {
    const contract::RunSpec& spec;
    contract::RunDir folder;
    int launch;  ///< number; counts on rank 0 alone
    CollectiveQueue& queue;
    ResultWriter& writer;
    const base::Clock& clock;
    std::string model_sha256 = {};  ///< of the file it came from; empty: it is in the trainer
  };
  /// `style` has what decides how training goes on.
  Checkpointer(Context context, ParallelStyle& style);

  /// **Collective.** Takes the newest good checkpoint of the run's earlier launches, if there is
  /// one.
  Resumed resume();
  /// **Collective.** Saves no place twice. Where the run asks for asynchronous checkpoints the
  /// tensors have been copied on return and are being written; what then fails is told by the next
  /// save() or finish(). Otherwise they are on the disk, or it is told here.
  std::optional<SaveFailure> save(const contract::Progress& progress);
  /// **Collective.** On return what was being written is on the disk, or it is told why not.
  std::optional<SaveFailure> finish();
  /// This rank is still writing.
  bool is_writing() const;
  /// Something was begun and is not finished; the same on all ranks.
  bool has_begun() const { return pending_.has_value(); }
  /// Whether the newest checkpoint on the disk is of this place.
  bool holds(const contract::Progress& progress) const {
    return last_ && last_->same_place(progress);
  }
  /// By the run's every_minutes; false on other ranks than 0.
  bool due_by_time() const;
  /// By the run's every_epochs.
  bool due_after_epoch(int epoch) const;
  /// The run is complete: nobody will go on from what was saved. After finish().
  void discard();
  /// **Collective.** Leaves what was evaluated last, the mean of the parameters where the run has
  /// one, as LaunchDir::weights(). All ranks throw where it cannot be written.
  void leave_weights();

 private:
  /// A checkpoint that is being written.
  struct Pending {
    contract::Progress progress;
    double begin_s = 0;
    contract::CheckpointDir next;
    bool is_sharded = false;  ///< every rank writes a file
    std::future<contract::SavedFile> file;
  };
  /// What one rank writes and reads.
  struct Tensors {
    std::vector<NamedTensor> state;  ///< the style's, complete on rank 0
    std::vector<NamedTensor> shard;
  };

  Tensors tensors();
  std::vector<NamedTensor> own(const Tensors& tensors) const;
  std::optional<contract::CheckpointHeader> search(const std::vector<NamedTensor>& mine);
  std::string description_hash() const;
  void follow_search(const std::vector<NamedTensor>& mine);
  void take(const contract::CheckpointDir& saved, const contract::CheckpointHeader& header,
            const std::vector<NamedTensor>& mine);
  void begin(const contract::Progress& progress);
  std::vector<contract::SavedFile> files_of_all_ranks(const contract::SavedFile& mine);
  void complete(std::vector<contract::SavedFile> files);
  contract::LaunchDir launch() const { return context_.folder.launch(context_.launch); }
  bool is_root() const { return context_.queue.rank() == 0; }

  Context context_;
  ParallelStyle& style_;
  std::optional<contract::LaunchDir> source_;  ///< the launch that was resumed
  std::optional<contract::Progress> last_;     ///< the last that is on the disk
  std::optional<Pending> pending_;
  double saved_s_;  ///< when the last attempt began or ended, or the launch began
};

}  // namespace dlscale::trainer
