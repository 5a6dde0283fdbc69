// SPDX-License-Identifier: Apache-2.0
// Selection of the records of a split that a data set requests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dlscale::trainer {

/// Request for the records of one split.
struct RecordRequest {
  const char* what;                       ///< name of the split in messages: "train" or "test"
  std::span<const std::uint16_t> labels;  ///< class of each record
  std::int64_t samples;                   ///< number of first samples to keep; 0 keeps all
};

/// Selected records of a split, in the order of the file.
struct RecordSelection {
  std::vector<std::int64_t> records;  ///< number of the record of each sample
  std::vector<std::uint16_t> labels;  ///< class of each sample
};

/// Selects the first records of the first `classes` classes. Throws base::RunError
/// (contract::kExitData) if there are fewer than the requested number of samples.
RecordSelection select_records(const RecordRequest& request, int classes);

}  // namespace dlscale::trainer
