// SPDX-License-Identifier: Apache-2.0
// Log format of one launch of a run, which counts epochs like the earlier launches of the run.
#pragma once

#include <optional>

#include "analysis/import/described_format.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// A launch that resumes a training begins with a later epoch. Its log therefore does not show
/// whether the program counts epochs from 0 or from 1. The log of the first launch shows it.
class LaunchFormat {
 public:
  /// Reads the beginnings of the logs of the earlier launches, unless `described` states how epochs
  /// count. `described` must outlive this object.
  LaunchFormat(const DescribedFormat& described, const contract::LaunchDir& launch,
               const contract::RunSpec& run);

  const LogFormat& entry() const { return counted_ ? counted_->entry() : described_.entry(); }

 private:
  const DescribedFormat& described_;
  /// The format with the first epoch of the earlier launches. Empty if they do not show it.
  std::optional<DescribedFormat> counted_;
};

}  // namespace dlscale::analysis
