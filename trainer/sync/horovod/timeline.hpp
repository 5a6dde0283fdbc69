// SPDX-License-Identifier: Apache-2.0
// What happens to each tensor and when, as a trace that Chrome (chrome://tracing) and Perfetto
// show, with the activities' names that Horovod's timeline has.
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

/// One row of the trace for each tensor, one event after the other. Used by one thread.
class Timeline {
 public:
  /// Throws RunError when the file cannot be written.
  Timeline(const std::filesystem::path& path, const base::Clock& clock);
  /// Ends the trace.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// A cycle in which nothing else happens leaves no mark.
  void cycle_start() { cycle_s_ = clock_.steady_s(); }
  /// NEGOTIATE_ALLREDUCE, unless it is under way.
  void begin_negotiation(const std::string& tensor);
  void rank_ready(const std::string& tensor, int rank);
  void end_negotiation(const std::string& tensor);
  /// ALLREDUCE, in which activities lie.
  void begin(const std::vector<std::string>& tensors);
  void begin_activity(const std::vector<std::string>& tensors, std::string_view activity);
  void end_activity(const std::vector<std::string>& tensors);
  void end(const std::vector<std::string>& tensors);

 private:
  struct Row {
    int number;
    bool is_negotiated = false;  ///< its negotiation is under way
  };
  Row& row_of(const std::string& tensor);
  void event(char phase, int row, std::string_view name);
  void write_event(char phase, int row, std::string_view name, double time_s);
  void write(const std::string& text);

  std::ofstream file_;
  const base::Clock& clock_;
  double start_s_;
  std::optional<double> cycle_s_;  ///< start of this cycle, unless it is in the trace
  std::unordered_map<std::string, Row> rows_;
  bool is_first_ = true;
};

}  // namespace dlscale::trainer::horovod
