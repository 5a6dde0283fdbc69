// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/foreign_text.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "analysis/import/foreign_log.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"
#include "tests/support/limited_memory.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Writes a short line, a line of `mib` MiB, and another short line.
fs::path write_long_line(const fs::path& folder, std::size_t mib) {
  const fs::path path = folder / "long.log";
  std::ofstream file(path, std::ios::binary);
  const std::string block(kMebibyte, 'x');
  file << "first\n";
  for (std::size_t i = 0; i < mib; ++i) file << block;
  file << "\nlast\n";
  return path;
}

void write(const fs::path& path, const std::string& text) {
  base::make_directories(path.parent_path());
  base::write_file_atomically(path, text);
}

}  // namespace

TEST_CASE("a line longer than the available memory is cut and reported") {
  const test::TempDir temp;
  const fs::path path = write_long_line(temp.path(), 256);
  const int good = test::with_memory(48 * kMebibyte, [&] {
    const ForeignText foreign = read_foreign(path);
    LogLines lines(foreign.text);
    int matches = foreign.problem.empty() && lines.next() && lines.line().text == "first" ? 1 : 0;
    matches += lines.next() && lines.line().text.size() > kLongestLine ? 1 : 0;
    return matches + (lines.next() && lines.line().text == "last" ? 1 : 0);
  });
  CHECK(good == 3);
}

TEST_CASE("a large progress bar is kept, because carriage returns separate lines") {
  const test::TempDir temp;
  std::string text = "first\n";
  while (text.size() < 80 * kMebibyte) text += "bar " + std::string(95, '#') + "\r";
  text += "bar done\nlast\n";
  write(temp / "bar.log", text);
  CHECK(read_foreign(temp / "bar.log").text == text);
  const std::string longest(3 * kMebibyte, 'x');
  write(temp / "bar.log", text + longest + "\rend\n");
  const std::string cut = read_foreign(temp / "bar.log").text;
  CHECK(cut.size() < text.size() + 2 * kMebibyte);
  CHECK(cut.ends_with("x\rend\n"));
}

TEST_CASE("a large mapped log has the SHA-256 of its bytes, and a binary log has no text") {
  const test::TempDir temp;
  const fs::path path = write_long_line(temp.path(), 65);
  CHECK(read_foreign(path).sha256 == contract::sha256_hex(base::read_file(path)));
  fs::resize_file(path, 0);
  fs::resize_file(path, 70 * kMebibyte);  // the file is sparse and contains only zeros
  const ForeignText zeros = read_foreign(path);
  CHECK(zeros.problem == "is not a text file (byte 1 is 0)");
  CHECK(zeros.text.empty());
}

TEST_CASE("a zero byte is found anywhere in read and mapped files") {
  const test::TempDir temp;
  std::string text(200'000, 'x');
  text[150'000] = '\0';
  write(temp.path() / "a.log", text);
  CHECK(read_foreign(temp.path() / "a.log").problem == "is not a text file (byte 150001 is 0)");
  const fs::path path = write_long_line(temp.path(), 65);
  std::ofstream(path, std::ios::binary | std::ios::app) << std::string("a\0b\n", 4);
  const ForeignText mapped = read_foreign(path);
  CHECK_THAT(mapped.problem, Catch::StartsWith("is not a text file (byte 68157"));
  CHECK(mapped.text.empty());
}

TEST_CASE("a byte order mark is removed from a log") {
  const test::TempDir temp;
  write(temp.path() / "a.log", "\xef\xbb\xbfs:0 trl:10.5\n");
  CHECK(head_of(temp.path() / "a.log") == "s:0 trl:10.5\n");
  CHECK(read_foreign(temp.path() / "a.log").text == "s:0 trl:10.5\n");
}

TEST_CASE("an unreadable file is named with the system's error") {
  const test::TempDir temp;
  write(temp.path() / "a.log", "a\n");
  CHECK(refusal_of(temp.path() / "a.log").empty());
  fs::create_symlink("/proc/self/mem", temp.path() / "b.log");  // reading at offset 0 fails
  CHECK(refusal_of(temp.path() / "b.log") == "Input/output error");
  const ForeignText refused = read_foreign(temp.path() / "b.log");
  CHECK(refused.problem == "cannot be read: Input/output error");
  CHECK(refused.is_unreadable);
}

TEST_CASE("benchmark.para next to a log gives its GPUs and batch if they are numbers") {
  const test::TempDir temp;
  write(temp.path() / "benchmark.para", "GLOBAL_BATCH 2560\nGPU 8\nNODE x\n");
  CHECK(facts_beside(temp.path() / "a.txt") == AxisValues{{"global_batch", "2560"}, {"gpus", "8"}});
  write(temp.path() / "benchmark.para", "GLOBAL_BATCH many\nGPU 0\n");
  CHECK(facts_beside(temp.path() / "a.txt").empty());
  CHECK(facts_beside(temp.path() / "elsewhere" / "a.txt").empty());
}

TEST_CASE("the description of an MLPerf system gives accelerators and nodes, if it is valid") {
  const test::TempDir temp;
  const fs::path log = temp.path() / "results" / "2xA" / "resnet" / "result_0.txt";
  const fs::path system = temp.path() / "systems" / "2xA.json";
  write(system, "{\"number_of_nodes\": \"2\", \"accelerators_per_node\" : 4}");
  CHECK(facts_beside(log) == AxisValues{{"gpus", "8"}, {"nodes", "2"}});
  write(system, "{\"number of nodes\": \"2\", \"accelerators_per_node\": \"N/A\"}");
  CHECK(facts_beside(log) == AxisValues{{"nodes", "2"}});
  write(system, "{\"number_of_nodes\": 2, \"accelerator_model_name\": \"A100-SXM4\"}");
  CHECK(facts_beside(log) == AxisValues{{"gpu", "A100-SXM4"}, {"nodes", "2"}});
  write(system, "{\"number_of_nodes\": \"2\", ");
  CHECK(facts_beside(log).empty());
}

}  // namespace dlscale::analysis
