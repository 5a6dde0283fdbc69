// SPDX-License-Identifier: Apache-2.0
// Declares a marker file that shows that a plan folder is being written.
#pragma once

#include "contract/plan/run_dir.hpp"

namespace dlscale::planner {

// If a writer is killed, its marker file stays in the folder. The next writer then removes the
// partial files of the killed writer.

/// Marker file in a plan folder. The file exists as long as this object exists. If the constructor
/// finds the marker of a killed writer, it removes the partial files of that writer. Folders are
/// searched for partial files only in this case. If the marker cannot be created, this object has
/// no effect. The functions that write to the folder then report the error.
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
