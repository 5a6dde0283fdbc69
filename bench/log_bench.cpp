// SPDX-License-Identifier: Apache-2.0
// How fast logs of other programs are read, by format, on one core.
//
// usage: log_bench [MB [format]]
//
// A log is the lines of the tests' sample of its format over and over, up to so many MB (200): once
// alone, and once each followed by nine lines of other output, as logs mostly are. Then what users
// describe themselves: a regular expression, columns of CSV and keys of JSON. Times are of the
// reader alone, processor time. Records are what it made of the lines; one takes half a kilobyte.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/formats/log_format.hpp"
#include "analysis/store/import/mapped_format.hpp"
#include "tests/analysis/store/formats/log_samples.hpp"

using namespace dlscale;

namespace {

constexpr std::string_view kOther =
    "2024-03-01 12:00:00,123 - INFO - worker 17 has read shard 00123 of the training set\n";

double processor_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Each line of `sample` and then `others` lines of other output.
std::string mixed(std::string_view sample, int others) {
  std::string text;
  while (!sample.empty()) {
    const std::size_t end = std::min(sample.find('\n'), sample.size() - 1) + 1;
    text += sample.substr(0, end);
    if (!text.ends_with('\n')) text += '\n';
    for (int i = 0; i < others; ++i) text += kOther;
    sample.remove_prefix(end);
  }
  return text;
}

/// `first` stands once.
std::string repeated(const std::string& first, const std::string& text, std::size_t bytes) {
  std::string whole = first;
  whole.reserve(bytes + text.size());
  while (whole.size() < bytes) whole += text;
  return whole;
}

struct Rate {
  double mb_per_s = 0;
  double records = 0;
};

Rate time_of(const std::string& text, const std::function<analysis::LogContent()>& read) {
  const double begin = processor_s();
  const std::size_t records = read().file.records.size();
  const double took = processor_s() - begin;
  return {static_cast<double>(text.size()) / 1e6 / took, static_cast<double>(records)};
}

void print(const std::string& name, const Rate& alone, const Rate& among) {
  fmt::print("| {} | {:.0f} | {:.0f} | {:.0f} |\n", name, among.mb_per_s, alone.mb_per_s,
             alone.records / 1e3);
  std::fflush(stdout);
}

struct Described {
  const char* name;
  analysis::MappedFormat format;
  std::string heading, line;
  int others;  ///< tables have none
};

std::vector<Described> described() {
  const std::vector<analysis::MappedColumn> columns{
      {"step", "step"}, {"samples_per_s", "rate"}, {"loss", "loss"}};
  return {{"--pattern",
           {.kind = "pattern",
            .patterns = {R"(step (?<step>\d+): loss (?<loss>[\d.]+), (?<samples_per_s>[\d.]+)/s)"}},
           "",
           "[rank 0] step 100: loss 2.125, 1234.5/s, memory 12.5 GiB\n",
           9},
          {"--map, csv",
           {.kind = "csv", .columns = columns},
           "time,step,rate,loss,memory,host\n",
           "1700000000.125,100,1234.5,2.125,12.5,node0001\n",
           0},
          {"--map, jsonl",
           {.kind = "jsonl", .columns = columns},
           "",
           "{\"time\": 1700000000.125, \"step\": 100, \"rate\": 1234.5, \"loss\": 2.125}\n",
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
    const auto rate = [&](int others) {
      const std::string text = repeated("", mixed(sample.text, others), bytes);
      return time_of(text, [&] { return format.read(text, run); });
    };
    print(sample.format, rate(0), rate(9));
  }
}

void bench_described(std::size_t bytes, std::string_view only, const contract::RunSpec& run) {
  for (const Described& one : described()) {
    if (!only.empty() && only != one.name) continue;
    const auto rate = [&](int others) {
      const std::string text = repeated(one.heading, mixed(one.line, others), bytes);
      return time_of(text, [&] { return read_mapped(text, one.format, {}, run); });
    };
    const Rate alone = rate(0);
    print(one.name, alone, one.others > 0 ? rate(one.others) : alone);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::size_t bytes = (count > 1 ? std::strtoull(words[1], nullptr, 10) : 200) * 1'000'000;
  const std::string_view only = count > 2 ? words[2] : "";
  fmt::print(
      "| format | one line in ten, MB/s | every line, MB/s | thousand records |\n"
      "|---|--:|--:|--:|\n");
  bench_formats(bytes, only, some_run());
  bench_described(bytes, only, some_run());
}
