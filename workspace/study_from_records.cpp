// SPDX-License-Identifier: Apache-2.0
#include "workspace/study_from_records.hpp"

#include <fmt/format.h>

#include <stdlib.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <list>
#include <map>
#include <string>

#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/window_reader.hpp"
#include "base/error.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/collect/record_access_check.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "dlscale-verify-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw base::RunError(
        fmt::format("cannot create the folder {}: {}", name, std::strerror(errno)));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

namespace {

/// Creates links in `to` to everything in the plan folder except its database. Results that are
/// computed in `to` then come from the records, and the plan folder does not change.
void link_records(const contract::PlanDir& folder, const fs::path& to) {
  const std::string database = folder.database().filename().string();
  for (const auto& entry : fs::directory_iterator(folder.root())) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(database)) fs::create_symlink(fs::absolute(entry.path()), to / file);
  }
}

/// Reads all records of the plan folder into a database in a new scratch folder, and returns the
/// scratch folder. The scratch folder is deleted together with `scratch`.
fs::path ingest_records(const fs::path& folder, std::list<ScratchFolder>& scratch) {
  require_readable_records(contract::PlanDir(folder));
  const fs::path to = scratch.emplace_back().path();
  link_records(contract::PlanDir(folder), to);
  analysis::ingest(contract::PlanDir(to));
  return to;
}

void fill_peak_memory(analysis::Frame& frame, const contract::PlanDir& folder) {
  RunIds ids;
  for (const analysis::RunRow& run : frame.runs) ids.insert(run.run_id);
  const std::map<std::string, double> peaks = analysis::read_peak_memory(folder, ids);
  for (analysis::RunRow& run : frame.runs) {
    const auto peak = peaks.find(run.run_id);
    if (peak != peaks.end()) run.peak_memory_bytes = peak->second;
  }
}

}  // namespace

ChosenStudy study_from_records(const StudyChoice& choice, PeakMemory memory) {
  std::list<ScratchFolder> scratch;
  StudyChoice from_records = choice;
  for (SourceFolder& source : from_records.sources) {
    source.folder = ingest_records(source.folder, scratch);
  }
  if (choice.sources.empty()) {
    from_records.folder = ingest_records(choice.folder, scratch).string();
  }
  ChosenStudy study = open_study(from_records);
  if (memory == PeakMemory::read && choice.sources.empty()) {
    fill_peak_memory(study.frame, contract::PlanDir(from_records.folder));
  }
  return study;
}

}  // namespace dlscale::workspace
