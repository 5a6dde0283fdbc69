// SPDX-License-Identifier: Apache-2.0
// Tests of the messages between ranks and the coordinator, and of the coordinator's table.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/trainer/sync/horovod/ranks.hpp"
#include "trainer/sync/horovod/message_table.hpp"

using namespace dlscale;
using namespace dlscale::trainer::horovod;
using trainer::ElementType;

namespace {

const Request kWeight{"weight", ElementType::float32, {64, 3}, 0.5};

}  // namespace

TEST_CASE("requests and responses are unpacked as they were packed") {
  const RequestList sent{{kWeight, {"scalar", ElementType::bfloat16, {}, 0}}, true};
  const RequestList got = unpack_requests(pack(sent));
  REQUIRE(got.requests.size() == 2);
  CHECK(got.shut_down);
  CHECK(got.requests[0].name == "weight");
  CHECK(got.requests[0].same_layout(kWeight));
  CHECK(got.requests[0].waited_s == 0.5);
  CHECK(got.requests[0].count() == 192);
  CHECK(got.requests[1].layout() == "bfloat16 []");
  CHECK(got.requests[1].count() == 1);

  const auto answer = unpack_responses(
      pack(ResponseList{{{{"a", "b"}, ElementType::float16, 7, ""}, {{"c"}, {}, 0, "no"}}, false}));
  REQUIRE(answer.responses.size() == 2);
  CHECK(test::groups_of(answer.responses) == test::Groups{{"a", "b"}, {"c"}});
  CHECK(answer.responses[0].bytes() == 14);
  CHECK(answer.responses[1].error == "no");
  CHECK_FALSE(answer.shut_down);
}

TEST_CASE("a message that is cut short at any byte is an error") {
  const Bytes whole = pack(RequestList{{kWeight}, false});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    INFO(length);
    CHECK_THROWS_WITH(unpack_requests(part), "horovod: a message between ranks is cut short");
  }
}

TEST_CASE("a tensor is ready when the last rank has submitted it, and then leaves the table") {
  MessageTable table(3);
  for (const char* name : {"first", "second"}) {
    table.add(0, test::requests({name})[0], 0);
    table.add(2, test::requests({name})[0], 0);
  }
  CHECK(table.take_ready().empty());
  table.add(1, test::requests({"second"})[0], 0);
  table.add(1, test::requests({"first"})[0], 0);
  CHECK(test::groups_of(table.take_ready()) == test::Groups{{"second"}, {"first"}});
  CHECK(table.take_ready().empty());
  CHECK(table.stalled(0, 100).empty());
}

TEST_CASE("different shapes or types are an error that names the tensor and the ranks") {
  MessageTable table(3);
  table.add(0, kWeight, 0);
  table.add(1, kWeight, 0);
  table.add(2, {"weight", ElementType::float32, {3, 64}}, 0);
  CHECK(table.take_ready()[0].error ==
        "horovod: ranks disagree on \"weight\": rank 0 has float32 [64, 3], rank 2 has float32 "
        "[3, 64]");
  table.add(2, kWeight, 0);
  table.add(1, {"weight", ElementType::float64, {64, 3}}, 0);
  table.add(0, kWeight, 0);
  CHECK(table.take_ready()[0].error ==
        "horovod: ranks disagree on \"weight\": rank 0 has float32 [64, 3], rank 1 has float64 "
        "[64, 3]");
}

TEST_CASE("a stall is reported once per interval, with the tensors and the missing ranks") {
  MessageTable table(3);
  StallCheck check(60);
  table.add(1, {"b", ElementType::float32, {1}, 20}, 100);  // the rank submitted the tensor at 80 s
  table.add(0, test::requests({"a"})[0], 100);
  table.add(2, test::requests({"a"})[0], 130);
  CHECK_FALSE(check.warning(table, 139));
  CHECK(check.warning(table, 140) ==
        "horovod: some ranks have waited more than 60 s for other ranks to reduce \"b\" (missing: "
        "ranks 0, "
        "2)");
  CHECK_FALSE(check.warning(table, 199));
  CHECK(check.warning(table, 200) ==
        "horovod: some ranks have waited more than 60 s for other ranks to reduce \"a\" (missing: "
        "rank 1), "
        "\"b\" (missing: ranks 0, 2)");
  table.add(1, test::requests({"a"})[0], 201);
  table.add(0, test::requests({"b"})[0], 201);
  table.add(2, test::requests({"b"})[0], 201);
  table.take_ready();
  CHECK_FALSE(check.warning(table, 1000));
}
