// SPDX-License-Identifier: Apache-2.0
// Reads a log by the rules of a described format.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/import/described/line_rule.hpp"
#include "analysis/import/described/line_values.hpp"
#include "analysis/import/reading/clock_watch.hpp"
#include "analysis/import/reading/collected_log.hpp"

namespace dlscale::analysis {

/// Applies the rules of a format to the lines of one log. The first rule that selects a line reads
/// it. The records go through CollectedLog, as those of built-in formats do.
class DescribedLog {
 public:
  DescribedLog(const FormatDescription& format, const contract::RunSpec& run,
               const WatchLine& watch = {});

  void read_line(const LogLine& line);
  /// Returns true if the line is the heading of a table. The heading then applies to the lines that
  /// follow.
  bool read_heading(const LogLine& line);
  LogContent finish();
  CollectedLog& log() { return log_; }

 private:
  using Values = std::vector<config::Value>;

  /// Last line with steps of a rule. The distance to the next line is computed from it.
  struct Progress {
    RunPlace place;
    double elapsed_s = 0;
    bool continues_over_epochs = false;
  };
  /// Line with steps whose number of steps follows from later lines.
  struct HeldLine {
    Values values;
    int line = 0;
    RunPlace place;
  };
  struct Steps {
    Progress last;
    std::vector<HeldLine> opening;  ///< first lines, until their numbers of steps are known
    bool is_open = true;            ///< true until the opening lines were added
    int rows = 0;                   ///< number of rows with steps so far
    ClockWatch times = {};          ///< times of a step that the lines state
    const LineRule* rule = nullptr;
  };

  /// Evaluation that a line states. Some evaluations are held until the end of the log, because
  /// later lines complete them or state the unit of their accuracies.
  struct LineEvaluation {
    int line = 0;
    std::int64_t epoch = 0;
    double accuracy = 0, loss = 0, wall_s = 0;
    std::map<std::string, double> metrics;
    bool is_fraction_or_percent = false;
    int accuracy_line = 0;  ///< line with the accuracy
  };

  /// Reads the entries of the current line. Returns false if the line was skipped with a message.
  bool apply_rule(const LineRule& rule);
  enum class Met { yes, ignored, skipped };
  /// Checks the current line. If it does not meet a requirement and that requirement has a message,
  /// records the line as skipped with that message.
  Met meets(const std::vector<Requirement>& requirements);
  bool is_repeated(const LineRule& rule, std::string_view text);
  void set(const Formulas& formulas);
  void take_facts(const LineRule& rule);
  void take_steps(const LineRule& rule);
  void end_opening(Steps& steps);
  std::int64_t steps_between(Steps& steps, const RunPlace& before, const RunPlace& now);
  /// Adds the steps of a line, and the entries that depend on them.
  void add_steps(const LineRule& rule, std::int64_t count);
  bool add_window(const LineRule& rule, std::int64_t count);
  void add_loss(const LineRule& rule);
  void compare(const LineRule& rule);
  void take_epoch(const LineEntry& entry);
  void report(const LineRule& rule);
  void take_evaluation(const LineRule& rule);
  void add_evaluation(LineEvaluation evaluation);
  void hold(LineEvaluation evaluation);
  void add_held_evaluations();
  void take_inference(const LineEntry& entry);

  double value(const config::Formula& formula) { return formula.number(values_); }
  /// Returns the finite number of a field, or NaN.
  double field(const LineEntry& entry, std::string_view name);
  /// Returns the values of the entry's measured quantities by name. Unknown values are left out.
  std::map<std::string, double> measured(const LineEntry& entry);
  /// Returns a loss, which may be infinite.
  double loss(const LineEntry& entry);
  bool applies(const LineEntry& entry) { return !entry.when || entry.when->holds(values_); }
  std::string message_text(const Message& message);
  void refresh_run_values();
  void watch(const std::string& what) {
    if (watch_) watch_(line_, what);
  }
  double gpus() const;

  const FormatDescription& format_;
  const contract::RunSpec& run_;
  WatchLine watch_;
  CollectedLog log_;
  LineValues line_values_;
  Values values_;  ///< values of the run, of the variables and of the line, in this order
  std::size_t first_of_line_;
  std::vector<RunPlace> places_;  ///< last position of each sequence
  std::map<const LineRule*, Steps> steps_;
  std::map<const LineRule*, std::set<std::string, std::less<>>> texts_;
  std::map<const LineRule*, std::set<double>> numbers_;
  std::set<const LineRule*> once_;
  std::vector<bool> used_;                     ///< by rule: true if the rule selected a line
  double stated_gpus_ = 0, stated_batch_ = 0;  ///< gpus and batch_per_gpu in the log; 0: none
  double stated_accumulation_ = 1;             ///< accumulation_steps in the log
  std::vector<LineEvaluation> held_;
  bool is_joined_ = false;  ///< true if the line has the position of the previous line
  std::int64_t steps_of_line_ = 0;
  int line_ = 0;
  std::string_view text_;
  bool is_complete_ = true;
  bool is_process_start_ = false;
  bool expects_end_ = false;  ///< true if a line shows that the program writes an end line
};

}  // namespace dlscale::analysis
