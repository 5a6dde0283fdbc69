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

#include "analysis/report/latex_values.hpp"
#include "analysis/report/metrics.hpp"
#include "analysis/report/report_writer.hpp"
#include "analysis/report/study_page.hpp"
#include "analysis/store/ingest.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/chosen_study.hpp"
#include "cli/command.hpp"
#include "cli/completer.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// More lines than this of one table help nobody.
constexpr std::size_t kShownLines = 10;

struct Options {
  StudyChoice study;
  std::vector<std::string> by;
  std::string report;  ///< folder of `dlscale report`; empty: the tables of `collect`
};

/// A folder with all that the plan folder holds but its database, as links: what is computed there
/// comes from the records, and the plan folder stays as it is.
class RecordsAlone {
 public:
  explicit RecordsAlone(const contract::PlanDir& folder) {
    std::string name = (fs::temp_directory_path() / "dlscale-verify-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw base::RunError(fmt::format("{}: {}", name, std::strerror(errno)));
    }
    path_ = name;
    const std::string database = folder.database().filename().string();
    for (const auto& entry : fs::directory_iterator(folder.root())) {
      const std::string file = entry.path().filename().string();
      if (!file.starts_with(database)) fs::create_symlink(fs::absolute(entry.path()), path_ / file);
    }
  }
  ~RecordsAlone() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  RecordsAlone(const RecordsAlone&) = delete;
  RecordsAlone& operator=(const RecordsAlone&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

ChosenStudy study_from_records(const Options& options) {
  const RecordsAlone records(contract::PlanDir(fs::path(options.study.folder)));
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

struct Verified {
  std::size_t tables = 0;
  std::size_t lines = 0;
  std::size_t different = 0;
  std::vector<std::string> others;  ///< files that nothing here makes
};

/// Says which lines differ.
void verify_table(const fs::path& file, const std::string& again, Verified& verified) {
  const auto has = lines_of(base::read_text_file(file)), should = lines_of(again);
  std::size_t different = 0;
  for (std::size_t i = 0; i < std::max(has.size(), should.size()); ++i) {
    const std::string is = i < has.size() ? has[i] : "(no line)";
    const std::string was = i < should.size() ? should[i] : "(no line)";
    if (is == was) continue;
    if (++different > kShownLines) continue;
    std::cout << fmt::format("{}:{}:\n  has      {}\n  records  {}\n", file.string(), i + 1, is,
                             was);
  }
  if (different > kShownLines) {
    std::cout << fmt::format("{}: and {} lines more\n", file.string(), different - kShownLines);
  }
  ++verified.tables;
  verified.lines += has.size();
  verified.different += different;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

int no_tables(const fs::path& folder, const char* remedy) {
  fmt::print(stderr, "dlscale: {}: no tables; {}\n", folder.string(), remedy);
  return kExitNothingMatched;
}

int conclude(const Verified& verified) {
  std::cout << fmt::format("{} tables with {} lines computed again from the records: {}\n",
                           verified.tables, verified.lines,
                           verified.different == 0
                               ? "all the same"
                               : fmt::format("{} lines differ", verified.different));
  if (!verified.others.empty()) {
    std::cout << fmt::format("not tables of a metric, left out: {}\n",
                             fmt::join(verified.others, ", "));
  }
  if (verified.tables == 0) return kExitNothingMatched;
  return verified.different == 0 ? kExitOk : kExitRunsFailed;
}

/// The tables that `collect` wrote.
int verify_collected(const Options& options) {
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
    verify_table(file, writer->render(report), verified);
  }
  return conclude(verified);
}

/// The table of a report that a file is of; null when none is called so.
const analysis::Table* table_of(const analysis::Report& report, const fs::path& file) {
  for (const analysis::Table& table : report.tables) {
    if (file.stem() == table.id) return &table;
  }
  return nullptr;
}

/// Tables and the numbers for a paper's text that `report` wrote.
int verify_report(const Options& options) {
  const fs::path folder = options.report;
  const std::vector<fs::path> files = files_in(folder / "tables");
  if (files.empty()) return no_tables(folder / "tables", "dlscale report writes them");
  const ChosenStudy study = study_from_records(options);
  const analysis::StudyPage page = study_page(study.frame, study.options, options.by);
  Verified verified;
  for (const fs::path& file : files) {
    const analysis::Table* table = table_of(page.report, file);
    const analysis::ReportWriter* writer = writer_of(file);
    if (table == nullptr || writer == nullptr) {
      verified.others.push_back(file.filename().string());
      continue;
    }
    verify_table(file, writer->render({{*table}}), verified);
  }
  verify_table(folder / "values.tex", latex_values_file(page), verified);
  return conclude(verified);
}

int verify(const Options& options) {
  return options.report.empty() ? verify_collected(options) : verify_report(options);
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("--report", options->report,
                 "folder of dlscale report: its tables and values.tex instead of DIR/tables. Give "
                 "the options that it was made with")
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
    .define = &define,
};

}  // namespace dlscale::cli
