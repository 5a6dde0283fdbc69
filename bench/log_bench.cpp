// SPDX-License-Identifier: Apache-2.0
// Benchmark of the speed at which logs of other programs are read on one core, by format.
// usage: log_bench [MB [format]]
// A log is the test sample of its format. The part of the sample that reports steps, epochs,
// results or jobs is repeated until the log has the given size (default: 200 MB). The program reads
// two versions of the log. In the first version the repeated lines directly follow each other. In
// the second version nine lines of other output follow each repeated line, as in most real logs.
// The numbers of steps and epochs and the times increase from copy to copy, because readers count a
// repeated number only once. At the end the program reads logs whose format a user describes with a
// regular expression, columns of CSV or keys of JSON.
// Times are the processor time of the reader alone. The number of records includes the results of
// collectives and jobs. A record takes half a kilobyte. The last two columns show the number of
// records from the first copy and the average number of records from the other copies. These
// numbers show whether the reader counts the copies. The reader does not count copies if a program
// reports one result for the whole run. (For sacct, the records of the first copy include the end
// of the log.)
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/import/mapped/mapped_format.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

using namespace dlscale;

namespace {

constexpr std::string_view kOther =
    "2024-03-01 12:00:00,123 - INFO - worker 17 has read shard 00123 of the training set\n";
constexpr int kOthers = 9;  ///< number of other lines after each repeated line

double processor_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A number that increases from copy to copy.
struct Advance {
  std::string_view before;  ///< text before the number; "\n": the number begins a line
  std::int64_t by = 0;
};

/// The part of a sample that is repeated. The rest of the sample appears once.
struct Repeated {
  std::string_view format;
  std::string_view from = {}, until = {};  ///< first text of the part, text after it; "": all
  std::vector<Advance> advances = {};
};

const std::vector<Repeated>& repeated() {
  static const std::vector<Repeated> all{
      {"mlperf",
       R"(:::MLLOG {"namespace": "", "time_ms": 1000, "event_type": "POINT_IN_TIME", "key": )"
       R"("epoch_start")",
       R"(:::MLLOG {"namespace": "", "time_ms": 12000)",
       {{R"("time_ms": )", 10'000}, {R"("epoch_num": )", 2}}},
      {"dllogger",
       "DLL 2024-05-02 04:40:53",
       "DLL 2024-05-02 04:41:01",
       {{"Epoch: ", 1}, {R"("step": [)", 1}}},
      {"torchvision", "Epoch: [0]", "Training time", {{"Epoch: [", 2}}},
      {"timm", "Train: 0", "*** Best", {{"Train: ", 2}}},
      {"horovod", "Iter #0", "Img/sec per GPU", {{"Iter #", 2}}},
      {"tf_cnn_benchmarks", "1\timages/sec: 100.0", "-----", {{"\n", 100}}},
      // This log does not number its epochs. The reader counts two reports as two epochs only if
      // their times differ.
      {"pytorch_ddp",
       "Throughput: ",
       "Total time: 12.37",
       {{"Total time: ", 1}, {"First batch time: ", 1}}},
      // The log prints running means. Repeated lines with different means would contradict each
      // other, so only the last line is repeated.
      {"deepspeed", "[2023-07-25 21:03:27", "", {{"step=", 10}}},
      {"mxnet", "INFO:root:Epoch[0]", "", {{"Epoch[", 1}}},
      {"torch7", "json_stats: ", "", {{R"("epoch":)", 2}}},
      {"lightning_csv", "0,49,", "", {{"\n", 2}}},
      {"huggingface",
       R"(      "epoch": 0.5)",
       R"(      "epoch": 2.0)",
       {{R"("epoch": )", 1}, {R"("step": )", 100}}},
      {"pytorch_csv", "1,0.75", "", {{"\n", 2}}},
      {"mmdet", R"({"mode": )", "", {{R"("epoch": )", 1}}},
      {"llmc", "", "", {{"s:", 3}}},
      {"deit", "", "", {{R"("epoch": )", 2}}},
      {"nccl_tests", "        1024 ", "# Out of bounds"},
      {"nccl_tests", R"({"size":1024)", R"({"size":2048)"},
      {"sacct", "41|", "", {{"\n", 3}}},
      {"oarstat", R"("7":{)", R"("8":{)", {{R"(")", 1}, {R"("Job_Id":)", 1}}},
      {"gnmt", "TRAIN [0][0/", "Total training time", {{"TRAIN [", 2}, {"Epoch: ", 2}}},
      {"ssd", "Done benchmarking", "Training performance"},
      {"nvlog",
       ":::NVLOGv0.1.0 ncf 1583706928",
       ":::NVLOGv0.1.0 ncf 1583706936",
       {{R"("epoch": )", 1}}},
      // The hours stay constant, because the reader accepts at most a million hours.
      {"dawnbench", "2\t0.5", "", {{"\n", 1}}},
      {"timm_summary", "0,1.5,", "", {{"\n", 2}}},
      {"timm_benchmark", "resnet50,1000"}};
  return all;
}

/// Text, optionally followed by a number. The number increases by `by` from copy to copy.
struct Piece {
  std::string text;
  std::optional<std::int64_t> number = {};
  std::int64_t by = 0;
};

std::vector<Piece> pieces_of(std::string_view text, const std::vector<Advance>& advances) {
  std::vector<Piece> pieces(1);
  for (std::size_t at = 0; at < text.size();) {
    const auto advance = std::find_if(advances.begin(), advances.end(), [&](const Advance& one) {
      return text.substr(0, at).ends_with(one.before) || (at == 0 && one.before == "\n");
    });
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (advance == advances.end() || error != std::errc()) {
      pieces.back().text += text[at++];
      continue;
    }
    pieces.back().number = number;
    pieces.back().by = advance->by;
    pieces.emplace_back();
    at = static_cast<std::size_t>(end - text.data());
  }
  return pieces;
}

/// A log that can be of any length.
struct Growing {
  std::string head;
  std::vector<Piece> body;  ///< repeated part
  std::vector<Piece> tail = {};
};

Growing growing(const analysis::LogSample& sample) {
  const std::string_view text = sample.text;
  Repeated what;  // repeats the whole sample, unless repeated() lists the format
  for (const Repeated& one : repeated()) {
    if (one.format == sample.format && text.find(one.from) != text.npos) what = one;
  }
  const std::size_t begin = text.find(what.from);
  const std::size_t end =
      what.until.empty() ? text.size() : std::min(text.find(what.until, begin), text.size());
  return {std::string(text.substr(0, begin)),
          pieces_of(text.substr(begin, end - begin), what.advances),
          pieces_of(text.substr(end), what.advances)};
}

bool has_lines(const Growing& log) {
  return std::any_of(log.body.begin(), log.body.end(),
                     [](const Piece& piece) { return piece.text.find('\n') != std::string::npos; });
}

/// Returns the log with `others` lines of other output after each repeated line.
Growing mixed(Growing log, int others) {
  for (Piece& piece : log.body) {
    std::string text;
    for (const char c : piece.text) {
      text += c;
      for (int i = 0; c == '\n' && i < others; ++i) text += kOther;
    }
    piece.text = std::move(text);
  }
  return log;
}

void append(std::string& text, const std::vector<Piece>& pieces, std::int64_t copy) {
  for (const Piece& piece : pieces) {
    text += piece.text;
    if (piece.number) text += std::to_string(*piece.number + copy * piece.by);
  }
}

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

struct Text {
  std::string all;
  std::int64_t copies = 0;
};

/// Returns the log with its repeated part appended until the text has `bytes` bytes. The part is
/// appended at least twice and at most `most` times.
Text log_text(const Growing& log, std::size_t bytes, std::int64_t most = kAny) {
  Text text{.all = log.head};
  if (most == kAny) text.all.reserve(bytes + bytes / 8);
  while (text.copies < most && (text.copies < 2 || text.all.size() < bytes)) {
    append(text.all, log.body, text.copies++);
  }
  append(text.all, log.tail, std::max<std::int64_t>(text.copies - 1, 0));
  return text;
}

using Read = std::function<analysis::LogContent(std::string_view)>;

double records_in(const analysis::LogContent& log) {
  return static_cast<double>(log.file.records.size() + log.collectives.size() + log.jobs.size());
}

struct Rate {
  double mb_per_s = 0;
  double records = 0;
};

Rate time_of(std::string_view text, const Read& read) {
  const double begin = processor_s();
  const double records = records_in(read(text));
  const double took = processor_s() - begin;
  return {static_cast<double>(text.size()) / 1e6 / took, records};
}

/// Measures a log and prints a row of the table. `others` is 0 for tables and for logs without line
/// ends.
void bench(const std::string& name, const Growing& log, int others, std::size_t bytes,
           const Read& read) {
  const double of_none = records_in(read(log_text(log, 0, 0).all));
  const double of_one = records_in(read(log_text(log, 0, 1).all));
  std::string among = "–";
  if (others > 0) {
    among = fmt::format("{:.0f}", time_of(log_text(mixed(log, others), bytes).all, read).mb_per_s);
  }
  const Text text = log_text(log, bytes);
  const Rate alone = time_of(text.all, read);
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:g} | {:g} |\n", name, among, alone.mb_per_s,
             alone.records / 1e3, of_one - of_none,
             (alone.records - of_one) / static_cast<double>(text.copies - 1));
  std::fflush(stdout);
}

struct Described {
  const char* name;
  analysis::MappedFormat format;
  std::string heading, line;
  std::string_view step;  ///< text before the number of the step
  int others;             ///< number of other lines after a row; 0 for tables
};

std::vector<Described> described() {
  const std::vector<analysis::MappedColumn> columns{
      {"step", "step"}, {"samples_per_s", "rate"}, {"loss", "loss"}};
  return {{"--pattern",
           {.kind = "pattern",
            .patterns = {R"(step (?<step>\d+): loss (?<loss>[\d.]+), (?<samples_per_s>[\d.]+)/s)"}},
           "",
           "[rank 0] step 100: loss 2.125, 1234.5/s, memory 12.5 GiB\n",
           "step ",
           kOthers},
          {"--map, csv",
           {.kind = "csv", .columns = columns},
           "time,step,rate,loss,memory,host\n",
           "1700000000.125,100,1234.5,2.125,12.5,node0001\n",
           "000.125,",
           0},
          {"--map, jsonl",
           {.kind = "jsonl", .columns = columns},
           "",
           "{\"time\": 1700000000.125, \"step\": 100, \"rate\": 1234.5, \"loss\": 2.125}\n",
           "\"step\": ",
           0}};
}

contract::RunSpec some_run() {
  contract::RunSpec run{.run_id = "bench", .gpus = 4};
  run.batch_per_gpu = 64;
  run.global_batch = 256;
  run.dataset.train_samples = 50'000;
  return run;
}

void bench_formats(std::size_t bytes, std::string_view only, const contract::RunSpec& run) {
  for (const analysis::LogSample& sample : analysis::log_samples()) {
    if (!only.empty() && only != sample.format) continue;
    const auto& format = base::find(analysis::log_formats(), "log format", sample.format);
    const Growing log = growing(sample);
    bench(sample.format, log, has_lines(log) ? kOthers : 0, bytes,
          [&](std::string_view text) { return format.read(text, run); });
  }
}

void bench_described(std::size_t bytes, std::string_view only, const contract::RunSpec& run) {
  for (const Described& one : described()) {
    if (!only.empty() && only != one.name) continue;
    bench(one.name, {one.heading, pieces_of(one.line, {{one.step, 1}})}, one.others, bytes,
          [&](std::string_view text) { return read_mapped(text, one.format, {}, run); });
  }
}

}  // namespace

int main(int count, char** words) {
  const std::size_t bytes = (count > 1 ? std::strtoull(words[1], nullptr, 10) : 200) * 1'000'000;
  const std::string_view only = count > 2 ? words[2] : "";
  fmt::print(
      "| format | one line in ten, MB/s | every line, MB/s | thousand records | of the first copy "
      "| of each other |\n"
      "|---|--:|--:|--:|--:|--:|\n");
  bench_formats(bytes, only, some_run());
  bench_described(bytes, only, some_run());
}
