// SPDX-License-Identifier: Apache-2.0
// Tests that launcher prefixes of each form do not change the content of a log of any format.
#include "analysis/import/reading/launcher_prefix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <set>

#include "analysis/import/reading/log_lines.hpp"
#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

/// Form of a launcher prefix. `line` counts from 0.
struct Form {
  const char* name;
  std::function<std::string(int rank, int line)> prefix;
};

std::string ctime_at(int line) {
  return fmt::format("Thu May {:2} 07:{:02}:{:02} 2020", 1 + line / 3600, line / 60 % 60,
                     line % 60);
}

std::string iso_at(int line) {
  return fmt::format("2024-05-01T07:{:02}:{:02}.{:09}", line / 60 % 60, line % 60, line);
}

using fmt::format;
const std::vector<Form> kForms{
    {"Open MPI 4", [](int r, int) { return format("[1,{}]<stdout>:", r); }},
    {"Open MPI 4, stderr", [](int r, int) { return format("[1,{}]<stderr>:", r); }},
    {"Open MPI 4 with time",
     [](int r, int l) { return format("{}[1,{}]<stdout>:", ctime_at(l), r); }},
    {"Open MPI 4, time alone", [](int, int l) { return ctime_at(l) + "<stdout>:"; }},
    {"Open MPI 5, time alone", [](int, int l) { return format("[{}]<stdout>: ", ctime_at(l)); }},
    {"Open MPI 5.0, no blank",
     [](int r, int) { return format("[prterun-cn01-629@1,{}]<stdout>:", r); }},
    {"Open MPI 5.0", [](int r, int) { return format("[prterun-cn01-629@1,{}]<stdout>: ", r); }},
    {"Open MPI 5, tag", [](int r, int) { return format("[1,{}]<stdout>: ", r); }},
    {"Open MPI 5, rank", [](int r, int) { return format("[{}]<stdout>: ", r); }},
    {"Open MPI 5, detailed",
     [](int r, int) { return format("[1,{}][cn{:02}:{}]<stdout>: ", r, r / 4, 4100 + r); }},
    {"Open MPI 5, detailed and full name",
     [](int r, int) { return format("[prterun-cn01-629@1,{}][cn01:41]<stdout>: ", r); }},
    {"Open MPI 5 with time",
     [](int r, int l) { return format("[{}][1,{}]<stdout>: ", ctime_at(l), r); }},
    {"horovodrun", [](int r, int) { return format("[{}]<stdout>:", r); }},
    {"horovodrun with time",
     [](int r, int l) { return format("{}[{}]<stderr>:", ctime_at(l), r); }},
    {"MPICH and Intel MPI", [](int r, int) { return format("[{}] ", r); }},
    {"rank in brackets", [](int r, int) { return format("[rank {}] ", r); }},
    {"torchrun", [](int r, int) { return format("[default{}]:", r); }},
    {"torchrun, role rank", [](int r, int) { return format("[rank{}]:", r); }},
    {"torchrun, role trainer", [](int r, int) { return format("[trainer{}]:", r); }},
    {"torchrun, template with a blank", [](int r, int) { return format("[rank{}]: ", r); }},
    {"torchrun, role and template with a blank",
     [](int r, int) { return format("[worker{}]: ", r); }},
    {"torchrun, role with a hyphen", [](int r, int) { return format("[actor-node{}]:", r); }},
    {"srun", [](int r, int) { return format("{}: ", r); }},
    {"srun, padded", [](int r, int) { return format(" {}: ", r); }},
    {"srun, padded by zeros", [](int r, int) { return format("{:03}: ", r); }},
    {"srun, heterogeneous group", [](int r, int) { return format("P0 {}: ", r); }},
    {"PALS", [](int r, int) { return format("x3005c0s7b0n{} {}: ", r / 4, r); }},
    {"pdsh", [](int r, int) { return format("node{:02}: ", r + 9); }},
    {"pdsh, name without digits", [](int, int) { return "alpha: "; }},
    {"pdsh, address", [](int r, int) { return format("10.0.0.{}: ", r + 9); }},
    {"pdsh, qualified name", [](int r, int) { return format("gpu-{}.example.org: ", r); }},
    {"clush", [](int r, int) { return format("node[{}-{},9]: ", r, r + 3); }},
    {"pdsh and torchrun",
     [](int r, int) { return format("worker-{}: [default{}]:", r / 2, r % 2); }},
    {"srun and torchrun", [](int r, int) { return format("{}: [default{}]:", r / 2, r % 2); }},
    {"docker compose", [](int r, int) { return format("trainer-{}  | ", r + 1); }},
    {"kubectl --prefix", [](int r, int) { return format("[pod/job-worker-{}/pytorch] ", r); }},
    {"kubectl --prefix and mpirun",
     [](int r, int) { return format("[pod/job-launcher-x7/mpi] [1,{}]<stdout>:", r); }},
    {"Ray", [](int r, int) { return format("(RayTrainWorker pid={}) ", 4000 + r); }},
    {"Ray, coloured",
     [](int r, int) { return format("\x1b[36m(Worker pid={}, ip=10.0.0.1)\x1b[0m ", 4000 + r); }},
    {"kubectl and docker --timestamps", [](int, int l) { return iso_at(l) + "Z "; }},
    {"time with zone", [](int, int l) { return iso_at(l) + "+02:00 "; }},
    {"ts", [](int, int l) { return ctime_at(l).substr(4, 15) + " "; }},
    {"ts with a date",
     [](int, int l) { return format("2024-05-01 07:{:02}:{:02} ", l / 60 % 60, l % 60); }},
    {"ts with brackets",
     [](int, int l) { return format("[2024-05-01 07:{:02}:{:02}] ", l / 60 % 60, l % 60); }},
    {"ts -s", [](int, int l) { return format("00:{:02}:{:02} ", l / 60 % 60, l % 60); }},
    {"ts %.s", [](int, int l) { return format("{}.{:06} ", 1589991234 + l, l); }},
    {"syslog",
     [](int r, int l) { return ctime_at(l).substr(4, 15) + format(" node{} run[77]: ", r); }},
    {"time and srun", [](int r, int l) { return iso_at(l) + format("Z  {}: ", r); }},
    {"time and torchrun", [](int r, int l) { return iso_at(l) + format("Z [rank{}]:", r); }},
    {"pdsh and time",
     [](int r, int l) { return format("node{}: ", r) + ctime_at(l).substr(4, 15) + " "; }},
};

constexpr std::size_t kOfRealLogs = 100'000;  // maximum bytes per real log, to keep the test short

bool names_process(const Form& form) {
  return form.prefix(0, 0) != form.prefix(1, 0);
}

/// Returns the records except the summary in the first record. Each record is converted to a line
/// of text, so that NaN equals NaN.
std::multiset<std::string> records_of(const char* format, const std::string& text) {
  const LogContent log = read_log(format, text, run_of(4, 64));
  std::multiset<std::string> lines;
  for (std::size_t i = 1; i < log.file.records.size(); ++i) {
    lines.insert(std::to_string(log.file.record_lines[i]) + " " +
                 contract::to_json_line(log.file.records[i]));
  }
  for (const CollectiveResult& r : log.collectives) {
    lines.insert(fmt::format("{} {} {}", r.line, r.size_bytes, r.time_s));
  }
  for (const AccountedJob& job : log.jobs) lines.insert(job.job_id);
  for (const auto& [name, value] : log.facts) lines.insert(name + "=" + value);
  for (const std::string& skipped : log.file.skipped) lines.insert(skipped);
  return lines;
}

std::string behind_prefixes(const std::string& text, const Form& form) {
  std::string result;
  int count = 0;
  for (LogLines lines(text); lines.next();) {
    result += form.prefix(0, count++);
    result += lines.line().with_end;
  }
  return result;
}

bool has_several_lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n') > 1;
}

/// Returns true if a launcher starts the programs that write the format. Batch systems write their
/// accounting without a launcher.
bool is_of_program(const std::string& format) {
  return base::find(log_formats(), "log format", format).of_training;
}

const char* format_of(const std::string& text) {
  const std::string_view head = std::string_view(text).substr(0, std::size_t{64} << 10);
  for (const LogFormat* format : log_formats()) {
    if (format->recognises(head)) return format->name;
  }
  return nullptr;
}

std::string bare(const std::string& text) {
  return without_launcher_prefixes(text);
}

const LogSample& find_sample(const std::string& format) {
  return *std::find_if(log_samples().begin(), log_samples().end(),
                       [&](const LogSample& sample) { return sample.format == format; });
}

/// Removes the prefixes from lines that no format recognises.
std::string bare_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return without_launcher_prefixes(text);
}

}  // namespace

TEST_CASE("each prefix leaves the records of a log of each format unchanged") {
  for (const LogSample& sample : log_samples()) {
    if (!has_several_lines(sample.text) || !is_of_program(sample.format)) continue;
    const auto plain = records_of(sample.format.c_str(), sample.text);
    CHECK_FALSE(plain.empty());
    for (const Form& form : kForms) {
      INFO(sample.format << " behind the prefix of " << form.name);
      const std::string text = behind_prefixes(sample.text, form);
      CHECK(bare(text) == sample.text);
      CHECK(records_of(sample.format.c_str(), text) == plain);
    }
  }
}

TEST_CASE("each prefix leaves the records of a real log unchanged") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) return test::skip("DLSCALE_TEST_DATA names no folder of real logs");
  const auto folder = std::filesystem::path(data) / "trainer-logs";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::string text = base::read_file(entry.path());
    const char* const name = format_of(text);
    if (name == nullptr || !is_of_program(name)) continue;
    if (text.size() > kOfRealLogs) text.resize(text.rfind('\n', kOfRealLogs) + 1);
    const bool has_own = text.find("[rank0]:") != text.npos;  // PyTorch's prefix
    if (!has_own) CHECK(bare(text) == text);
    const auto plain = records_of(name, text);
    for (const Form& form : kForms) {
      INFO(entry.path() << " behind the prefix of " << form.name);
      CHECK(records_of(name, behind_prefixes(text, form)) == plain);
    }
  }
}

TEST_CASE("only one of several processes with interleaved equal lines counts, in every format") {
  for (const LogSample& sample : log_samples()) {
    const bool is_alike = sample.of_each_rank.empty();
    if (!is_alike || !has_several_lines(sample.text) || !is_of_program(sample.format)) continue;
    for (const Form& form : kForms) {
      if (!names_process(form)) continue;
      INFO(sample.format << " behind the prefix of " << form.name);
      std::string mixed;
      int count = 0;
      for (LogLines lines(sample.text); lines.next(); ++count) {
        for (const int rank : {2, 0, 3, 1}) {
          mixed += form.prefix(rank, count);
          mixed += lines.line().with_end;
        }
      }
      const LogContent log = read_log(sample.format.c_str(), mixed, run_of(4, 64));
      const LogContent once = read_log(sample.format.c_str(), sample.text, run_of(4, 64));
      CHECK(log.file.records.size() == once.file.records.size());
      CHECK(log.collectives.size() == once.collectives.size());
      CHECK(log.facts == once.facts);
    }
  }
}

TEST_CASE("a log without prefixes stays unchanged, in every format") {
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    CHECK(bare(sample.text) == sample.text);
    std::string many;
    while (many.size() < 200'000) many += sample.text;
    CHECK(bare(many) == many);
  }
}

TEST_CASE("program text that resembles a prefix stays") {
  const std::vector<std::vector<std::string>> texts{
      {"0: loss 6.9", "1: loss 6.5", "2: loss 6.1", "3: loss 5.8"},
      {"[0] train 6.9", "[0] test 6.8", "[1] train 6.5", "[1] test 6.4", "[2] train 6",
       "[2] test 6"},
      {"[Epoch1]:6.9", "[Epoch2]:6.5", "[Epoch3]:6.1"},
      {"Epoch: 0 loss 6.9", "Epoch: 1 loss 6.5", "Epoch: 2 loss 6.1"},
      {"epoch1: 6.9", "epoch1: 6.5", "epoch2: 6.1", "epoch2: 5.9"},
      {"top1: 6.9", "top5: 6.5", "top1: 6.1", "top5: 6.0"},
      {"learning-rate: 0.1", "batch-size: 32", "weight-decay: 0.1"},
      {"2024-05-01 07:00:00,123 - INFO - a", "2024-05-01 07:00:01,456 - INFO - b"},
      {"[2024-05-01 07:00:00,123] [INFO] [Rank 0] a", "[2024-05-01 07:00:01,123] [INFO] b"},
      {"INFO:root:a", "INFO:root:b", "WARNING:root:c"},
      {"8388608 2097152 float", "16777216 4194304 float"},
      {"10\timages/sec: 5", "20\timages/sec: 6"},
      {"7:loss", "7:loss"},
      {"a", "[1] b", "c", "node1: d", "e", "2024-05-01T07:00:00Z f"},
  };
  for (const auto& lines : texts) {
    INFO(lines.front());
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    CHECK(bare_lines(lines) == text);
  }
}

TEST_CASE("a user's pattern that needs the prefix receives it") {
  const std::string text = "0: rate 5\n0: rate 6\n1: rate 7\n0: rate 8\n";
  CHECK(without_launcher_prefixes(
            text, [](std::string_view head) { return head.find("0: rate") != head.npos; }) == text);
  CHECK(bare("0: rate 5\n0: rate 6\n0: rate 8\n") == "rate 5\nrate 6\nrate 8\n");
}

TEST_CASE("a space after the tag belongs to the launcher only if all lines have it") {
  CHECK(bare_lines({"[1,0]<stdout>:a", "[1,0]<stdout>: b", "[1,0]<stdout>:"}) == "a\n b\n\n");
  CHECK(bare_lines({"[1,0]<stdout>: a", "[1,0]<stdout>:  b", "[1,0]<stdout>: "}) == "a\n b\n\n");
  CHECK(bare_lines({"[prterun-a-7@1,0]<stdout>:a", "[prterun-a-7@1,0]<stdout>: b"}) == "a\n b\n");
}

TEST_CASE("a host that first writes late is recognised, whatever its name") {
  std::string text, plain;
  for (int i = 0; i < 9'000; ++i) {
    text += "login-7: waiting\n";
    plain += "waiting\n";
  }
  const std::string both = bare(text + "gpu07: loss 6.9\n");
  CHECK(bare(text) == plain);
  CHECK(both.ends_with("loss 6.9\n"));
  CHECK(both.find("gpu07: ") == both.npos);
}

TEST_CASE("lines without a prefix among prefixed lines stay") {
  CHECK(bare_lines({"srun: job 7 queued", "0: a", "0: b", "0: c", "0: d", "0: e", "0: f"}) ==
        "srun: job 7 queued\na\nb\nc\nd\ne\nf\n");
  CHECK(bare_lines({"+ mpirun", "x", "y", "[1,0]<stdout>:a", "z"}) == "+ mpirun\nx\ny\na\nz\n");
}

TEST_CASE("a rank before few lines is a prefix if a format recognises the lines after it") {
  const std::string& sample = find_sample("gnmt").text;
  std::string text, dump;
  for (int i = 0; i < 100; ++i) dump += "  (" + std::to_string(i) + "): LSTM(1024, 1024)\n";
  for (LogLines lines(sample); lines.next();) {
    text += "0: " + std::string(lines.line().with_end);
  }
  CHECK(bare("0: GNMT(\n" + dump + text) == "GNMT(\n" + dump + sample);
  CHECK(bare("0: GNMT(\n" + dump + "0: a\n0: b\n") == "0: GNMT(\n" + dump + "0: a\n0: b\n");
}

TEST_CASE("a certain prefix is found after many lines of the job script") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "package 1.2.3 is installed\n";
  CHECK(bare(text + "[1,0]<stdout>:a\n") == text + "a\n");
}

TEST_CASE("a doubtful prefix is found after many unprefixed lines of other programs") {
  const auto torchvision = [](const char* prefix) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += std::string(prefix) + "layer of the model\n";
    for (const char* line :
         {"Start training",
          "Epoch: [0]  [ 0/20]  eta: 0:00:40  lr: 0.1  img/s: "
          "72.1  loss: 6.9 (6.95)  acc1: 0.0 (0.2)  acc5: 0.5 (0.9)  time: 0.4  "
          "data: 0.01  max mem: 4321",
          "Epoch: [0] Total time: 0:00:10", " * Acc@1 1.5 Acc@5 4.5", "Training time 0:00:12"}) {
      text += std::string(prefix) + line + "\n";
    }
    return text;
  };
  std::string noise;
  for (int i = 0; noise.size() < 200'000; ++i) {
    noise += "node0:100:" + std::to_string(i) + " [0] NCCL INFO Channel 00/16 via P2P\n";
  }
  for (const char* prefix : {"0: ", "[0] ", "alpha: ", "node07: "}) {
    INFO(prefix);
    CHECK(bare(noise + torchvision(prefix)) == noise + torchvision(""));
  }
  CHECK(bare(noise + torchvision("")) == noise + torchvision(""));
}

TEST_CASE("a space after a tag belongs to the launcher even if empty lines lack it") {
  CHECK(bare("[rank0]: a\n[rank0]:\n[rank0]:  b\n") == "a\n\n b\n");
  CHECK(bare("[rank0]:a\n[rank0]: b\n") == "a\n b\n");
}

TEST_CASE("readers get the rank and host of a line from several processes") {
  const std::string text =
      bare_lines({"worker-0: [default0]:a", "worker-1: [default0]:b", "worker-1: [default1]:c"});
  LogLines lines(text);
  REQUIRE(lines.next());
  CHECK(lines.line().text == "a");
  CHECK(lines.line().rank == 0);
  CHECK(lines.line().host == "worker-0");
  REQUIRE(lines.next());
  CHECK(lines.line().text == "b");
  CHECK(lines.line().host == "worker-1");
  REQUIRE(lines.next());
  CHECK(lines.line().rank == 1);
  CHECK(lines.line().number == 3);
  CHECK(lines.line().with_end == "c\n");
  CHECK_FALSE(lines.next());
}

TEST_CASE("bytes that only resemble a process mark stay text") {
  for (const char* text : {"\x1e", "\x1e\x1f",
                           "\x1e"
                           "1\x1f",
                           "\x1ex\x1fy\x1fz",
                           "\x1e"
                           "99999999999\x1f\x1f"}) {
    LogLines lines(text);
    REQUIRE(lines.next());
    CHECK(lines.line().text == text);
    CHECK_FALSE(lines.line().has_process());
  }
}

}  // namespace dlscale::analysis
