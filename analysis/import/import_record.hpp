// SPDX-License-Identifier: Apache-2.0
// Contains the record launch-<k>/import.json, which states the third-party log of a launch and how
// to read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/described_format.hpp"
#include "analysis/import/foreign_log.hpp"
#include "analysis/import/mapped/mapped_format.hpp"
#include "analysis/import/training_trace.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Log without a separate run, because it describes the same training as the log of another run.
struct Companion {
  std::string path;  ///< absolute path
  FileStamp stamp;   ///< size and time of the log when it was read
  std::string sha256;
  std::string why;  ///< evidence that the log belongs to this training
  bool operator==(const Companion&) const = default;
};

/// Reason that is stored for a companion if the companion continues the training of the run's log.
inline constexpr const char* kContinuation = "continues it";

/// Identity of one attempt of a job in the accounting records of a batch system.
struct JobIdentity {
  std::string job_id, cluster, submitted, started;
  std::string row;        ///< other fields of the record, set only for a record without times
  double elapsed_s = -1;  ///< elapsed time in seconds; negative: unknown
  bool operator==(const JobIdentity&) const = default;
};

struct ImportRecord {
  std::string path;     ///< absolute path of the log
  FileStamp stamp;      ///< size and time of the log when it was read
  std::string sha256;   ///< SHA-256 of the file as stored, compressed or not
  std::string format;   ///< format from log_formats, or csv, jsonl, markdown or pattern
  MappedFormat mapped;  ///< mapping for csv, jsonl, markdown and pattern
  /// Format that the user describes in a file, or null if `format` names another format.
  std::shared_ptr<const DescribedFormat> described = nullptr;
  /// Number with which the log counts the first epoch, 0 or 1, for a mapping that finds this out
  /// from the log. Empty if the log does not show it.
  std::optional<int> epochs_from = std::nullopt;
  LogPart part;         ///< part of the log that contains this run
  AxisValues facts;     ///< facts that the log states about the run
  std::string opening;  ///< hash of the first entries; the same for all logs of a training
  TrainedSpan span;     ///< part of the training that the log covers
  std::int64_t resumed_step =
      -1;  ///< last step that counts in the previous launch; -1: no previous launch
  bool is_continued = false;  ///< true if another log continues this log
  std::vector<Companion> companions;
  std::optional<JobIdentity> job;  ///< job identity if the log is a row of accounting records
};

/// Returns the format of a log without a mapping. Throws base::UsageError for an unknown name.
const LogFormat& format_of(const ImportRecord& record);

std::filesystem::path import_json(const contract::LaunchDir& launch);

/// Returns the record as indented JSON with a final newline.
std::string to_json(const ImportRecord& record);
/// Parses the JSON text. Throws base::SpecError. `file` is used only in error messages.
ImportRecord import_record_from_json(std::string_view text, const std::string& file);

/// Returns the text of the log without launcher prefixes. The mapping of the record recognises the
/// lines that belong to the log. If the record has no mapping, the known log formats recognise
/// these lines.
std::string without_launcher_prefixes(const ImportRecord& record, std::string text);

/// Reads the log as the record specifies. `text` has no launcher prefixes. `run` states values that
/// the log may omit, as for LogFormat::read. Never throws on content.
LogContent read_log(const ImportRecord& record, std::string_view text,
                    const contract::RunSpec& run);

/// Returns the message for a log without a measurement, with the problem of its first skipped line.
std::string why_nothing(const contract::ResultsFile& file);

/// Completes the records of a launch. Adds a start and an end if the log has none, and sets the run
/// id and the device of `run`. The added end has outcome Failed if the log has no measurement, and
/// Lost if the log lacks the end line of its format.
void complete_launch(LogContent& content, const contract::RunSpec& run);

/// In the records of the launch, sets the number of the launch and the number of the launch from
/// which it resumes. If another log continues the launch, the outcome of the launch becomes
/// Preempted.
void link_launches(contract::ResultsFile& file, const ImportRecord& record, int number);

/// Returns the records of a launch whose log could not be read.
contract::ResultsFile failed_launch(const contract::RunSpec& run, contract::RunOutcome outcome,
                                    const std::string& reason);

/// Returns one line of text for each problem of the log `path`: each skipped line, and the reason
/// why the run is Lost or Diverged.
std::string problems_of(const std::string& path, const contract::ResultsFile& file);

}  // namespace dlscale::analysis
