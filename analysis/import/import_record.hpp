// SPDX-License-Identifier: Apache-2.0
// launch-<k>/import.json: which log of another program a launch is, and how it is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/foreign_log.hpp"
#include "analysis/import/mapped_format.hpp"
#include "analysis/import/training_trace.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Another log of the same training, which makes no run of its own.
struct Companion {
  std::string path;  ///< absolute
  FileStamp stamp;   ///< as it was when it was read
  std::string sha256;
  std::string why;  ///< what shows that it is of this training
  bool operator==(const Companion&) const = default;
};

/// Why a companion belongs to the training whose log it continues.
inline constexpr const char* kContinuation = "continues it";

/// Identity of one attempt of a job in a batch system's books.
struct JobIdentity {
  std::string job_id, cluster, submitted, started;
  std::string row;        ///< what else the books state; only where they have no times
  double elapsed_s = -1;  ///< negative: unknown
  bool operator==(const JobIdentity&) const = default;
};

struct ImportRecord {
  std::string path;     ///< of the log, absolute
  FileStamp stamp;      ///< as it was when it was read
  std::string sha256;   ///< of the file, compressed or not
  std::string format;   ///< of log_formats, or csv, jsonl, markdown, pattern
  MappedFormat mapped;  ///< of the last four
  LogPart part;         ///< which of the runs in the log
  AxisValues facts;     ///< what the log says of the run
  std::string opening;  ///< hash of its first entries, which the logs of one training share
  TrainedSpan span;     ///< which part of the training it is about
  std::int64_t resumed_step =
      -1;  ///< last step of the launch before that counts; -1: the log continues none
  bool is_continued = false;  ///< another log continues this one
  std::vector<Companion> companions;
  std::optional<JobIdentity> job;  ///< of a log that is a row of a batch system's books
};

std::filesystem::path import_json(const contract::LaunchDir& launch);

/// Indented, final newline.
std::string to_json(const ImportRecord& record);
/// Throws base::SpecError; `file` is only named.
ImportRecord import_record_from_json(std::string_view text, const std::string& file);

/// Returns the log without launcher prefixes, which the record's reader then does not see.
std::string without_launcher_prefixes(const ImportRecord& record, std::string text);

/// The log's content as this record says, of a text without launcher prefixes; `run` as in
/// LogFormat. Never throws on content.
LogContent read_log(const ImportRecord& record, std::string_view text,
                    const contract::RunSpec& run);

/// Of a log without a measurement: that it has none, and what is wrong with its first line.
std::string why_nothing(const contract::ResultsFile& file);

/// Makes a launch's complete records of what a log says: a start and an end are added where it has
/// none, all of them of run `run`, on the device that is named for it. A log without a measurement
/// is of a run that Failed; one that lacks the line that its format tells the end by of one that is
/// Lost.
void complete_launch(LogContent& content, const contract::RunSpec& run);

/// Says in the records of launch `number` which launch it continues, and that it is continued.
void link_launches(contract::ResultsFile& file, const ImportRecord& record, int number);

/// The records of a log that could not be read.
contract::ResultsFile failed_launch(const contract::RunSpec& run, contract::RunOutcome outcome,
                                    const std::string& reason);

/// One a line: what was passed over of the log `path`, and why nothing of it counts.
std::string problems_of(const std::string& path, const contract::ResultsFile& file);

}  // namespace dlscale::analysis
