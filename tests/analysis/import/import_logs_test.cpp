// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/import_logs.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "contract/plan/plan.hpp"
#include "tests/analysis/support/database_dump.hpp"
#include "tests/analysis/support/log_folder.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::LogFolder;
namespace fs = std::filesystem;

std::vector<int> repetitions(const Frame& frame) {
  std::vector<int> numbers;
  for (const RunRow& run : frame.runs) numbers.push_back(run.repetition);
  return numbers;
}

/// Returns the single value that a query of the database gives.
std::string value(const contract::PlanDir& folder, const std::string& query) {
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READONLY);
  return database.execAndGet(query).getString();
}

std::string bytes(const contract::PlanDir& folder) {
  return base::read_file(folder.database());
}

}  // namespace

TEST_CASE("logs become runs with the axes of their paths and repetitions in natural order") {
  LogFolder logs;
  for (const char* name : {"b16_g2/run10.csv", "b16_g2/run2.csv", "b16_g2/run1.csv"}) {
    logs.write_step(name, std::string(name).find("10") != std::string::npos ? 0.75 : 0.5);
  }
  const Frame frame = logs.collect();
  REQUIRE(frame.runs.size() == 3);
  CHECK(repetitions(frame) == std::vector<int>{1, 2, 3});
  CHECK(frame.runs[0].point == AxisValues{{"global_batch", "16"}, {"gpus", "2"}, {"model", "m"}});
  CHECK(frame.runs[0].steps.samples == 16);
  CHECK(frame.runs[0].steps.wall_s == 2);
  CHECK(frame.runs[2].steps.parts_s[0] == Approx((0.75 + 0.5) / 2));
  CHECK(frame.scaling == "throughput");
  CHECK(frame.is_imported);
}

TEST_CASE("every row has the log, SHA-256 and line it comes from") {
  LogFolder logs;
  const std::string path = logs.write_step("b16_g2/run1.csv");
  logs.collect();
  CHECK(value(logs.folder, "SELECT source FROM launch") == path);
  CHECK(value(logs.folder, "SELECT line FROM step_window") == "2");
  CHECK(value(logs.folder, "SELECT length(sha256) FROM source WHERE path = '" + path + "'") ==
        "64");
  CHECK(value(logs.folder, "SELECT outcome_source FROM launch") == path);
  for (const std::string view : {"run_view", "step_window_view"}) {
    CHECK(value(logs.folder, "SELECT source FROM " + view) == path);
    CHECK(value(logs.folder, "SELECT length(sha256) FROM " + view) == "64");
  }
}

TEST_CASE("collecting the same logs again changes nothing") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.write_step("b16_g2/run2.csv");
  CHECK(logs.import().added == 2);
  ingest(logs.folder);
  const std::string first = test::dump_all(logs.folder);
  const ImportSummary again = logs.import();
  CHECK(again.unchanged == 2);
  CHECK(again.added + again.changed == 0);
  ingest(logs.folder);
  CHECK(test::dump_all(logs.folder) == first);
  CHECK(read_frame(logs.folder).runs.size() == 2);
}

TEST_CASE("additional logs join the existing logs, whose repetitions stay") {
  LogFolder logs;
  logs.request.logs = {logs.write_step("b16_g2/run5.csv", 0.1)};
  CHECK(repetitions(logs.collect()) == std::vector<int>{1});
  logs.request.logs = {logs.write_step("b16_g2/run1.csv", 0.2), logs.write_step("b32_g2/run1.csv")};
  const ImportSummary more = logs.import();
  CHECK(more.added == 2);
  ingest(logs.folder);
  const Frame frame = read_frame(logs.folder);
  CHECK(frame.runs.size() == 3);
  const contract::Plan plan = contract::read_plan(logs.folder);
  CHECK(plan.repeats == 2);
  CHECK(value(logs.folder,
              "SELECT repetition FROM run JOIN launch USING (run_id) WHERE "
              "launch.source LIKE '%b16_g2/run5.csv'") == "1");
}

TEST_CASE("rebuilding the database gives the same bytes") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.write("b16_g2/run2.csv", "load,compute,rank\nx,1,0\n");
  logs.import();
  ingest(logs.folder, true);
  const std::string before = bytes(logs.folder);
  ingest(logs.folder, true);
  CHECK((bytes(logs.folder) == before));
}

TEST_CASE("a log without a measurement is a failed run with a reason") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.write("b16_g2/run2.csv", "load,compute,rank\n");
  logs.write("b16_g2/run3.csv", "");
  logs.write("b16_g2/run4.csv", std::string("a\0b", 3));
  logs.write("b16_g2/run5.csv", "Segmentation fault\n");
  const Frame frame = logs.collect();
  REQUIRE(frame.runs.size() == 5);
  CHECK(frame.runs[0].outcome == "Completed");
  for (std::size_t i = 1; i < 5; ++i) CHECK(frame.runs[i].outcome == "Failed");
  CHECK(value(logs.folder, "SELECT group_concat(reason, '|') FROM launch") ==
        "|the log contains no measurements|is empty|is not a text file (byte 2 is 0)|the log "
        "contains no measurements (has no column \"load\" (the columns are: Segmentation fault))");
}

TEST_CASE("files without content that were found in a folder are skipped with a reason") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.write("README", "what this is\n");
  logs.write("model.bin", std::string("a\0b", 3));
  const ImportSummary summary = logs.import();
  CHECK(summary.logs == 1);
  CHECK(summary.is_complete());
  CHECK(base::describe_skipped(tally_of(summary.skipped)) ==
        "Skipped 1 file: has no column \"load\" (the columns are: what this is); example: " +
            logs.logs() + "/README\nSkipped 1 file: is not a text file (byte 2 is 0); example: " +
            logs.logs() + "/model.bin\n");
}

TEST_CASE("a missing or changed log no longer counts, which is reported") {
  LogFolder logs;
  const std::string gone = logs.write_step("b16_g2/run1.csv", 0.1);
  const std::string grown = logs.write_step("b16_g2/run2.csv", 0.2);
  logs.collect();
  fs::remove(gone);
  logs.write_step("b16_g2/run2.csv", 0.33);
  const IngestSummary summary = ingest(logs.folder);
  CHECK(summary.problems ==
        std::vector<std::string>{
            gone + ": no longer exists",
            grown + ": has changed since it was collected; collect it again with -o"});
  for (const RunRow& run : read_frame(logs.folder).runs) CHECK(run.outcome == "Lost");
  logs.request.logs = {grown};
  CHECK(logs.import().changed == 1);
  ingest(logs.folder);
  CHECK(read_frame(logs.folder).runs[1].outcome == "Completed");
}

TEST_CASE("a run whose import.json is broken is lost, and the others are read") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv", 0.1);
  logs.write_step("b16_g2/run2.csv", 0.2);
  const std::string first = logs.collect().runs[0].run_id;
  const fs::path file = logs.folder.run(first).launch(1).root() / "import.json";
  base::write_file_atomically(file, "{");
  const IngestSummary summary = ingest(logs.folder);
  REQUIRE(summary.problems.size() == 1);
  CHECK_THAT(summary.problems[0], Contains("launch-1/import.json:1:2: not valid JSON"));
  const Frame frame = read_frame(logs.folder);
  CHECK(frame.runs[0].outcome == "Lost");
  CHECK(frame.runs[1].outcome == "Completed");
  CHECK(logs.import().added == 1);  // importing the log again restores the run
  CHECK(contract::read_plan(logs.folder).runs.size() == 2);
}

TEST_CASE("other axes of a log replace its run") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.collect();
  logs.request.stated = {"model=densenet121"};
  const Frame frame = logs.collect();
  REQUIRE(frame.runs.size() == 1);
  CHECK(frame.runs[0].point.at("model") == "densenet121");
  CHECK(frame.runs[0].conditions.at("model") == "densenet121");
  const auto entries = fs::directory_iterator(logs.folder.runs());
  CHECK(std::distance(begin(entries), end(entries)) == 1);
}

TEST_CASE("repetitions may be stated, and two logs cannot have the same repetition") {
  LogFolder logs;
  logs.request.axes.push_back("repetition=run(\\d+)");
  logs.write_step("b16_g2/run7.csv");
  CHECK(repetitions(logs.collect()) == std::vector<int>{7});
  logs.write_step("b16_g2/again/run7.csv", 0.3);
  CHECK_THAT(logs.error(), Contains("repetition 7 of the same point is already taken by"));
}

TEST_CASE("a table gives axes of logs by the ends of their paths") {
  LogFolder logs;
  const std::string table =
      logs.write("table.csv", "path,gpus,cluster\nfirst.csv,2,a\nlost.csv,4,b\n");
  logs.request.axes = {"global_batch=(16)"};
  logs.request.table = table;
  logs.request.logs = {logs.write_step("16/first.csv")};
  const ImportSummary summary = logs.import();
  CHECK(summary.warnings ==
        std::vector<std::string>{table + ": lost.csv matches none of the imported logs"});
  ingest(logs.folder);
  CHECK(read_frame(logs.folder).runs[0].point.at("cluster") == "a");
}

TEST_CASE("contradicting sources are reported, and a copy counts once") {
  LogFolder logs;
  logs.request.mapped.columns.push_back({"global_batch", "b"});
  const std::string text = "load,compute,rank,b\n1,1,0,32\n1,1,1,32\n";
  logs.write("b16_g2/run1.csv", text);
  logs.write("b16_g2/run2.csv", text);
  const ImportSummary summary = logs.import();
  REQUIRE(summary.warnings.size() == 2);
  CHECK_THAT(summary.warnings[0],
             Contains("global_batch is 16 according to its path, but 32 according to its columns"));
  CHECK(summary.runs == 1);
  REQUIRE(summary.joined.size() == 1);
  CHECK_THAT(summary.joined[0], Contains("equal byte by byte"));
}

TEST_CASE("the size of the training set in a format, and a warning about a field, are kept") {
  LogFolder logs;
  logs.request.stated = {"gpus=2"};
  logs.request.axes.clear();
  logs.request.mapped.columns = {{"epoch", "e"}, {"wall_s", "s"}, {"throughput", "r"}};
  logs.request.mapped.counts = {.train_samples = 500};
  logs.request.logs = {logs.write("a.csv", "e,s,r\n0,9,1\n1,5,1\n")};
  const std::vector<std::string> warnings = logs.import().warnings;
  REQUIRE_FALSE(warnings.empty());
  CHECK_THAT(warnings[0], Catch::StartsWith("the field \"throughput\" is not a measured field") &&
                              Contains("did you mean \"samples_per_s\"?"));
  ingest(logs.folder);  // reads the statements from import.json
  CHECK(value(logs.folder, "SELECT group_concat(samples) FROM step_window") == "500,500");
}

TEST_CASE("the steps of rows and the warm-up rows that the user states are kept") {
  LogFolder logs;
  logs.request.stated = {"gpus=2", "global_batch=16"};
  logs.request.axes.clear();
  logs.request.mapped.columns = {{"step", "n"}, {"wall_s", "s"}};
  logs.request.mapped.counts = {.counts_from = 1, .warmup_rows = 1};
  logs.request.logs = {logs.write("a.csv", "n,s\n10,9\n20,5\n30,5\n")};
  logs.import();
  ingest(logs.folder);  // reads the statements from import.json
  CHECK(value(logs.folder, "SELECT group_concat(steps) FROM step_window") == "10,10,10");
  CHECK(value(logs.folder, "SELECT sum(samples) FROM step_window") == "480");
  CHECK(value(logs.folder, "SELECT group_concat(warmup) FROM step_window") == "1,0,0");
  logs.request.mapped.counts = {.steps = 5};
  CHECK(logs.import().changed == 1);
  ingest(logs.folder);
  CHECK(value(logs.folder, "SELECT group_concat(steps) FROM step_window") == "5,5,5");
}

TEST_CASE("a pattern that reads no line of any log is reported with its place") {
  LogFolder logs;
  logs.request.mapped = {.kind = "pattern", .columns = {}};
  logs.request.mapped.patterns = {"took (?<wall_s>[0-9]+) s", "lr (?<lr>[0-9.]+)",
                                  "loss (?<loss>[0-9.]+)"};
  logs.request.pattern_places = {{"p.toml", 1, 9}, {"p.toml", 2, 9}, {"p.toml", 3, 9}};
  logs.write("b16_g2/run1.log", "took 2 s\nlr 0.1\n");
  logs.write("b16_g2/run2.log", "took 3 s\n");
  const ImportSummary summary = logs.import();
  REQUIRE(summary.warnings.size() == 1);
  CHECK_THAT(summary.warnings[0], Catch::StartsWith("p.toml:3:9: line: no line is read"));
}

TEST_CASE("a group that never matches is reported, also if no log has measurements") {
  LogFolder logs;
  logs.request.mapped = {.kind = "pattern", .columns = {}};
  logs.request.mapped.patterns = {"took (?<wall_s>[0-9]+) s( \\(lr (?<lr>.+)\\))?"};
  logs.request.pattern_places = {{"p.toml", 1, 9}};
  logs.write("b16_g2/run1.log", "took 2 s\n");
  const ImportSummary summary = logs.import();
  REQUIRE(summary.warnings.size() == 1);
  CHECK_THAT(summary.warnings[0], Catch::StartsWith("p.toml:1:9: line: the group lr of the pattern "
                                                    "'took ") &&
                                      Catch::EndsWith("' never matched"));
  logs.request.mapped.patterns = {"epoch (?<epoch>[0-9]+) | (?<wall_s>[0-9]+) s"};
  logs.write("b16_g2/run1.log", "epoch 1 | 2 s\n");
  CHECK_THROWS_WITH(logs.import(), Catch::Contains("\np.toml:1:9: line: the group wall_s of the") &&
                                       Catch::EndsWith("a literal | must be written \\|"));
}

TEST_CASE("several rows of runs in one log give several runs") {
  LogFolder logs;
  logs.request.mapped.columns = {{"gpus", "g"}, {"samples_per_s", "rate"}};
  logs.request.logs = {logs.write("all.csv", "g,rate\n1,100\n2,180\n4,320\n")};
  const ImportSummary summary = logs.import();
  CHECK(summary.logs == 1);
  CHECK(summary.added == 3);
  ingest(logs.folder);
  const Frame frame = read_frame(logs.folder);
  REQUIRE(frame.runs.size() == 3);
  CHECK(1 / seconds_per_sample(frame.runs[2]) == Approx(320));
  CHECK(frame.runs[2].batch_per_gpu == 0);  // 0: the batch is unknown
}

TEST_CASE("a default is used if no source has the value, and contradicts nothing") {
  LogFolder logs;
  logs.request.defaults = {"gpus=8", "cluster=a"};
  logs.request.axes = {"global_batch=b(\\d+)_", "gpus=_g(2)/"};
  logs.write_step("b16_g2/run1.csv");
  CHECK(logs.import().warnings.empty());
  ingest(logs.folder);
  const RunRow run = read_frame(logs.folder).runs.at(0);
  CHECK(run.gpus == 2);
  CHECK(run.point.at("cluster") == "a");
  logs.request.defaults.push_back("gpus=4");
  CHECK_THAT(logs.error(), Contains("--default gpus: the axis is given twice"));
}

TEST_CASE("jobs in the accounting of a batch system are runs with GPU-hours") {
  LogFolder logs;
  logs.request = {
      .logs = {
          logs.write("jobs.txt",
                     "JobID|State|ExitCode|Elapsed|AllocTRES\n7|COMPLETED|0:0|02:00:00|gres/gpu=4\n"
                     "7.batch|COMPLETED|0:0|02:00:00|\n8|FAILED|1:0|01:00:00|gres/gpu=8\n"
                     "9|COMPLETED|0:0|00:30:00|cpu=4\n")}};
  const ImportSummary summary = logs.import();
  CHECK(summary.formats == std::map<std::string, int>{{"sacct", 1}});
  CHECK(summary.runs == 3);
  ingest(logs.folder);
  CHECK(value(logs.folder, "SELECT sum(gpu_hours) FROM job_view") == "16.0");
  CHECK(value(logs.folder, "SELECT job_id || line FROM job_view WHERE outcome = 'Failed'") == "84");
  CHECK(value(logs.folder, "SELECT length(sha256) FROM job_view WHERE job_id = '9'") == "64");
  const std::string before = bytes(logs.folder);
  ingest(logs.folder, true);
  CHECK((bytes(logs.folder) == before));
  CHECK(logs.import().unchanged == 3);
}

TEST_CASE("collectives are rows by message size, removed together with their log") {
  LogFolder logs;
  logs.request = {
      .logs = {logs.logs()}, .format = "nccl_tests", .axes = {"collective=(\\w+)\\.out"}};
  const std::string heading =
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n#  Rank  0 Group  0 Pid 1 on a device 0 [0x07] "
      "X\n"
      "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
  const std::string row = "8000 2000 float sum -1 4.0 2.00 2.00 0 8.0 1.00 1.00 0\n";
  logs.write("all_reduce.out", heading + row);
  logs.write("reduce.out", heading + row + row);
  logs.write("broadcast.out", "start failed on a: no more ports\n");
  logs.import();
  ingest(logs.folder);
  CHECK(value(logs.folder,
              "SELECT group_concat(collective || time_s || in_place, ' ') FROM "
              "collective_view WHERE collective = 'all_reduce'") ==
        "all_reduce4.0e-060 all_reduce8.0e-061");
  for (const RunRow& run : read_frame(logs.folder).runs) {
    if (run.point.at("collective") == "broadcast") continue;
    REQUIRE_FALSE(run.collectives.empty());
    CHECK(run.collectives[0].collective == run.point.at("collective"));  // the path names it
    CHECK(run.collectives[0].time_s == Approx(4e-6));
    CHECK(run.collectives[1].in_place);
  }
  CHECK(value(logs.folder, "SELECT reason FROM launch WHERE outcome = 'Failed'") ==
        "the log contains no measurements (line 1: contains no output of nccl-tests; the file "
        "begins with \"start failed on a: no more ports\")");
  logs.write("all_reduce.out", "killed\n");
  logs.import();
  ingest(logs.folder);
  CHECK(value(logs.folder, "SELECT count(*) FROM collective") == "4");
}

TEST_CASE("bad requests name the problem and leave no folder") {
  LogFolder logs;
  CHECK_THAT(logs.error(), Contains("no such file or folder"));
  logs.write("note.txt", "hello\n");
  logs.request.mapped = {};
  CHECK_THAT(logs.error(), Contains("is not recognised") && Contains("known: dlscale, mlperf"));
  logs.request.mapped = {.kind = "csv", .columns = {{"wall_s", "t"}}};
  CHECK_THAT(logs.error(), Contains("note.txt: has no column \"t\" (the columns are: hello)"));
  logs.write("note.txt", "t\n1\n");
  logs.request.axes.clear();
  CHECK_THAT(logs.error(), Contains("the number of samples for this time is unknown"));
  logs.request.stated = {"global_batch=8"};
  CHECK_THAT(logs.error(),
             Contains("the number of GPUs (ranks) is unknown; state gpus with --set gpus=N"));
  logs.request.stated = {"gpus=many", "global_batch=8"};
  CHECK_THAT(
      logs.error(),
      Contains("gpus is \"many\" according to --set; it must be a whole number of at least 1"));
  logs.request.axes = {"gpus=(\\d+)(\\d+)"};
  CHECK_THAT(logs.error(), Contains("must contain exactly one group in parentheses"));
  CHECK_FALSE(fs::exists(logs.folder.root()));
}

TEST_CASE("logs are not imported into a folder of planned runs") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  contract::Plan plan;
  plan.scheduler = "slurm";
  base::make_directories(logs.folder.root());
  base::write_file_atomically(logs.folder.plan_json(), to_json(plan));
  CHECK_THAT(logs.error(), Contains("contains a plan of runs that dlscale starts"));
  CHECK_FALSE(fs::exists(logs.folder.runs()));
}

}  // namespace dlscale::analysis
