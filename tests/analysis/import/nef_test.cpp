// SPDX-License-Identifier: Apache-2.0
// Tests that the raw measurements of a published study reproduce its values with its formula and
// with dlscale's formula.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <map>

#include "analysis/import/mapped/row_reader.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "analysis/metrics/scaling/verdict.hpp"
#include "analysis/report/tables/tables.hpp"
#include "tests/analysis/support/log_folder.hpp"
#include "tests/support/skip.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the import request that docs/importing.md describes.
ImportRequest nef_request(const std::string& logs) {
  ImportRequest request{.logs = {logs}};
  request.mapped.kind = "csv";
  for (const char* mapping : {"rank=rank", "load_wait_s=loading_time", "compute_s=compute_time"}) {
    request.mapped.columns.push_back(parse_mapping(mapping));
  }
  request.axes = {"global_batch=/bs(\\d+)_", "gpus=_(?:gpus|cores)(\\d+)/",
                  "repetition=run(\\d+)\\.csv"};
  request.stated = {"model=densenet121"};
  request.study = "nef";
  return request;
}

/// Returns the texts of a table's cells by "device batch/gpus" and by column id. The column ids of
/// interval limits have the suffixes "_low" and "_high".
std::map<std::string, std::map<std::string, std::string>> cells_of(const Table& table) {
  std::map<std::string, std::map<std::string, std::string>> cells;
  for (const std::vector<Cell>& row : table.rows) {
    std::map<std::string, std::string> named;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string& id = table.columns[i].id;
      if (const auto* bounds = std::get_if<Bounds>(&row[i])) {
        named[id + "_low"] = fmt::format("{}", bounds->low);
        named[id + "_high"] = fmt::format("{}", bounds->high);
        continue;
      }
      named[id] = shown(row[i], {.decimals = 6}, "");
    }
    const std::string batch = named["batch"].substr(0, named["batch"].find('.'));
    cells[named["device"] + " " + batch + "/" + named["gpus"].substr(0, 1)] = std::move(named);
  }
  return cells;
}

double number(const std::string& text) {
  double value = std::nan("");
  whole_number(text, value);
  return value;
}

/// Returns true for the only cell whose computed interval limit may differ from the exact limit. A
/// limit that is computed from randomly drawn resamples can take only few values, and the computed
/// limit may be the value next to the exact limit. In this cell, 2.66 % instead of 2.5 % of all
/// resamples lie beyond the exact limit.
bool is_next_to_limit(const std::string& place, const std::string& column) {
  return place == "gpu 64/1" && column == "median_hi [image/s]";
}

Table definitions(test::LogFolder& logs) {
  const Frame frame = logs.collect();
  for (const RunRow& run : frame.runs) {
    INFO(run.run_id);
    CHECK(run.outcome == "Completed");
  }
  return definitions_table(frame, {});
}

/// Compares each value of a reference table with the computed table. A difference of one unit of
/// the last printed digit is allowed.
int compare(const Table& table, const std::string& device, const std::string& reference,
            const std::string& workers) {
  const auto cells = cells_of(table);
  const std::map<std::string, std::pair<std::string, double>> columns{
      {"runs", {"n", 0}},
      {"mean_loading [s]", {"load_s", 0.00006}},
      {"mean_compute [s]", {"rest_s", 0.00006}},
      {"throughput report formula [image/s]", {"throughput_mean_samples_per_s", 0.0101}},
      {"median slowest-rank time [s]", {"slowest_rank_s", 0.00006}},
      {"throughput median [image/s]", {"throughput_median_samples_per_s", 0.0101}},
      {"median_lo [image/s]", {"throughput_bootstrap_samples_per_s_low", 0.0501}},
      {"median_hi [image/s]", {"throughput_bootstrap_samples_per_s_high", 0.0501}},
      {"throughput olympic [image/s]", {"throughput_olympic_samples_per_s", 0.0101}}};
  MappedFormat format{.kind = "csv", .columns = {{"batch", "batch [images]"}, {"gpus", workers}}};
  for (const auto& [theirs, ours] : columns) {
    if (reference.find(theirs) != std::string::npos) format.columns.push_back({theirs, theirs});
  }
  format.columns.push_back({"rows", "rows"});
  if (reference.find("outlier_runs") != std::string::npos) {
    format.columns.push_back({"outliers", "outlier_runs"});
  }
  const std::unique_ptr<RowReader> reader = make_row_reader(format);
  int compared = 0;
  for (std::size_t start = 0; start < reference.size();) {
    const std::size_t end = std::min(reference.find('\n', start), reference.size());
    TextRow row;
    REQUIRE(reader->read(reference.substr(start, end - start), row).empty());
    start = end + 1;
    if (row.empty() || row[2].second.empty()) continue;  // heading or unmeasured point
    const std::string place = device + " " + row[0].second + "/" + row[1].second;
    const auto& own = cells.at(place);
    for (std::size_t i = 2; i < row.size(); ++i) {
      INFO(fmt::format("batch {} on {}: {}", row[0].second, row[1].second, row[i].first));
      if (row[i].first == "outliers") {
        CHECK(own.at("outlying_repetitions") == row[i].second);
      } else if (row[i].first == "rows") {  // the table has one row per rank
        CHECK(number(row[i].second) == number(own.at("n")) * number(row[1].second));
      } else if (is_next_to_limit(place, row[i].first)) {
        CHECK(number(row[i].second) == 32.5);
        CHECK(number(own.at(columns.at(row[i].first).first)) == Approx(32.66).margin(0.005));
      } else {
        const auto& [column, margin] = columns.at(row[i].first);
        CHECK(std::abs(number(own.at(column)) - number(row[i].second)) <= margin);
      }
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("nef: at batch 16 two GPUs have the best mean and three the best median") {
  test::LogFolder logs;
  logs.request = nef_request(DLSCALE_SOURCE_DIR "/tests/analysis/import/nef");
  const auto cells = cells_of(definitions(logs));
  const auto& two = cells.at(" 16/2");
  const auto& three = cells.at(" 16/3");
  CHECK(number(two.at("throughput_mean_samples_per_s")) == Approx(16.04).margin(0.005));
  CHECK(number(three.at("throughput_mean_samples_per_s")) == Approx(13.79).margin(0.005));
  CHECK(number(two.at("throughput_median_samples_per_s")) == Approx(23.02).margin(0.005));
  CHECK(number(three.at("throughput_median_samples_per_s")) == Approx(24.52).margin(0.005));
  CHECK(two.at("outlying_repetitions") == "1 2");
  CHECK(three.at("outlying_repetitions") == "1 3 7");
}

TEST_CASE("nef: all measurements give every recomputed value to its last digit") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA names no folder of real logs");
    return;
  }
  const std::string root(data);
  test::LogFolder logs;
  logs.request = nef_request(root + "/scaling/nef-densenet121");
  logs.request.axes.emplace_back("device=nef-densenet121/(cpu|gpu)/");
  const Table table = definitions(logs);
  for (const auto& [device, workers, values] :
       {std::tuple("gpu", "gpus", 11 * 11), std::tuple("cpu", "cores", 8 * 7)}) {
    const std::string reference =
        base::read_file(root + "/reference/nef-2025-" + device + "-recomputed.csv");
    CHECK(compare(table, device, reference, workers) == values);
  }
}

TEST_CASE("nef: 3 GPUs differ from 2 only at batches 64 and 128") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA names no folder of real logs");
    return;
  }
  test::LogFolder logs;
  logs.request = nef_request(std::string(data) + "/scaling/nef-densenet121/gpu");
  logs.request.scaling = "strong";
  Frame frame = logs.collect();
  std::erase_if(frame.runs, [](const RunRow& run) { return run.gpus < 2; });
  const std::map<std::string, std::pair<Finding, double>> expected{
      {"16", {Finding::NotDistinguishable, 0.5787}},
      {"32", {Finding::NotDistinguishable, 0.2176}},
      {"64", {Finding::Faster, 0.0005}},
      {"128", {Finding::Faster, 0.0089}}};
  const Verdicts verdicts = verdicts_between(scaling_curves(frame), false);
  REQUIRE(verdicts.pairs.size() == expected.size());
  for (const Verdict& one : verdicts.pairs) {
    const auto& [finding, p] = expected.at(value_of(one.a.key, "global_batch"));
    CHECK(one.a.gpus == 3);
    CHECK(one.finding == finding);
    CHECK(one.p == Approx(p).margin(6e-5));
  }
}

}  // namespace dlscale::analysis
