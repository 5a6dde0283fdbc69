// SPDX-License-Identifier: Apache-2.0
// `dlscale verify`: computes tables and a paper's numbers again, from the records alone.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/gnuplot.hpp"
#include "analysis/report/kit.hpp"
#include "analysis/report/metrics.hpp"
#include "analysis/report/report_writer.hpp"
#include "analysis/report/study_page.hpp"
#include "analysis/store/ingest.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/chosen_study.hpp"
#include "cli/chosen_study_options.hpp"
#include "cli/collect_steps.hpp"
#include "cli/command.hpp"
#include "cli/completer.hpp"
#include "cli/readable_records.hpp"
#include "planner/expression/excerpt.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// More lines than this of one table help nobody.
constexpr std::size_t kShownLines = 10;

struct VerifyOptions {
  StudyChoice study;
  std::vector<std::string> by;
  std::string report;  ///< folder of `dlscale report`; empty: the tables of `collect`
};

/// A folder that is gone with this.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "dlscale-verify-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw base::RunError(fmt::format("{}: {}", name, std::strerror(errno)));
    }
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Links all that the plan folder holds but its database: what is computed in `to` comes from the
/// records, and the plan folder stays as it is.
void link_records(const contract::PlanDir& folder, const fs::path& to) {
  const std::string database = folder.database().filename().string();
  for (const auto& entry : fs::directory_iterator(folder.root())) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(database)) fs::create_symlink(fs::absolute(entry.path()), to / file);
  }
}

ChosenStudy study_from_records(const VerifyOptions& options) {
  require_readable_records(contract::PlanDir(fs::path(options.study.folder)));
  const ScratchFolder records;
  link_records(contract::PlanDir(fs::path(options.study.folder)), records.path());
  analysis::ingest(contract::PlanDir(records.path()));
  StudyChoice choice = options.study;
  choice.folder = records.path().string();
  return open_study(choice);
}

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

struct Verified {
  const char* what = "tables";
  const char* other_than = "tables of a metric";
  std::size_t files = 0;
  std::size_t lines = 0;
  std::size_t different = 0;
  std::size_t pictures = 0;          ///< that were not looked at
  std::vector<std::string> missing;  ///< files that are made of the records and not there
  std::vector<std::string> others;   ///< files that nothing here makes
};

/// Of lines that differ what is around the first place where they do: a line of a page can be long.
std::string around_difference(std::string_view line, std::string_view other) {
  const auto differs =
      std::mismatch(line.begin(), line.end(), other.begin(), other.end()).first - line.begin();
  return planner::excerpt(std::string(line), static_cast<std::size_t>(differs));
}

/// Says which lines differ.
void verify_text(const fs::path& file, const std::string& again, Verified& verified) {
  const std::string text = base::read_text_file(file);
  const std::vector<std::string_view> has = base::lines_of(text), should = base::lines_of(again);
  std::size_t different = 0;
  for (std::size_t i = 0; i < std::max(has.size(), should.size()); ++i) {
    const std::string_view is = i < has.size() ? has[i] : "(no line)";
    const std::string_view was = i < should.size() ? should[i] : "(no line)";
    if (is == was) continue;
    if (++different > kShownLines) continue;
    std::cout << fmt::format("{}:{}:\n  has      {}\n  records  {}\n", file.string(), i + 1,
                             around_difference(is, was), around_difference(was, is));
  }
  if (different > kShownLines) {
    std::cout << fmt::format("{}: and {} lines more\n", file.string(), different - kShownLines);
  }
  ++verified.files;
  verified.lines += has.size();
  verified.different += different;
}

bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The files that `Walk` meets from a folder on, sorted; none where there is no such folder. Throws
/// base::RunError for what cannot be listed.
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

int no_tables(const fs::path& folder, const char* remedy) {
  fmt::print(stderr, "dlscale: {}: no tables; {}\n", folder.string(), remedy);
  return kExitNothingMatched;
}

/// The first of them, and how many more there are.
std::string list_files(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kShownLines);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string verdict_on(const Verified& verified) {
  std::vector<std::string> parts;
  if (verified.different > 0) parts.push_back(fmt::format("{} lines differ", verified.different));
  if (!verified.missing.empty()) {
    const int missing = static_cast<int>(verified.missing.size());
    parts.push_back(base::count_of(missing, "file") + " missing");
  }
  return parts.empty() ? "all the same" : fmt::format("{}", fmt::join(parts, ", "));
}

int conclude(const Verified& verified) {
  std::cout << fmt::format("{} {} with {} lines computed again from the records: {}\n",
                           verified.files, verified.what, verified.lines, verdict_on(verified));
  if (verified.pictures > 0) {
    std::cout << fmt::format(
        "{} not looked at: gnuplot draws them from the .gp and .csv files beside them, which "
        "were\n",
        base::count_of(verified.pictures, "picture"));
  }
  if (!verified.missing.empty()) {
    std::cout << fmt::format("missing: {}\n", list_files(verified.missing));
  }
  if (!verified.others.empty()) {
    std::cout << fmt::format("not {}, left out: {}\n", verified.other_than,
                             list_files(verified.others));
  }
  if (verified.files == 0) return kExitNothingMatched;
  return verified.different == 0 && verified.missing.empty() ? kExitOk : kExitRunsFailed;
}

/// The tables that `collect` wrote.
int verify_collected(const VerifyOptions& options) {
  const fs::path folder = contract::PlanDir(fs::path(options.study.folder)).tables();
  const std::vector<fs::path> files = files_in(folder);
  if (files.empty()) return no_tables(folder, "dlscale collect writes them");
  const ChosenStudy study = study_from_records(options);
  Verified verified;
  for (const fs::path& file : files) {
    const analysis::Metric* metric = metric_of(file);
    const analysis::ReportWriter* writer = writer_of(file);
    if (metric == nullptr || writer == nullptr) {
      verified.others.push_back(file.filename().string());
      continue;
    }
    const analysis::Report report = make_report(*metric, study.frame, study.options, options.by);
    verify_text(file, writer->render(report), verified);
  }
  for (const std::string& file : collected_tables(study.frame)) {
    if (!is_plain_file(folder / file)) verified.missing.push_back(file);
  }
  return conclude(verified);
}

/// Paths of all files below a folder, from there.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files = listed_files<fs::recursive_directory_iterator>(folder);
  for (fs::path& file : files) file = file.lexically_relative(folder);
  return files;
}

bool is_picture(const fs::path& file) {
  const std::vector<std::string>& formats = analysis::figure_formats();
  return file.has_extension() && std::find(formats.begin(), formats.end(),
                                           file.extension().string().substr(1)) != formats.end();
}

/// Pictures that a report lacks. Where it has none at all there was no gnuplot, which is no fault.
std::vector<std::string> missing_drawings(const std::vector<analysis::NamedFigure>& figures,
                                          const fs::path& folder) {
  std::vector<std::string> missing;
  std::size_t all = 0;
  for (const analysis::NamedFigure& figure : figures) {
    for (const char* format : {"svg", "pdf"}) {  // as write_kit draws them
      const std::string file = fmt::format("figures/{}.{}", figure.id, format);
      ++all;
      if (!is_plain_file(folder / file)) missing.push_back(file);
    }
  }
  return missing.size() == all ? std::vector<std::string>() : missing;
}

/// All that `report` wrote: tables, the numbers and scripts of figures, values.tex, paper.tex and
/// the page, made anew from the records, but for the pictures.
int verify_report(const VerifyOptions& options) {
  const fs::path folder = options.report;
  if (files_in(folder / "tables").empty()) {
    return no_tables(folder / "tables", "dlscale report writes them");
  }
  const std::vector<fs::path> present = files_below(folder);
  const ChosenStudy study = study_from_records(options);
  const ScratchFolder again;
  constexpr const char* kNoGnuplot = "";
  const analysis::StudyPage page = study_page(study.frame, study.options, options.by);
  write_kit(page, again.path(), {}, kNoGnuplot);
  Verified verified;
  verified.what = "files";
  verified.other_than = "of a report";
  for (const fs::path& file : files_below(again.path())) {
    if (!is_plain_file(folder / file)) {
      verified.missing.push_back(file.string());
    } else {
      verify_text(folder / file, base::read_text_file(again.path() / file), verified);
    }
  }
  const std::vector<std::string> drawings = missing_drawings(page.figures, folder);
  verified.missing.insert(verified.missing.end(), drawings.begin(), drawings.end());
  for (const fs::path& file : present) {
    if (fs::exists(again.path() / file)) continue;
    if (is_picture(file)) {
      ++verified.pictures;
    } else {
      verified.others.push_back(file.string());
    }
  }
  return conclude(verified);
}

int verify(const VerifyOptions& options) {
  return options.report.empty() ? verify_collected(options) : verify_report(options);
}

Action define_verify(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  app.add_option(
         "--report", options->report,
         "folder of dlscale report: all its files but pictures instead of DIR/tables. Give the "
         "options that it was made with")
      ->type_name(value_kind::kFolder);
  app.add_option("--by", options->by, "as it was given to report")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_study_options(app, options->study);
  return [options] { return verify(*options); };
}

}  // namespace

extern const CommandEntry verify_entry;
const CommandEntry verify_entry{
    .name = "verify",
    .summary = "Compute tables and numbers of a paper again from the records and say what differs",
    .example =
        "dlscale verify demo\n"
        "  dlscale verify demo --report demo/report",
    .define = &define_verify,
};

}  // namespace dlscale::cli
