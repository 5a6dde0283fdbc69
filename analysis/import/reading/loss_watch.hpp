// SPDX-License-Identifier: Apache-2.0
// Whether the losses that a log tells are finite: a run whose last one is not has diverged.
#pragma once

#include "contract/records/result_record.hpp"

namespace dlscale::analysis {

/// Readers hand on a loss that a log tells and that is not finite (nan, inf) as an infinity; NaN is
/// a loss that the log does not tell.
class LossWatch {
 public:
  /// Of a record that stands in this line: its loss becomes NaN unless it is finite.
  void take(contract::ResultRecord& record, int line);
  /// Of a training loss that stands in no record: likewise.
  void take_training(double& loss, int line) { training_.take(loss, line); }

  /// Where the last loss of training, or of test, is not finite, the run Diverged, as
  /// dlscale-train says it, unless its log tells of another bad end. Losses that were not finite
  /// for a while are named.
  void conclude(contract::ResultsFile& file) const;

 private:
  struct Watched {
    int since = 0;   ///< line from which on none is finite; 0: the last one is
    int before = 0;  ///< line of the first that was not finite, though later ones were; 0: none

    void take(double& loss, int line);
  };

  Watched training_, test_;
};

}  // namespace dlscale::analysis
