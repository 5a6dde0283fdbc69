// SPDX-License-Identifier: Apache-2.0
// Trace of the events of each tensor. Chrome (chrome://tracing) and Perfetto can display the trace.
// The activities have the same names as in Horovod's timeline.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"

namespace dlscale::trainer::horovod {

/// Trace file with one row for each tensor. Only one thread may use the trace.
class Timeline {
 public:
  /// Opens the trace. Throws RunError when the file cannot be written.
  Timeline(const std::filesystem::path& path, const base::Clock& clock);
  /// Writes the end of the trace.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Records the start of a cycle. The trace contains only cycles in which other events occur.
  void cycle_start() { cycle_s_ = clock_.steady_s(); }
  /// Starts the event NEGOTIATE_ALLREDUCE of a tensor, unless this event has already started.
  void begin_negotiation(const std::string& tensor);
  void rank_ready(const std::string& tensor, int rank);
  void end_negotiation(const std::string& tensor);
  /// Starts the event ALLREDUCE of each tensor. The activities of the reduction are nested in this
  /// event.
  void begin(const std::vector<std::string>& tensors);
  void begin_activity(const std::vector<std::string>& tensors, std::string_view activity);
  void end_activity(const std::vector<std::string>& tensors);
  void end(const std::vector<std::string>& tensors);

 private:
  struct Row {
    int number;
    bool is_negotiated = false;  ///< true between the start and end of a negotiation
  };
  Row& row_of(const std::string& tensor);
  void event(char phase, int row, std::string_view name);
  void write_event(char phase, int row, std::string_view name, double time_s);
  void write(const std::string& text);

  std::ofstream file_;
  const base::Clock& clock_;
  double start_s_;
  std::optional<double> cycle_s_;  ///< start of this cycle; empty when already in the trace
  std::unordered_map<std::string, Row> rows_;
  bool is_first_ = true;
};

}  // namespace dlscale::trainer::horovod
