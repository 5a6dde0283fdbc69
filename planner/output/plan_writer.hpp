// SPDX-License-Identifier: Apache-2.0
// What a plan folder is made of, and the mark that it is being written.
#pragma once

#include "contract/plan/run_dir.hpp"

namespace dlscale::planner {

// The mark that a plan folder is being written, by which the next plan sees that a writer was
// killed and what it left.

/// Stands in the folder as long as it exists. Where the mark of an earlier writer stands that was
/// killed, the parts of files it was writing are removed first: only then are all folders looked
/// through. A folder where no mark can be made is left to those who write to it.
class WriteMark {
 public:
  explicit WriteMark(const contract::PlanDir& folder);
  ~WriteMark();
  WriteMark(const WriteMark&) = delete;
  WriteMark& operator=(const WriteMark&) = delete;

 private:
  contract::PlanDir folder_;
  int lock_;
};

}  // namespace dlscale::planner
