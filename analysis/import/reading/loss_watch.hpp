// SPDX-License-Identifier: Apache-2.0
// Detects losses that are not finite. A run whose last loss is not finite has diverged.
#pragma once

#include "contract/records/result_record.hpp"

namespace dlscale::analysis {

/// Watches the losses of a log. Readers pass a reported loss that is not finite (nan, inf) as
/// infinity and a missing loss as NaN.
class LossWatch {
 public:
  /// Checks the loss of the record from `line`. A loss that is not finite becomes NaN.
  void check_record(contract::ResultRecord& record, int line);
  /// Checks a training loss that is not part of a record. A loss that is not finite becomes NaN.
  void take_training(double& loss, int line) { training_.check_loss(loss, line); }

  /// Sets the outcome of the run to Diverged, as dlscale-train does, if the last training loss or
  /// the last test loss is not finite and the log does not report another failure. Adds a message
  /// for losses that were not finite if later losses are finite.
  void conclude(contract::ResultsFile& file) const;

 private:
  struct Watched {
    int since = 0;   ///< line from which on no loss is finite; 0: the last loss is finite
    int before = 0;  ///< first line with a non-finite loss before a finite loss; 0: none

    void check_loss(double& loss, int line);
  };

  Watched training_, test_;
};

}  // namespace dlscale::analysis
