// SPDX-License-Identifier: Apache-2.0
// Tests that import folders of published logs with one command each. The tests check the number of
// runs, the number of failures, and values from the files. They use the options that
// docs/importing.md describes.
#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/analysis/support/log_folder.hpp"
#include "tests/analysis/support/shared_logs.hpp"
#include "tests/support/skip.hpp"

namespace dlscale::analysis {
namespace {

using test::Option;
using test::SharedLogs;

ImportRequest request_of(const SharedLogs& logs, const std::string& data) {
  ImportRequest request{.logs = {data + "/" + logs.path}};
  for (const Option& option : logs.options) {
    const std::string name = option.name, value = option.value;
    if (name == "map") request.mapped.columns.push_back(parse_mapping(value));
    if (name == "axis") request.axes.push_back(value);
    if (name == "set") request.stated.push_back(value);
    if (name == "default") request.defaults.push_back(value);
    if (name == "pattern") request.mapped.patterns.push_back(value);
    if (name == "milliseconds") request.mapped.factors[value] = 0.001;
    if (name == "format") request.format = value;
  }
  if (!request.mapped.patterns.empty()) request.mapped.kind = "pattern";
  if (!request.mapped.columns.empty()) {
    request.mapped.kind = request.format.empty() ? "csv" : request.format;
    request.format.clear();
  }
  return request;
}

void check_values(const SharedLogs& logs, const contract::PlanDir& folder) {
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READONLY);
  for (const test::TableValue& value : logs.values) {
    INFO(value.query);
    SQLite::Statement query(database, value.query);
    REQUIRE(query.executeStep());
    CHECK(query.getColumn(0).getDouble() == Approx(value.value).epsilon(value.tolerance));
  }
}

}  // namespace

TEST_CASE("each folder of published logs is collected with one command and has the known values") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA names no folder of published logs");
    return;
  }
  for (const SharedLogs& logs : test::shared_logs()) {
    INFO(logs.path);
    test::LogFolder into;
    into.request = request_of(logs, data);
    ImportSummary summary;
    REQUIRE_NOTHROW(summary = into.import());
    ingest(into.folder);
    const Frame frame = read_frame(into.folder);
    int failed = 0;
    for (const RunRow& run : frame.runs) failed += run.outcome == "Completed" ? 0 : 1;
    CHECK(summary.formats == logs.formats);
    CHECK(summary.runs == logs.runs);
    CHECK(failed == logs.failed);
    CHECK(std::ranges::count(summary.skipped, "file", &SkippedLog::noun) == logs.left_out);
    check_values(logs, into.folder);
  }
}

TEST_CASE("parameters of a benchmark script without a measurement are not a log") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA names no folder with scaling/pydtnn");
    return;
  }
  test::LogFolder into;
  into.request = {.logs = {std::string(data) + "/scaling/pydtnn"}};
  CHECK_THAT(into.error(), Catch::Contains("is not recognised"));
}

}  // namespace dlscale::analysis
