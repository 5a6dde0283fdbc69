// SPDX-License-Identifier: Apache-2.0
// Joins the runs of several plan folders into one Frame. The value of a run on the axis `source` is
// the name of its folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/frame.hpp"

namespace dlscale::analysis {

inline constexpr const char* kSource = "source";  ///< axis of the plan folders in a joined frame

/// Frame of one plan folder and the name of the folder on the axis `source`.
struct NamedFrame {
  std::string name;
  Frame frame;
};

/// Returns one frame with the runs of all `sources`, in their order. The differences from the
/// frames of the single folders are:
/// - The first axis is `source`. The other axes have the values of all folders.
/// - A run id is "NAME/RUN", because run ids of two folders can be equal.
/// - A run that lacks an axis of another folder has the value of the condition with the same name,
///   if the run records such a condition.
/// - With strong scaling, a run whose study has no axis of batches has the axis value
///   `global_batch`, because each study has its own global batch.
/// The baseline is the baseline of the first folder. Throws base::UsageError if the studies keep
/// different batches fixed (for example weak and strong scaling), or if one of them has its own
/// axis called `source`.
Frame join_frames(std::vector<NamedFrame> sources);

/// Returns the id of a run in a joined frame.
std::string joined_run_id(const std::string& source, std::string_view run_id);

/// Returns the id that the run has in its plan folder.
std::string run_id_in_folder(const RunRow& run);

/// Returns true if the condition describes the machine or its software. Plan folders may be
/// compared although such a condition differs. Returns false for conditions that change the work of
/// a run, such as the data set or the code.
bool describes_source(std::string_view condition);

/// Returns true if the runs come from different plan folders of a joined frame.
bool are_of_different_sources(const RunRow& a, const RunRow& b);

}  // namespace dlscale::analysis
