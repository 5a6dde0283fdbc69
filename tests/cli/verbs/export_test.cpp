// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale export` through the program.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "base/error.hpp"
#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"
#include "tests/support/skip.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
namespace fs = std::filesystem;

namespace {

/// Collected study with two completed runs and one that was not started.
struct Collected {
  Collected() {
    study.add("ddp", 1);
    study.add("ddp", 2);
    study.plan_run("synchronous", 2);
    CHECK(dlscale.run({"collect", folder, "--no-tables"}).exit_code == 0);
  }
  std::string text(const std::string& file) const { return base::read_file(dlscale.folder / file); }
  test::WrittenStudy study;
  test::DlscaleProgram dlscale;
  std::string folder = study.folder.root().string();
};

}  // namespace

TEST_CASE("export writes a file for each view and reports its number of rows") {
  Collected it;
  const test::Ran ran = it.dlscale.run({"export", it.folder, "-o", "views"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  CHECK_THAT(ran.out, Contains("wrote views/run.csv: 3 rows\n") &&
                          Contains("wrote views/step_window.csv: 6 rows\n"));
  CHECK_THAT(it.text("views/run.csv"), Contains("synchronous-g2-r1"));
}

TEST_CASE("export accepts the selection options of all commands") {
  Collected it;
  const test::Ran where = it.dlscale.run({"export", it.folder, "-o", "w", "--where", "gpus == 1"});
  CHECK(where.exit_code == 0);
  CHECK_THAT(where.err, Contains("1 of 3 runs match"));
  CHECK_THAT(it.text("w/run.csv"), Contains("ddp-g1-r1") && !Contains("ddp-g2-r1"));
  CHECK(it.dlscale.run({"export", it.folder, "-o", "s", "--state", "done"}).exit_code == 0);
  CHECK_THAT(it.text("s/run.csv"), Contains("ddp-g2-r1") && !Contains("synchronous"));
  CHECK(it.dlscale.run({"export", it.folder, "-o", "r", "--run", "sync*"}).exit_code == 0);
  CHECK_THAT(it.text("r/run.csv"), Contains("synchronous") && !Contains("ddp-g1-r1"));
}

TEST_CASE("an empty export gives exit code 3 and writes nothing") {
  Collected it;
  for (const std::vector<std::string>& none :
       {std::vector<std::string>{"--where", "gpus > 99"}, {"--state", "oom"}}) {
    std::vector<std::string> words{"export", it.folder, "-o", "none"};
    words.insert(words.end(), none.begin(), none.end());
    CHECK(it.dlscale.run(words).exit_code == 3);
    words.emplace_back("--allow-empty");
    CHECK(it.dlscale.run(words).exit_code == 0);
  }
  CHECK_FALSE(fs::exists(it.dlscale.folder / "none"));
}

TEST_CASE("export rejects plan folders and devices as targets, even with --force") {
  Collected it;
  for (const std::string& target : {it.folder, it.folder + "/plan.json", it.folder + "/new"}) {
    const test::Ran ran =
        it.dlscale.run({"export", it.folder, "--format", "sqlite", "-o", target, "--force"});
    CHECK(ran.exit_code == 2);
    CHECK(ran.err ==
          "dlscale: " + target + ": is inside the plan folder; choose a place outside it\n");
  }
  const test::Ran device =
      it.dlscale.run({"export", it.folder, "--format", "sqlite", "-o", "/dev/null", "--force"});
  CHECK(device.exit_code == 2);
  CHECK(device.err ==
        "dlscale: /dev/null: is neither a file nor a folder; choose another target\n");
}

TEST_CASE("export replaces files only with --force and requires an output") {
  Collected it;
  const std::vector<std::string> words{"export", it.folder,  "--format",
                                       "sqlite", "--output", "x.sqlite"};
  CHECK(it.dlscale.run(words).exit_code == 0);
  const test::Ran again = it.dlscale.run(words);
  CHECK(again.exit_code == 2);
  CHECK(again.err == "dlscale: x.sqlite: already exists; replace it with --force\n");
  CHECK(it.dlscale.run({"export", it.folder, "--format", "sqlite", "-o", "x.sqlite", "--force"})
            .exit_code == 0);
  CHECK(it.dlscale.run({"export", it.folder}).exit_code == 2);
  const test::Ran format = it.dlscale.run({"export", it.folder, "-o", "y", "--format", "arrow"});
  CHECK(format.exit_code == 2);
  CHECK_THAT(format.err, Contains("unknown format \"arrow\"") && Contains("known: csv"));
}

namespace {

using Environment = std::map<std::string, std::string>;

/// Returns an environment in which Python imports packages from the folder `before`, and then from
/// the source tree.
Environment with_package(const fs::path& before = {}) {
  return {{"PYTHONPATH", before.string() + ":" DLSCALE_SOURCE_DIR "/python"},
          {"PYTHONDONTWRITEBYTECODE", "1"}};
}

/// Python code that compares the files views/*.parquet with the files csv/*.csv.
constexpr const char* kSameValues = R"(
import csv, pyarrow.parquet
for view in 'run', 'step_window', 'epoch', 'eval', 'job':
    table = pyarrow.parquet.read_table(f'views/{view}.parquet')
    rows = list(csv.reader(open(f'csv/{view}.csv')))
    assert rows[0] == table.column_names, view
    found = [list(row.values()) for row in table.to_pylist()]
    assert len(found) == len(rows) - 1, view
    for row, texts in zip(found, rows[1:]):
        for value, text in zip(row, texts):
            read = text if value is None or text == '' else type(value)(text)
            assert read == ('' if value is None else value), (view, value, text)
)";

/// Returns true if Python can run the code in `folder` without an error.
bool python_runs(const std::string& code, const fs::path& folder = "/") {
  const char* chosen = std::getenv("DLSCALE_PYTHON");
  const std::string python = chosen != nullptr ? chosen : "python3";
  try {
    const auto answer = runner::make_command_runner()->run({{python, "-c", code}, folder}, 60);
    if (!answer.err.empty()) UNSCOPED_INFO(answer.err);
    return answer.end == runner::ExitStatus{};
  } catch (const base::Error&) {
    return false;  // the interpreter is not installed
  }
}

/// Returns an environment that replaces the Python interpreter by a shell script.
Environment interpreter(const Collected& it, const std::string& script) {
  const fs::path file = it.dlscale.folder / "python";
  base::write_file_atomically(file, "#!/bin/sh\n" + script);
  fs::permissions(file, fs::perms::owner_all);
  return {{"DLSCALE_PYTHON", file.string()}};
}

test::Ran export_parquet(Collected& it, const Environment& environment) {
  return it.dlscale.run({"export", it.folder, "-o", "views", "--format", "parquet"}, environment);
}

}  // namespace

TEST_CASE("without pyarrow, the command that installs it is printed and nothing is written") {
  if (!python_runs("import sqlite3")) return test::skip("no python3 with sqlite3 on PATH");
  Collected it;
  const fs::path hidden = it.dlscale.folder / "hidden";
  fs::create_directory(hidden);
  base::write_file_atomically(hidden / "pyarrow.py",
                              "raise ModuleNotFoundError('hidden', name='pyarrow')\n");
  const test::Ran ran = export_parquet(it, with_package(hidden));
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err,
             StartsWith("dlscale: --format parquet: pyarrow is not installed; install it: /") &&
                 Catch::EndsWith(" -m pip install pyarrow\n"));
  CHECK(ran.out.empty());
  CHECK_FALSE(fs::exists(it.dlscale.folder / "views"));
}

TEST_CASE("without Python or its package dlscale, --format parquet states what to install") {
  Collected it;
  const test::Ran missing = export_parquet(it, {{"DLSCALE_PYTHON", "/no/python"}});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err, StartsWith("dlscale: --format parquet: needs Python 3.9 or later (") &&
                              Contains("/no/python") && Contains("; set DLSCALE_PYTHON "));
  const test::Ran package =
      export_parquet(it, interpreter(it, "echo 'No module named dlscale' >&2; exit 1\n"));
  CHECK(package.exit_code == 2);
  CHECK_THAT(package.err,
             Contains("the Python package dlscale cannot be used (No module named dlscale)") &&
                 Contains("/python -m pip install './python[parquet]'"));
  CHECK_FALSE(fs::exists(it.dlscale.folder / "views"));
}

TEST_CASE("a failed conversion to Parquet leaves no files") {
  Collected it;
  const test::Ran ran = export_parquet(
      it, interpreter(it,
                      "[ \"$3\" = --check ] && exit 0\n"
                      "echo half > \"$4/run.parquet\"; echo 'disk full' >&2; exit 1\n"));
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.err, Catch::EndsWith(" did not write the Parquet files: disk full\n"));
  CHECK(std::distance(fs::directory_iterator(it.dlscale.folder.path()), {}) == 1);
}

TEST_CASE("a Parquet export has the values of the CSV export, and a second export is equal") {
  if (!python_runs("import pyarrow.parquet")) {
    return test::skip("no pyarrow in the Python of DLSCALE_PYTHON or PATH (pip install pyarrow)");
  }
  Collected it;
  const test::Ran ran = export_parquet(it, with_package());
  CHECK(ran.err.empty());
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("wrote views/step_window.parquet: 6 rows\n"));
  const std::string before = it.text("views/step_window.parquet");
  CHECK(it.dlscale.run({"export", it.folder, "-o", "csv"}).exit_code == 0);
  CHECK(python_runs(kSameValues, it.dlscale.folder.path()));
  CHECK(it.dlscale
            .run({"export", it.folder, "-o", "views", "--format", "parquet", "--force"},
                 with_package())
            .exit_code == 0);
  CHECK((it.text("views/step_window.parquet") == before));
}
