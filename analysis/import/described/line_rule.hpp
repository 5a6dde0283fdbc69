// SPDX-License-Identifier: Apache-2.0
// Describes how the lines of a log format are read: which lines, which values they contain, and
// which entries follow from these values. docs/log-formats-own.md explains each key.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/import/reading/regex.hpp"
#include "base/error.hpp"
#include "config/expression/expression.hpp"

namespace dlscale::analysis {

/// Number or condition that is computed for each line, under the name of a field, fact or variable.
struct NamedFormula {
  std::string name;
  config::Formula formula;
  std::size_t variable = 0;  ///< index of the variable with this name, if there is one
};
using Formulas = std::vector<NamedFormula>;

/// Returns the formula with this name, or null.
const config::Formula* find_formula(const Formulas& formulas, std::string_view name);

/// Text with numbers of the line in it: "{hours} hours follow {last} hours". A format
/// specification of fmt may follow a colon: "{rate:.4g}".
struct Message {
  struct Number {
    config::Formula formula;
    std::string format;  ///< "{}" or "{:.4g}"
  };
  std::vector<std::variant<std::string, Number>> parts;
};

/// Name of a value of a line: a group of the pattern, a key of the JSON object, or a column. The
/// value is a number of the line, or the number of matches (is_count), or seconds (is_time).
struct LineName {
  std::string name;
  std::string key;  ///< path of the JSON key, or heading of the column
  int group = 0;    ///< number of the group of the pattern
  /// Expression that is searched in the line, independently of the pattern. The value is its first
  /// group, or the number of its matches.
  std::optional<Regex> search;
  /// Expression for the headings of several columns. The value is the last number in these columns
  /// of the row, or the count of these columns that contain a number.
  std::optional<Regex> columns;
  bool is_count = false;
  bool is_time = false;  ///< true if the group is a date with a time of day
};

/// Fact about the run that is copied as text.
struct TextFact {
  std::string fact;
  std::string text;              ///< text of the fact; empty: it is a value of the line
  std::size_t name = 0;          ///< index of the value in LineRule::names
  std::optional<Regex> pattern;  ///< if set, the fact is the first group of the match
};

struct Requirement {
  config::Formula that;
  Message otherwise;  ///< reason to skip the line; empty: the line is ignored
};

/// Entry that a line becomes, with its fields.
struct LineEntry {
  std::optional<config::Formula> when;
  Formulas fields;
  Formulas metrics;   ///< other results of an evaluation
  Formulas measured;  ///< further quantities that the steps or the epoch state
  /// If set, all numbers of the JSON object become results of the evaluation, except these keys.
  std::optional<std::vector<std::string>> other_numbers_except;
  /// If set, the numbers of all columns whose headings match become results of the evaluation,
  /// except those of named columns.
  std::optional<Regex> other_columns;
  /// True if the accuracies of the log are fractions or percentages. They are percentages if any
  /// accuracy of the log is above 1, which is known at the end of the log.
  bool is_fraction_or_percent = false;
};

/// Message about many lines. It is reported after all lines.
struct LineNote {
  Message text;
  LineEntry fields;  ///< field `line`: the first of these lines; else: the current line
};

/// Printed figure that is compared with the steps (PrintedFigure).
struct LineComparison {
  Message name;
  std::string quantity = "samples_per_s", span = "same";
  bool has_warmup = false;
  LineEntry fields;  ///< the fields value, first_step, resolution and line
};

/// Rules for reading the lines of a table.
struct TableRule {
  char separator = ',';
  std::string heading;                   ///< beginning of the heading
  std::optional<Regex> heading_pattern;  ///< expression that the heading matches
  std::vector<std::string> columns;      ///< columns that a heading must have, in any order
  std::vector<std::string> any_of;       ///< the heading must have one of these columns
  bool allows_more_cells = false;        ///< true if a row may have more cells than the heading
  /// Name of the value that distinguishes the runs, if each row of the table is a run.
  std::string run_per_row;

  /// Returns true if the rule states a heading. A rule without a heading reads rows of the current
  /// table.
  bool has_heading() const { return !heading.empty() || heading_pattern || !columns.empty(); }
};

enum class RepeatedLine {
  count,   ///< a repeated line is skipped and counted
  ignore,  ///< a repeated line is ignored
  /// A repeated line at the same position is ignored. A line at an earlier position is skipped
  /// and counted.
  ignore_same,
  /// A repeated line at the same position completes the evaluation of this position. A line at an
  /// earlier position is skipped and counted.
  join
};

struct LineRule {
  enum class Source { none, pattern, json, table };

  base::Location where;  ///< place of the rule in the format file
  std::string name;      ///< name in messages of check-format
  std::string starts;    ///< beginning of the lines of the rule
  /// Texts that a line must contain. The pattern is applied to the part of the line that begins
  /// with the first of these texts.
  std::vector<std::string> contains;
  Source source = Source::none;
  std::optional<Regex> pattern;
  TableRule table;
  std::vector<LineName> names;
  std::string otherwise;                 ///< reason for skipping a selected line that lacks values
  bool needs_end = true;                 ///< true if a line that may be cut off must not be read
  bool is_of_each_rank = false;          ///< true if each rank writes such lines about itself
  bool is_shared = false;                ///< true if later rules also read the line
  bool begins_process = false;           ///< true if the program writes the line when it starts
  bool expects_end = false;              ///< true if only programs with this line write an end line
  std::vector<Requirement> require;      ///< requirements of every line
  std::vector<Requirement> require_new;  ///< requirements of lines that repeat no earlier line
  std::vector<Requirement> warn;         ///< conditions; reported if violated, but the line is read
  std::string once_skipped;  ///< message for the first line of the rule; the line is skipped

  std::optional<config::Formula> repeated_if;
  std::optional<config::Formula> distinct;  ///< lines with a value that occurred before are ignored
  bool has_distinct_lines = false;  ///< a line with a text that occurred before is a repetition
  std::vector<config::Formula> position;  ///< one or two numbers that must increase
  std::size_t sequence = 0;               ///< rules with the same sequence share the last position
  RepeatedLine repeated = RepeatedLine::count;

  Formulas set, then;  ///< variables that are set before and after the entries
  Formulas facts, start;
  std::vector<TextFact> texts;
  Formulas seen;  ///< variables that are set before a repetition is detected
  std::optional<LineEntry> steps, epoch, evaluation, inference, end;
  std::vector<LineComparison> compare;
  std::vector<LineNote> report;
};

/// Line by which a log is recognised.
struct LineMark {
  std::string starts;
  std::vector<std::string> contains;
  std::optional<Regex> pattern;
};

/// Log format as a format file describes it.
struct FormatDescription {
  std::string name, summary, rates, cross_check, file, trainer, summary_of;
  bool needs_batch = false, tells_end = false;
  std::string thousands;  ///< characters that separate thousands in numbers
  std::vector<LineMark> marks;
  bool is_first_line = false;  ///< true if only the first line of a log is examined
  std::size_t head_bytes = 0;  ///< number of examined bytes of the log; 0: all
  std::string unless;          ///< text that shows that a log has another format
  std::vector<std::string> variables;
  Formulas initial;  ///< values of variables before the first line
  /// Units of the further quantities that the lines state, by name. Plain numbers have the unit "".
  std::map<std::string, std::string> measured;
  std::vector<LineRule> rules;
  std::optional<LineRule> at_end;  ///< entries after the last line
  std::size_t sequences = 0;  ///< 1 + the number of sequences of positions (LineRule::sequence)
};

/// Names of the values that every formula may use, besides the names of its line and variables.
enum class RunValue {
  steps,          ///< log.steps: optimizer steps that were read so far
  line,           ///< log.line: number of the line
  global_batch,   ///< log.global_batch: samples of a step over all ranks; 1 if unknown
  knows_batch,    ///< log.knows_batch: 1 if the log or the run states the global batch, else 0
  train_samples,  ///< log.train_samples: number of training samples
  gpus,           ///< log.gpus: number of ranks, from the log or else from the run
  batch_per_gpu,  ///< log.batch_per_gpu: batch of a rank, from the log or else from the run
  process_start,  ///< log.is_start: 1 for the first line after the start of a process, else 0
  over_epochs,  ///< log.over_epochs: 1 if the step numbers of the log continue over epochs, else 0
  is_complete,  ///< log.is_complete: 1 if the line ends with a line break, 0 if it may be cut off
  steps_of_line,  ///< log.steps_of_line: steps that the current line added
};
inline constexpr const char* kRunValues[] = {
    "log.steps",         "log.line",        "log.global_batch",  "log.knows_batch",
    "log.train_samples", "log.gpus",        "log.batch_per_gpu", "log.is_start",
    "log.over_epochs",   "log.is_complete", "log.steps_of_line"};

/// Parses the text of a format file. Throws base::SpecError with the place of an error.
FormatDescription parse_format(std::string_view text, const std::string& file);

}  // namespace dlscale::analysis
