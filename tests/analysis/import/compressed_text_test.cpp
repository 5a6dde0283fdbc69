// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/foreign_text.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "contract/run_spec/run_id.hpp"
#include "tests/analysis/support/compressed.hpp"
#include "tests/analysis/support/log_folder.hpp"
#include "tests/support/limited_memory.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::compressed;
using test::kCompressingPrograms;
using test::LogFolder;

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string numbers(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

/// Returns the text, or nothing if the bytes are damaged.
std::optional<std::string> decompressed(const std::string& bytes) {
  std::string text;
  const bool is_good = decompress(bytes, [&text](std::string_view block) {
    text += block;
    return true;
  });
  return is_good ? std::optional(text) : std::nullopt;
}

std::string problem_of(const test::TempDir& temp, const std::string& bytes) {
  base::write_file_atomically(temp / "a.log", bytes);
  return read_foreign(temp / "a.log").problem;
}

}  // namespace

TEST_CASE("compressed files are recognised by their first bytes") {
  for (const std::string program : kCompressingPrograms) {
    CHECK(compression_of(compressed(program, "1\n")) == program);
    CHECK(compression_of(compressed(program, "")) == program);
  }
  CHECK(compression_of("\x50\x2a\x4d\x18\x01\0\0\0x") == "zstd");  // first frame of pzstd
  for (const char* text : {"", "B", "BZh9 is no archive", "\x1f\x8b", "epoch,loss\n1,2\n"}) {
    CHECK(compression_of(text).empty());
    CHECK_FALSE(decompressed(text));
  }
}

TEST_CASE("all members and frames of a compressed file form one text") {
  const std::string text = numbers(300);
  for (const std::string program : kCompressingPrograms) {
    INFO(program);
    const std::string whole =
        compressed(program, text) + compressed(program, "") + compressed(program, "the end\n");
    CHECK(decompressed(whole) == text + "the end\n");
  }
}

TEST_CASE("a truncated compressed file is damaged at every length") {
  for (const std::string program : kCompressingPrograms) {
    const std::string whole = compressed(program, numbers(300));
    for (std::size_t size = 10; size < whole.size(); ++size) {
      INFO(program << ", the first " << size << " of " << whole.size() << " bytes");
      if (decompressed(whole.substr(0, size))) FAIL("it is taken for a whole one");
    }
    const std::string two = whole + whole.substr(0, whole.size() - 1);
    CHECK_FALSE(decompressed(two));
  }
}

TEST_CASE("a compressed file with a changed byte or with trailing data is damaged") {
  for (const std::string program : kCompressingPrograms) {
    INFO(program);
    const std::string whole = compressed(program, numbers(3000));
    std::string changed = whole;
    changed[changed.size() / 2] ^= 0x10;
    if (program != "zstd") CHECK_FALSE(decompressed(changed));  // Boost adds no checksum
    CHECK_FALSE(decompressed(whole + "more"));
  }
}

TEST_CASE("zeros after the last member of a gzip file are accepted") {
  const std::string text = numbers(300), two = compressed("gzip", text) + compressed("gzip", "b\n");
  for (const std::size_t zeros : {1, 3, 8, 511, 200'000}) {
    INFO(zeros);
    CHECK(decompressed(compressed("gzip", text) + std::string(zeros, '\0')) == text);
    CHECK(decompressed(two + std::string(zeros, '\0')) == text + "b\n");
    CHECK(decompressed(compressed("gzip", "") + std::string(zeros, '\0')) == "");
    CHECK_FALSE(decompressed(compressed("gzip", text) + std::string(zeros, '\0') + "x"));
    CHECK_FALSE(decompressed(compressed("gzip", text) + "x" + std::string(zeros, '\0')));
  }
  std::string damaged = two;
  damaged[compressed("gzip", text).size()] = 'x';  // byte of the second member's header
  CHECK_FALSE(decompressed(damaged));
  CHECK_FALSE(decompressed(damaged + std::string(512, '\0')));
}

TEST_CASE("a compressed log has the text of the plain log and the SHA-256 of its own file") {
  const test::TempDir temp;
  for (const std::string program : kCompressingPrograms) {
    const std::string bytes = compressed(program, "\xef\xbb\xbfs:0 trl:10.5\n");
    base::write_file_atomically(temp / "a.log", bytes);
    const ForeignText foreign = read_foreign(temp / "a.log");
    CHECK(foreign.text == "s:0 trl:10.5\n");
    CHECK(foreign.sha256 == contract::sha256_hex(bytes));
    CHECK(foreign.problem.empty());
    CHECK(head_of(temp / "a.log") == "s:0 trl:10.5\n");
  }
}

TEST_CASE("the head of a compressed log is that of its text, even for larger blocks") {
  const test::TempDir temp;
  const std::string text = numbers(200'000);
  for (const std::string program : kCompressingPrograms) {
    base::write_file_atomically(temp / "a.log", compressed(program, text));
    const std::string head = head_of(temp / "a.log");
    CHECK(head.size() >= std::size_t{64} * 1024);
    CHECK(text.starts_with(head));
    CHECK(head_problem_of(temp / "a.log").why.empty());
  }
}

TEST_CASE("binary content is named, compressed or not") {
  const test::TempDir temp;
  std::string tar(1024, '\0');
  tar.replace(257, 5, "ustar");
  CHECK(problem_of(temp, tar) == "is a tar archive; unpack it and name the folder");
  CHECK(problem_of(temp, "PK\x03\x04 and so on") ==
        "is a zip archive; unpack it and name the folder");
  for (const std::string program : kCompressingPrograms) {
    CHECK(problem_of(temp, compressed(program, tar)) ==
          "is a tar archive; unpack it and name the folder");
    CHECK(problem_of(temp, compressed(program, "")) == "is empty");
    const std::string zero = numbers(20'000) + std::string("a\0", 2);
    CHECK(problem_of(temp, compressed(program, zero)) ==
          "is not a text file (byte " + std::to_string(zero.size()) + " is 0)");
    const std::string whole = compressed(program, numbers(300));
    CHECK_THAT(problem_of(temp, whole.substr(0, whole.size() - 5)),
               Contains("is a damaged or incomplete " + program + " file") &&
                   Contains("; run " + program + " -t for details"));
    CHECK(head_problem_of(temp / "a.log").is_damage);
  }
}

TEST_CASE("a small file that expands beyond the limit is rejected without the memory for it") {
  const test::TempDir temp;
  std::string text(64 * kMiB, 'x');
  for (std::size_t end = 1023; end < text.size(); end += 1024) text[end] = '\n';
  const std::string member = compressed("zstd", text);
  text = {};
  std::string bytes;
  for (int i = 0; i < 33; ++i) bytes += member;
  base::write_file_atomically(temp / "bomb.log", bytes);
  CHECK(bytes.size() < kMiB);
  const int good = test::with_memory(300 * kMiB, [&] {
    const ForeignText foreign = read_foreign(temp / "bomb.log");
    return foreign.text.empty() &&
           foreign.problem == "has more than the allowed 2147483648 bytes when decompressed";
  });
  CHECK(good == 1);
}

TEST_CASE("long lines of a large compressed log are cut like those of a plain log") {
  const test::TempDir temp;
  const std::string text = "first\n" + std::string(70 * kMiB, 'x') + "\nlast\n";
  base::write_file_atomically(temp / "plain.log", text);
  base::write_file_atomically(temp / "packed.log", compressed("zstd", text));
  const std::string plain = read_foreign(temp / "plain.log").text;
  CHECK(plain.size() < 2 * kMiB);
  CHECK((read_foreign(temp / "packed.log").text == plain));
}

TEST_CASE("compressed tables are imported and collected like plain tables") {
  LogFolder logs;
  logs.request.mapped.columns = {{"gpus", "g"}, {"samples_per_s", "rate"}};
  logs.request.axes = {};
  for (const std::string program : kCompressingPrograms) {
    logs.request.axes = {"program=(\\w+)\\.csv"};
    logs.write(program + ".csv", compressed(program, "g,rate\n1,100\n2,180\n4,320\n"));
  }
  CHECK(logs.import().runs == 12);
  const IngestSummary summary = ingest(logs.folder);
  CHECK(summary.problems.empty());
  for (const RunRow& run : read_frame(logs.folder).runs) {
    CHECK(run.outcome == "Completed");
    if (run.gpus == 4) CHECK(1 / seconds_per_sample(run) == Approx(320));
  }
  CHECK(logs.import().unchanged == 12);
}

TEST_CASE("a compressed log of a known format is recognised, and a damaged one is a failed run") {
  LogFolder logs;
  logs.request = {.logs = {logs.logs()}, .stated = {"gpus=1"}};
  std::string jobs = "JobID|State|ExitCode|Elapsed|AllocTRES\n";
  for (int i = 1; i < 30'000; ++i) {
    jobs += std::to_string(i) + "|COMPLETED|0:0|00:01:00|gres/gpu=" + std::to_string(i % 7) + "\n";
  }
  const std::string whole = compressed("gzip", jobs);
  const std::string path = logs.write("jobs.gz", whole.substr(0, whole.size() / 2));
  const std::string damage = "is a damaged or incomplete gzip file; run gzip -t for details";
  CHECK(logs.import().warnings == std::vector<std::string>{path + ": " + damage});
  ingest(logs.folder);
  const Frame frame = read_frame(logs.folder);
  REQUIRE(frame.runs.size() == 1);
  CHECK(frame.runs[0].outcome == "Failed");
}

TEST_CASE("a compressed file with an unreadable head is skipped and makes the import incomplete") {
  LogFolder logs;
  logs.write_step("b16_g2/run1.csv");
  logs.write("other/run2.csv.gz", compressed("gzip", numbers(300)).substr(0, 40));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  CHECK_FALSE(summary.is_complete());
  CHECK_THAT(base::describe_skipped(tally_of(summary.skipped)),
             Contains("Skipped 1 file: is a damaged or incomplete gzip file"));
}

}  // namespace dlscale::analysis
