// SPDX-License-Identifier: Apache-2.0
// Saves where a run stands, and takes a run back to where an earlier launch saved it.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "contract/checkpoint.hpp"
#include "contract/run_dir.hpp"
#include "contract/run_spec.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/record/result_writer.hpp"

namespace dlscale::trainer {

/// What resume() found; nothing for a fresh start.
struct Resumed {
  std::string from;  ///< the launch's folder, "launch-1"
  contract::Progress progress;
};

/// One for a launch. Rank 0 writes and reads for all.
class Checkpointer {
 public:
  struct Context {
    const contract::RunSpec& spec;
    contract::RunDir folder;
    int launch;  ///< number; counts on rank 0 alone
    CollectiveQueue& queue;
    ResultWriter& writer;
    const base::Clock& clock;
  };
  /// `style` has what decides how training goes on.
  Checkpointer(Context context, ParallelStyle& style);

  /// **Collective.** Takes the newest good checkpoint of the run's earlier launches, if there is
  /// one.
  Resumed resume();
  /// **Collective.** Saves no place twice. Returns why nothing could be saved; nothing when it was.
  std::optional<std::string> save(const contract::Progress& progress);
  /// By the run's every_minutes; false on other ranks than 0.
  bool due_by_time() const;
  /// By the run's every_epochs.
  bool due_after_epoch(int epoch) const;
  /// The run is complete: nobody will go on from what was saved.
  void discard();

 private:
  std::optional<contract::CheckpointHeader> take_newest(const std::vector<NamedTensor>& state);
  void write(const contract::Progress& progress, const std::vector<NamedTensor>& state);
  contract::LaunchDir launch() const { return context_.folder.launch(context_.launch); }
  bool is_root() const { return context_.queue.rank() == 0; }

  Context context_;
  ParallelStyle& style_;
  std::optional<contract::LaunchDir> source_;  ///< the launch that was resumed
  std::optional<contract::Progress> last_;     ///< the last that is on the disk
  double saved_s_;                             ///< when the last attempt ended, or the launch began
};

}  // namespace dlscale::trainer
