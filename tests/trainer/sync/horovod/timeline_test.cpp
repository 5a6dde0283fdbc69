// SPDX-License-Identifier: Apache-2.0
// Tests of the trace of the processing of tensors.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/sync/horovod/timeline.hpp"

using namespace dlscale;
using trainer::horovod::Timeline;

TEST_CASE("a trace has a row for each tensor, Horovod's names and times in microseconds") {
  const test::TempDir folder;
  const auto path = folder.path() / "timeline.json";
  test::FakeClock clock;
  clock.now_s = 5;
  {
    Timeline timeline(path, clock);
    timeline.cycle_start();
    clock.now_s = 5.001;
    timeline.cycle_start();
    clock.now_s = 5.0015;
    timeline.begin_negotiation("w\"1");
    timeline.rank_ready("w\"1", 2);
    timeline.begin_negotiation("w\"1");
    timeline.end_negotiation("w\"1");
    timeline.end_negotiation("w\"1");
    timeline.begin({"w\"1"});
    timeline.end({"w\"1"});
  }
  CHECK(base::read_file(path) ==
        R"([
{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "w\"1"}},
{"ph": "i", "name": "CYCLE_START", "ts": 1000, "pid": 0, "tid": 0},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1500, "pid": 1, "tid": 0},
{"ph": "i", "name": "2", "ts": 1500, "pid": 1, "tid": 0},
{"ph": "E", "ts": 1500, "pid": 1, "tid": 0},
{"ph": "B", "name": "ALLREDUCE", "ts": 1500, "pid": 1, "tid": 0},
{"ph": "E", "ts": 1500, "pid": 1, "tid": 0}
]
)");
}

TEST_CASE("a trace that cannot be written is an error at the start") {
  const test::FakeClock clock;
  CHECK_THROWS_WITH(Timeline("/nowhere/at/all.json", clock),
                    "/nowhere/at/all.json: cannot be written");
}
