// SPDX-License-Identifier: Apache-2.0
// Marks a plan folder as being written.
#pragma once

#include "contract/plan/run_dir.hpp"

namespace dlscale::planner {

// The mark lets the next plan detect that a writer was killed and remove the partial files that the
// writer left.

/// Mark that exists in the folder as long as this object exists. When the folder has the mark of a
/// killed writer, the constructor first removes the partial files of that writer. All folders are
/// searched for partial files only in this case. When the folder does not permit a mark, this
/// object has no effect, and the functions that write to the folder report the error.
class IncompleteMarker {
 public:
  explicit IncompleteMarker(const contract::PlanDir& folder);
  ~IncompleteMarker();
  IncompleteMarker(const IncompleteMarker&) = delete;
  IncompleteMarker& operator=(const IncompleteMarker&) = delete;

 private:
  contract::PlanDir folder_;
  int lock_;
};

}  // namespace dlscale::planner
