// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale verify`, which compares tables with their records.
#include <catch2/catch.hpp>

#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

/// Collected study with its tables.
struct Collected {
  Collected() {
    study.add("ddp", 1);
    study.add("ddp", 2, {1500, 0.9});
    dlscale.run({"collect", folder});
  }

  void replace(const std::filesystem::path& file, const std::string& from, const std::string& to) {
    std::string text = base::read_file(file);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    base::write_file_atomically(file, text.replace(at, from.size(), to));
  }

  test::WrittenStudy study;
  std::string folder = study.folder.root().string();
  test::DlscaleProgram dlscale;
};

}  // namespace

TEST_CASE("unchanged tables equal those of the records") {
  Collected it;
  const test::Ran ran = it.dlscale.run({"verify", it.folder});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("recomputed from the records: no differences\n"));
}

TEST_CASE("a changed number is reported with its line and the value of the records") {
  Collected it;
  const auto file = it.study.folder.tables() / "efficiency.md";
  it.replace(file, "1500", "1900");
  const test::Ran ran = it.dlscale.run({"verify", it.folder});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, StartsWith(file.string() + ":"));
  CHECK_THAT(ran.out, Contains("  file     ") && Contains("1900") && Contains("1500"));
  CHECK_THAT(ran.out, Contains("1 lines differ"));
}

TEST_CASE("a damaged database does not affect verify and stays unchanged") {
  Collected it;
  const auto database = it.study.folder.database();
  base::write_file_atomically(database, "not a database");
  CHECK(it.dlscale.run({"verify", it.folder}).exit_code == 0);
  CHECK(base::read_file(database) == "not a database");
}

TEST_CASE("records that changed after the tables were written are reported") {
  Collected it;
  it.study.launch("ddp-g2-r1", 2, {1200, 0.9});
  const test::Ran ran = it.dlscale.run({"verify", it.folder});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("lines differ"));
}

TEST_CASE("unknown files are skipped, and a folder without tables gives exit code 3") {
  Collected it;
  base::write_file_atomically(it.study.folder.tables() / "notes.md", "mine\n");
  const test::Ran ran = it.dlscale.run({"verify", it.folder});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, EndsWith("ignored files (not tables of a metric): notes.md\n"));
  std::filesystem::remove_all(it.study.folder.tables());
  const test::Ran none = it.dlscale.run({"verify", it.folder});
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.err, Contains("no tables"));
}

TEST_CASE("a deleted table is named and counts as a difference") {
  Collected it;
  std::filesystem::remove(it.study.folder.tables() / "accuracy.csv");
  std::filesystem::remove(it.study.folder.tables() / "efficiency.tex");
  const test::Ran ran = it.dlscale.run({"verify", it.folder});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("recomputed from the records: 2 files missing\n") &&
                          EndsWith("missing: efficiency.tex, accuracy.csv\n"));
  it.dlscale.run({"collect", it.folder});
  CHECK(it.dlscale.run({"verify", it.folder}).exit_code == 0);
}

TEST_CASE("unreadable records are reported without listing differing lines") {
  Collected it;
  const auto results = it.study.folder.run("ddp-g2-r1").launch(1).results();
  for (const std::filesystem::path& record :
       {it.study.folder.runs(), it.study.folder.run("ddp-g1-r1").root(), results}) {
    INFO(record);
    const std::filesystem::path aside = record.string() + "-aside";
    std::filesystem::rename(record, aside);
    std::filesystem::create_symlink(record.filename(), record);  // a link to itself cannot be read
    const test::Ran ran = it.dlscale.run({"verify", it.folder});
    CHECK(ran.exit_code == 1);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, Contains("cannot read " + record.string() + ": Too many levels"));
    std::filesystem::remove(record);
    std::filesystem::rename(aside, record);
  }
  CHECK(it.dlscale.run({"verify", it.folder}).exit_code == 0);
}

TEST_CASE("an unreadable imported log is reported") {
  test::DlscaleProgram dlscale;
  const std::filesystem::path log = dlscale.folder.path() / "rates.csv";
  base::write_file_atomically(log, "g,rate\n1,100\n2,180\n");
  dlscale.run(
      {"collect", "rates.csv", "-o", "study", "--map", "gpus=g", "--map", "samples_per_s=rate"});
  CHECK(dlscale.run({"verify", "study"}).exit_code == 0);
  std::filesystem::remove(log);
  std::filesystem::create_symlink("rates.csv", log);
  const test::Ran ran = dlscale.run({"verify", "study"});
  CHECK(ran.exit_code == 1);
  CHECK(ran.out.empty());
  CHECK_THAT(ran.err, Contains("cannot read ") && Contains("rates.csv: Too many levels"));
}

TEST_CASE("tables and values of a report are computed again") {
  Collected it;
  const std::string kit = (it.dlscale.folder / "kit").string();
  it.dlscale.run({"report", it.folder, "-o", kit, "--where", "gpus > 0", "--baseline", "gpus=2"});
  const std::vector<std::string> words{"verify",  it.folder,  "--report",   kit,
                                       "--where", "gpus > 0", "--baseline", "gpus=2"};
  const test::Ran same = it.dlscale.run(words);
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, Contains("recomputed from the records: no differences\n"));
  it.replace(kit + "/values.tex", "{1500.0}", "{1900.0}");
  const test::Ran changed = it.dlscale.run(words);
  CHECK(changed.exit_code == 1);
  CHECK_THAT(changed.out, Contains("values.tex:") && Contains("{1900.0}") && Contains("{1500.0}"));
}

TEST_CASE("figures, paper and page of a report are computed again") {
  Collected it;
  const std::string kit = (it.dlscale.folder / "kit").string();
  it.dlscale.run({"report", it.folder, "-o", kit});
  const std::vector<std::string> words{"verify", it.folder, "--report", kit};
  const test::Ran same = it.dlscale.run(words);
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, Contains("files with") && Contains("no differences\n"));
  it.replace(kit + "/figures/throughput.csv", "measured,2,", "measured,8,");
  it.replace(kit + "/paper.tex", "made-up", "made-down");
  it.replace(kit + "/report.html", "1500.0", "1700.0");
  const test::Ran changed = it.dlscale.run(words);
  CHECK(changed.exit_code == 1);
  CHECK_THAT(changed.out, Contains("figures/throughput.csv:") && Contains("paper.tex:") &&
                              Contains("report.html:") && Contains("3 lines differ"));
  for (const char* const shown : {"measured,8,", "made-down", "1700.0"}) {
    CHECK_THAT(changed.out, Contains(shown));
  }
}

TEST_CASE("missing files of a report are named and count as differences") {
  Collected it;
  const std::string kit = (it.dlscale.folder / "kit").string();
  it.dlscale.run({"report", it.folder, "-o", kit});
  base::write_file_atomically(kit + "/figures/speedup.pdf", "%PDF\n");  // substitute for the PDF
  for (const char* file : {"/values.tex", "/figures/throughput.csv", "/figures/throughput.pdf"}) {
    std::filesystem::remove(kit + file);
  }
  const test::Ran ran = it.dlscale.run({"verify", it.folder, "--report", kit});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("files missing\n") && Contains("missing: figures/throughput.csv") &&
                          Contains("values.tex") && Contains("figures/throughput.pdf"));
}

TEST_CASE("a report without PDF files is complete") {
  Collected it;
  const std::string kit = (it.dlscale.folder / "kit").string();
  it.dlscale.run({"report", it.folder, "-o", kit}, {{"PATH", "/nowhere"}});
  CHECK_FALSE(std::filesystem::exists(kit + "/figures/throughput.pdf"));
  CHECK(it.dlscale.run({"verify", it.folder, "--report", kit}).exit_code == 0);
}

TEST_CASE("unknown images and files in a report are listed and are not differences") {
  Collected it;
  const std::string kit = (it.dlscale.folder / "kit").string();
  it.dlscale.run({"report", it.folder, "-o", kit}, {{"PATH", "/nowhere"}});
  base::write_file_atomically(kit + "/figures/mine.png", "\x89PNG\n");
  base::write_file_atomically(kit + "/notes.md", "mine\n");
  const test::Ran ran = it.dlscale.run({"verify", it.folder, "--report", kit});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("no differences\n") &&
                          Contains("not checked: 1 PDF file or image that") &&
                          EndsWith("ignored files (not files of a report): notes.md\n"));
}

TEST_CASE("a report folder without tables gives exit code 3") {
  Collected it;
  const test::Ran none = it.dlscale.run({"verify", it.folder, "--report", "nowhere"});
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.err, Contains("nowhere/tables: no tables; dlscale report writes them"));
}
