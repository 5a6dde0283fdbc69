// SPDX-License-Identifier: Apache-2.0
// Tests that values missing from logs and paths are empty, and that values stated by the user
// distinguish runs.
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <set>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/report/tables/tables.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/log_folder.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using Catch::EndsWith;
using test::LogFolder;

/// Returns the single value that a query of the database gives. The text "NULL" stands for NULL.
std::string stored(const contract::PlanDir& folder, const std::string& query) {
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READONLY);
  const SQLite::Column value = database.execAndGet(query);
  return value.isNull() ? "NULL" : value.getString();
}

/// Sets up the import of rates at two GPU counts, with unknown batches.
void ask_for_rates(LogFolder& logs) {
  logs.request.axes.clear();
  logs.request.mapped.columns = {{"gpus", "g"}, {"samples_per_s", "rate"}};
  logs.request.logs = {logs.write("all.csv", "g,rate\n1,100\n1,300\n2,180\n")};
}

/// Returns the device kind and the device name of each run.
std::multiset<std::string> devices_of(const Frame& frame) {
  std::multiset<std::string> devices;
  for (const RunRow& run : frame.runs) {
    const auto condition = [&](const char* name) {
      const auto found = run.conditions.find(name);
      return found == run.conditions.end() ? std::string() : found->second;
    };
    devices.insert(condition("device") + " " + condition("gpu"));
  }
  return devices;
}

}  // namespace

TEST_CASE("rates alone give throughput with equal samples, without steps and time spent") {
  LogFolder logs;
  ask_for_rates(logs);
  const Frame frame = logs.collect();
  REQUIRE(frame.runs.size() == 2);
  const RunRow& run = frame.runs[0];
  CHECK(has_throughput(run));
  CHECK(1 / seconds_per_sample(run) == Approx(150));  // the mean is harmonic, not arithmetic
  CHECK_FALSE(run.steps.tells_steps);
  CHECK(run.steps.steps == run.steps.samples);
  CHECK(run.spent.kept_s == 0);
  CHECK(run.spent.lost_s == 0);
  for (const char* column : {"steps", "first_step", "other_mean_s", "load_wait_max_s"}) {
    CHECK(stored(logs.folder, std::string("SELECT max(") + column + ") FROM step_window_view") ==
          "NULL");
  }
  CHECK(stored(logs.folder, "SELECT min(samples_per_s) FROM step_window_view") == "100.0");
}

TEST_CASE("logs with times give their steps and the time spent") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  const RunRow run = logs.collect().runs.at(0);
  CHECK(run.steps.tells_steps);
  CHECK(run.spent.kept_s == 2);
  CHECK(stored(logs.folder, "SELECT steps FROM step_window_view") == "1");
}

TEST_CASE("an unknown batch, learning rate and number of epochs are NULL") {
  LogFolder logs;
  ask_for_rates(logs);
  logs.collect();
  for (const char* column : {"batch_per_gpu", "global_batch", "lr_base", "lr_peak", "epochs"}) {
    INFO(column);
    CHECK(stored(logs.folder, std::string("SELECT max(") + column + ") FROM run") == "NULL");
  }
  CHECK(stored(logs.folder, "SELECT count(*) FROM run_view WHERE global_batch IS NULL") == "2");
  logs.request.stated = {"global_batch=8", "epochs=3"};
  logs.collect();
  CHECK(stored(logs.folder, "SELECT max(global_batch) FROM run_view") == "8");
  CHECK(stored(logs.folder, "SELECT max(epochs) FROM run") == "3");
  CHECK(stored(logs.folder, "SELECT steps FROM step_window LIMIT 1") == "1");
}

TEST_CASE("updating a database replaces 0 by NULL for unknown values") {
  LogFolder logs;
  ask_for_rates(logs);
  logs.collect();
  {
    SQLite::Database database(logs.folder.database().string(), SQLite::OPEN_READWRITE);
    database.exec("UPDATE run SET global_batch = 0, lr_peak = 0; PRAGMA user_version = 10");
  }
  ingest(logs.folder);
  CHECK(stored(logs.folder, "SELECT max(global_batch) FROM run") == "NULL");
  CHECK(stored(logs.folder, "SELECT max(lr_peak) FROM run") == "NULL");
}

TEST_CASE("an epoch without samples has its time in the database, and the log is reported") {
  LogFolder logs;
  logs.request.mapped.columns = {{"epoch", "e"}, {"wall_s", "t"}};
  const std::string path = logs.write("b16_g2/run1.csv", "e,t\n0,20\n1,10\n");
  logs.import();
  const IngestSummary summary = ingest(logs.folder);
  REQUIRE(summary.problems.size() == 1);
  CHECK_THAT(summary.problems[0],
             Contains(path + ": line 2: the number of samples") && EndsWith("; lines skipped: 2"));
  const RunRow run = read_frame(logs.folder).runs.at(0);
  CHECK_FALSE(has_throughput(run));
  CHECK(epoch_time_s(run) == 10);
  CHECK(stored(logs.folder, "SELECT max(samples) FROM epoch_view") == "NULL");
  logs.request.stated = {"train_samples=160"};
  CHECK(1 / seconds_per_sample(logs.collect().runs.at(0)) == Approx(320.0 / 30));
}

TEST_CASE("runs on different devices in their paths are not pooled") {
  LogFolder logs;
  logs.request.axes.emplace_back("device=/(k80|p100)/");
  logs.write_step("k80/b16_g2/run1.csv");
  logs.write_step("p100/b16_g2/run1.csv", 0.25);
  const Frame frame = logs.collect();
  CHECK(devices_of(frame) == std::multiset<std::string>{"cuda k80", "cuda p100"});
  CHECK(scaling_curves(frame).size() == 2);
}

TEST_CASE("a table or a column may name the devices of logs") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.write_step("b16_g2/run2.csv", 0.25);
  logs.request.table = logs.write("devices.txt", "path,gpu\nrun1.csv,K80\nrun2.csv,P100\n");
  logs.request.logs = {logs.logs() + "/b16_g2"};
  const Frame frame = logs.collect();
  CHECK(devices_of(frame) == std::multiset<std::string>{" K80", " P100"});
  LogFolder column;
  column.request.axes.clear();
  column.request.mapped.columns = {{"gpus", "g"}, {"device", "d"}, {"samples_per_s", "rate"}};
  column.request.logs = {column.write("all.csv", "g,d,rate\n1,K80,100\n1,cpu,3\n")};
  CHECK(devices_of(column.collect()) == std::multiset<std::string>{"cpu ", "cuda K80"});
}

TEST_CASE("a device that is given only by its kind has no name") {
  LogFolder logs;
  logs.request.stated = {"device=GPU"};
  logs.write_step("b16_g2/run1.csv");
  CHECK(devices_of(logs.collect()) == std::multiset<std::string>{"gpu "});
}

TEST_CASE("a log without a batch does not join curves of logs with a batch") {
  LogFolder logs;
  logs.request.axes.clear();
  logs.request.mapped.kind = "jsonl";
  logs.request.mapped.columns = {{"gpus", "g"}, {"global_batch", "b"}, {"samples_per_s", "rate"}};
  logs.request.scaling = "strong";
  logs.request.logs = {logs.write("all.jsonl",
                                  "{\"g\": 1, \"b\": 64, \"rate\": 100}\n"
                                  "{\"g\": 1, \"b\": 128, \"rate\": 100}\n"
                                  "{\"g\": 2, \"b\": 128, \"rate\": 190}\n"
                                  "{\"g\": 4, \"rate\": 300}\n")};
  const Frame frame = logs.collect();
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 3);
  CHECK(curves[1].points.size() == 2);
  CHECK(value_of(curves[2].key, "global_batch").empty());
  const std::string notes = test::notes(efficiency_table(frame, {{"per-curve", 0}}));
  CHECK_THAT(notes, Contains("the global batch is unknown for 1 of 4 runs") &&
                        !Contains("samples per step instead of"));
}

TEST_CASE("a batch that GPUs cannot share evenly has no batch per GPU") {
  LogFolder logs;
  logs.request.axes.clear();
  logs.request.mapped.columns = {{"gpus", "g"}, {"global_batch", "b"}, {"samples_per_s", "rate"}};
  logs.request.scaling = "weak";
  logs.request.logs = {logs.write("all.csv", "g,b,rate\n1,12,100\n2,25,210\n8,100,600\n")};
  const Frame frame = logs.collect();
  CHECK(stored(logs.folder, "SELECT batch_per_gpu FROM run_view WHERE gpus = 1") == "12");
  CHECK(stored(logs.folder, "SELECT max(batch_per_gpu) FROM run_view WHERE gpus > 1") == "NULL");
  CHECK(stored(logs.folder, "SELECT max(global_batch) FROM run_view") == "100");
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 2);
  CHECK(value_of(curves[1].key, "batch_per_gpu") == "12.5");
  CHECK(curves[1].points.size() == 2);
}

TEST_CASE("logs of several nodes form one curve, unless a GPU count has several node counts") {
  LogFolder logs;
  logs.request.axes.clear();
  logs.request.mapped.columns = {{"gpus", "g"}, {"nodes", "n"}, {"samples_per_s", "rate"}};
  logs.request.logs = {logs.write("all.csv", "g,n,rate\n4,1,100\n8,2,199\n16,4,390\n")};
  const Table table = efficiency_table(logs.collect(), {});
  REQUIRE(table.rows.size() == 3);
  CHECK(test::number(table, 1, "efficiency") == Approx(0.995));
  CHECK(test::number(table, 2, "nodes") == 4);
  CHECK_THROWS(test::column(table, "axis_nodes"));
  logs.write("all.csv", "g,n,rate\n4,1,100\n8,2,199\n8,1,180\n");
  CHECK(scaling_curves(logs.collect()).size() == 2);
}

TEST_CASE("folders above the given folder are not axes and do not make a file a run") {
  LogFolder logs;
  logs.request.axes = {"gpus=_g(\\d+)/", "global_batch=b(\\d+)_", "above=(results)_g9/"};
  logs.write_step("results_g9/b8_g9/named/b16_g2/run1.csv");
  logs.write("results_g9/b8_g9/named/README", "what this is\n");
  for (const char* end : {"", "/"}) {
    logs.request.logs = {logs.logs() + "/results_g9/b8_g9/named" + end};
    const ImportSummary summary = logs.import();
    CHECK(summary.runs == 1);
    REQUIRE(summary.skipped.size() == 1);
    CHECK_THAT(summary.skipped[0].shown, Contains("named/README"));
    ingest(logs.folder);
    const AxisValues point = read_frame(logs.folder).runs.at(0).point;
    CHECK(point == AxisValues{{"gpus", "2"}, {"global_batch", "16"}, {"model", "m"}});
  }
}

TEST_CASE("the given folder itself matches, including the slash before it") {
  LogFolder logs;
  logs.request.axes.emplace_back("cluster=/(nef)/");
  logs.write_step("nef/b16_g2/run1.csv");
  logs.request.logs = {logs.logs() + "/nef"};
  CHECK(logs.collect().runs.at(0).point.at("cluster") == "nef");
}

TEST_CASE("the complete path of a given file matches") {
  LogFolder logs;
  logs.request.logs = {logs.write_step("b16_g2/run1.csv")};
  CHECK(logs.collect().runs.at(0).gpus == 2);
}

}  // namespace dlscale::analysis
