// SPDX-License-Identifier: Apache-2.0
// Reads the lines of MLPerf Training in all versions.
// The forms are ":::MLLOG {…}" (v0.7 on), ":::MLL <time> <key>: {…}" (v0.6) and ":::MLPv0.5.0 …".
// mlcommons/logging (mlperf_logging/mllog) and the rules of mlcommons/training_policies define
// them. "input_batch_size" of v0.5 is ignored, because some programs state the batch of one device
// and others the batch of all devices.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {

/// Beginning of every MLPerf line. It may occur anywhere in a line of the log.
inline constexpr std::string_view kMlperfMark = ":::ML";

/// Content of one line. A value is empty if the line does not state it.
struct MlperfEvent {
  std::string_view key;
  std::string_view benchmark;  ///< benchmark, only in lines of v0.5
  double time = 0;             ///< time in seconds
  std::optional<double> value;
  std::optional<double> epoch;          ///< epoch_num or first_epoch_num
  std::optional<double> epochs;         ///< epoch_count of a block
  std::optional<double> steps;          ///< step_num
  std::optional<double> samples;        ///< samples_count: samples since the start, or in the block
  std::optional<double> block_samples;  ///< samples in the block, set by MlperfProgress
  std::optional<double> rate;           ///< samples/s in tracked_stats
  std::string_view text;                ///< value that is a text
  std::string_view status;
};

class MlperfLines {
 public:
  /// Reads a line that contains kMlperfMark. Returns false if the rest of the line does not have a
  /// known form. Texts in `event` are valid until the next call.
  bool read(const LogLine& line, MlperfEvent& event);

 private:
  void take_json(MlperfEvent& event) const;
  bool read_v05(std::string_view text, MlperfEvent& event);

  JsonObject json_;
};

/// Returns true if a line has the mark and a known version.
bool is_mlperf_line(std::string_view line);

/// Returns the name of the quality that eval_accuracy states in this benchmark, or null if this
/// quality is top-1 accuracy.
const char* mlperf_quality(std::string_view benchmark);

}  // namespace dlscale::analysis
