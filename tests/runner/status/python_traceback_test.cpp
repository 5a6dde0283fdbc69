// SPDX-License-Identifier: Apache-2.0
// Tests of the search for Python tracebacks among other lines of a log.
#include "runner/status/failure_words.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

using dlscale::runner::traceback_parts;
using dlscale::runner::TracebackPart;

namespace {

/// Returns one letter for each line: "." none, "f" frame, "e" exception, "i" ignored.
std::string parts_of(const std::vector<std::string_view>& lines) {
  std::string letters;
  for (const TracebackPart part : traceback_parts(lines)) {
    letters += ".fei"[static_cast<int>(part)];
  }
  return letters;
}

constexpr std::string_view kBegin = "Traceback (most recent call last):";

}  // namespace

TEST_CASE("the line after the frames of a traceback is its exception") {
  CHECK(parts_of({"epoch 1", kBegin, "  File \"a.py\"", "    x()", "a.Stop: done", "end"}) ==
        "..ffe.");
  CHECK(parts_of({kBegin, "  File \"a.py\"", "KeyboardInterrupt"}) == ".fe");
  CHECK(parts_of({kBegin, "  File \"a.py\""}) == ".f");
  CHECK(parts_of({"ValueError: no traceback"}) == ".");
}

TEST_CASE("prefixes separate the tracebacks of two ranks") {
  CHECK(parts_of({"[rank0]: Traceback (most recent call last):", "[rank0]:   File \"a.py\"",
                  "[rank1]: Traceback (most recent call last):", "[rank0]: a.Stop: one",
                  "[rank1]:   File \"a.py\"", "[rank1]: b.Stop: two"}) == ".f.efe");
}

TEST_CASE("lines of loggers and progress within a traceback do not end it") {
  CHECK(parts_of({kBegin, "  File \"a.py\"", "INFO: loading", "epoch 1 loss 2", "Stop: x"}) ==
        ".f..e");
}

TEST_CASE("an exception in a destructor is ignored, and the next exception is not") {
  CHECK(parts_of({"Exception ignored in: <function f>", kBegin, "  File \"a.py\"",
                  "AssertionError: x", kBegin, "  File \"b.py\"", "ValueError: y"}) == "iiii.fe");
  CHECK(parts_of({"Exception ignored in: <_io.TextIOWrapper>",
                  "BrokenPipeError: [Errno 32] Broken pipe", "ValueError: y"}) == "ii.");
}

TEST_CASE("each traceback of a chain has its exception") {
  CHECK(parts_of({kBegin, "  File \"a.py\"", "KeyError: 1", "",
                  "During handling of the above exception, another exception occurred:", "", kBegin,
                  "  File \"a.py\"", "ValueError: 2"}) == ".fe....fe");
}
