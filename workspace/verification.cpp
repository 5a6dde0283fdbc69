// SPDX-License-Identifier: Apache-2.0
#include "workspace/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/page/report_bundle.hpp"
#include "analysis/report/page/study_page.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "config/expression/expression.hpp"
#include "workspace/collect/collect_steps.hpp"
#include "workspace/study_from_records.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Maximum number of differing lines to print for each table.
constexpr std::size_t kShownLines = 10;

const analysis::Metric* metric_of(const fs::path& file) {
  for (const analysis::Metric& metric : analysis::metrics()) {
    if (file.stem() == metric.name) return &metric;
  }
  return nullptr;
}

const analysis::ReportWriter* writer_of(const fs::path& file) {
  for (const analysis::ReportWriter* writer : analysis::report_writers()) {
    if (file.extension() == std::string(".") + writer->extension) return writer;
  }
  return nullptr;
}

/// Returns the part of a line around its first difference from `other`, because a line of an HTML
/// page can be long.
std::string around_difference(const std::string& line, const std::string& other) {
  const auto differs =
      std::mismatch(line.begin(), line.end(), other.begin(), other.end()).first - line.begin();
  return config::excerpt(line, static_cast<std::size_t>(differs));
}

/// Compares a file with the text that dlscale writes now, counts the differing lines and prints the
/// first of them.
void verify_text(const fs::path& file, const std::string& again, Verified& verified,
                 std::ostream& out) {
  const std::string there = base::read_text_file(file);
  const auto has = base::lines_of(there), should = base::lines_of(again);
  std::size_t different = 0;
  for (std::size_t i = 0; i < std::max(has.size(), should.size()); ++i) {
    const std::string is(i < has.size() ? has[i] : "(no line)");
    const std::string was(i < should.size() ? should[i] : "(no line)");
    if (is == was) continue;
    if (++different > kShownLines) continue;
    out << fmt::format("{}:{}:\n  file     {}\n  records  {}\n", file.string(), i + 1,
                       around_difference(is, was), around_difference(was, is));
  }
  if (different > kShownLines) {
    out << fmt::format("{}: and {} more differing lines\n", file.string(), different - kShownLines);
  }
  ++verified.files;
  verified.lines += has.size();
  verified.different += different;
}

bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Returns the sorted files that the iterator `Walk` finds in a folder. Returns no files if the
/// folder does not exist. Throws base::RunError if a folder cannot be listed.
template <class Walk>
std::vector<fs::path> listed_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (Walk entry(folder, error); entry != Walk(); entry.increment(error)) {
    if (is_plain_file(entry->path())) files.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw base::RunError(fmt::format("cannot read {}: {}", folder.string(), error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  return listed_files<fs::directory_iterator>(folder);
}

[[noreturn]] void refuse_without_tables(const fs::path& folder, const char* remedy) {
  throw base::RunError(fmt::format("{}: no tables; {}", folder.string(), remedy),
                       base::kExitNothingMatched);
}

/// Returns the paths of all files below a folder, relative to the folder.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files = listed_files<fs::recursive_directory_iterator>(folder);
  for (fs::path& file : files) file = file.lexically_relative(folder);
  return files;
}

bool is_converted(const fs::path& file) {
  return file.extension() == ".pdf" || file.extension() == ".png";
}

/// Returns the converted figures (PDF) that are missing in a report. If a report has no converted
/// figure at all, none is missing, because the machine had no converter.
std::vector<std::string> missing_drawings(const std::vector<analysis::NamedFigure>& figures,
                                          const fs::path& folder) {
  std::vector<std::string> missing;
  std::size_t all = 0;
  for (const analysis::NamedFigure& figure : figures) {
    const std::string file = fmt::format("figures/{}.pdf", figure.id);
    ++all;
    if (!is_plain_file(folder / file)) missing.push_back(file);
  }
  return missing.size() == all ? std::vector<std::string>() : missing;
}

}  // namespace

Verified compare_folders(const fs::path& folder, const fs::path& again, const char* kind,
                         std::ostream& out) {
  Verified verified;
  verified.what = "files";
  verified.other_than = kind;
  for (const fs::path& file : files_below(again)) {
    if (!is_plain_file(folder / file)) {
      verified.missing.push_back(file.string());
    } else {
      verify_text(folder / file, base::read_text_file(again / file), verified, out);
    }
  }
  for (const fs::path& file : files_below(folder)) {
    if (fs::exists(again / file)) continue;
    if (is_converted(file)) {
      ++verified.pictures;
    } else {
      verified.others.push_back(file.string());
    }
  }
  return verified;
}

Verified verify_collected(const VerifyChoice& choice, std::ostream& out) {
  const fs::path folder = contract::PlanDir(fs::path(choice.study.folder)).tables();
  const std::vector<fs::path> files = files_in(folder);
  if (files.empty()) refuse_without_tables(folder, "dlscale collect writes them");
  const ChosenStudy study = study_from_records(choice.study);
  Verified verified;
  for (const fs::path& file : files) {
    const analysis::Metric* metric = metric_of(file);
    const analysis::ReportWriter* writer = writer_of(file);
    if (metric == nullptr || writer == nullptr) {
      verified.others.push_back(file.filename().string());
      continue;
    }
    const analysis::Report report = make_report(*metric, study.frame, study.options, choice.by);
    verify_text(file, writer->render(report), verified, out);
  }
  for (const std::string& file : collected_tables(study.frame)) {
    if (!is_plain_file(folder / file)) verified.missing.push_back(file);
  }
  return verified;
}

Verified verify_report(const VerifyChoice& choice, std::ostream& out) {
  const fs::path folder = choice.report;
  if (files_in(folder / "tables").empty()) {
    refuse_without_tables(folder / "tables", "dlscale report writes them");
  }
  const ChosenStudy study = study_from_records(choice.study);
  const ScratchFolder again;
  constexpr const char* kNoConverter = "";
  const analysis::StudyPage page = study_page(study.frame, study.options, choice.by);
  write_kit(page, again.path(), {}, kNoConverter);
  Verified verified = compare_folders(folder, again.path(), "files of a report", out);
  const std::vector<std::string> drawings = missing_drawings(page.figures, folder);
  verified.missing.insert(verified.missing.end(), drawings.begin(), drawings.end());
  return verified;
}

}  // namespace dlscale::workspace
