// SPDX-License-Identifier: Apache-2.0
// Lines of MLPerf Training in all versions: ":::MLLOG {…}" (v0.7 on), ":::MLL <time> <key>: {…}"
// (v0.6) and ":::MLPv0.5.0 …". They are defined by mlcommons/logging (mlperf_logging/mllog) and the
// rules of mlcommons/training_policies.
// "input_batch_size" of v0.5 is not read: some programs mean the batch of a device, others the
// batch of all devices.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {

/// How all lines of MLPerf begin, wherever they stand in a line of the log.
inline constexpr std::string_view kMlperfMark = ":::ML";

/// Content of one line. Values that the line does not have are empty.
struct MlperfEvent {
  std::string_view key;
  std::string_view benchmark;  ///< in lines of v0.5
  double time = 0;             ///< s
  std::optional<double> value;
  std::optional<double> epoch;          ///< epoch_num or first_epoch_num
  std::optional<double> epochs;         ///< epoch_count of a block
  std::optional<double> steps;          ///< step_num
  std::optional<double> samples;        ///< samples_count: since the start or in the block
  std::optional<double> block_samples;  ///< in the block, where MlperfProgress finds them
  std::optional<double> rate;           ///< samples/s as tracked_stats prints them
  std::string_view text;                ///< a value that is text
  std::string_view status;
};

class MlperfLines {
 public:
  /// Reads a line that has the mark; false when the rest of the line is none of MLPerf's. Texts in
  /// `event` are valid until the next call.
  bool read(const LogLine& line, MlperfEvent& event);

 private:
  void take_json(MlperfEvent& event) const;
  bool read_v05(std::string_view text, MlperfEvent& event);

  JsonObject json_;
};

/// Whether a line has the mark with one of the known versions.
bool is_mlperf_line(std::string_view line);

/// Name of the quality that eval_accuracy states; null where it is top-1 accuracy.
const char* mlperf_quality(std::string_view benchmark);

}  // namespace dlscale::analysis
