// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_kernels.hpp"

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "contract/run_outcome.hpp"
#include "contract/version.hpp"
#include "trainer/about/capabilities.hpp"
#include "trainer/bench/comm_sweep.hpp"
#include "trainer/bench/kernel_calls.hpp"
#include "trainer/bench/kernel_timer.hpp"
#include "trainer/bench/measurement_file.hpp"
#include "trainer/bench/options.hpp"
#include "trainer/bench/progress_line.hpp"
#include "trainer/device/core_groups.hpp"
#include "trainer/device/gpu.hpp"
#include "trainer/record/result_writer.hpp"

namespace dlscale::trainer {
namespace {

int usable_cores() {
  std::set<int> cores;
  for (const Processor& each : usable_processors()) cores.insert(each.core);
  return static_cast<int>(cores.size());
}

}  // namespace

BenchDevice open_bench_device(const std::string& kind, int local_rank, int cores) {
  const DeviceEntry& entry = base::find(device_table(), "device", kind);
  if (entry.unavailable != nullptr) {
    throw base::RunError(entry.unavailable, contract::kExitBadRunDescription);
  }
  BenchDevice opened{.kind = kind};
  const int threads = cores > 0 ? cores : usable_cores();
  opened.device = entry.make({.local_rank = local_rank, .cores = threads});
  if (kind == "cpu") {
    opened.name = cpu_model();
    opened.threads = threads;
  } else {
    opened.name = gpu_name(local_rank);
  }
  return opened;
}

std::string this_host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::map<std::string, std::string> bench_made_with() {
  std::map<std::string, std::string> made{{"dlscale", contract::version()}};
  for (const auto& [key, value] : built_with()) {
    const bool is_part = key == "torch" || key == "mpi" || key == "cuda";
    if (is_part && !value.empty() && value != "no") made[key] = value;
  }
  return made;
}

namespace {

/// Key in `made_with` that contains the value of --rotate. dlscale-bench comm uses the same key.
constexpr const char* kRotated = "rotated_bytes";

}  // namespace

std::string rotation_of(const contract::KernelSample& sample) {
  const auto found = sample.made_with.find(kRotated);
  return found == sample.made_with.end() ? "0" : found->second;
}

const char* const kKernelBenchUsage =
    "usage: dlscale-bench kernels -o FILE [OPTION ...] [KEY=V1,V2,... ...]\n"
    "  Time layer kernels on this device at randomly drawn sizes. Sizes that FILE already "
    "contains\n"
    "  are skipped, so the same command continues an interrupted benchmark.\n"
    "  -o FILE           append one JSON line per size to FILE\n"
    "  --device NAME     cpu (default) or cuda\n"
    "  --cores N         number of CPU threads (default: all cores)\n"
    "  --kernels LIST    comma-separated: convolution_forward, batch_norm_backward, ... (default:\n"
    "                    all)\n"
    "  --samples N       number of sizes of each kernel (default: 200)\n"
    "  --seconds S       time to measure each size (default: 0.05)\n"
    "  --repetitions N   time exactly N single calls of each size instead (default: blocks of\n"
    "                    calls for S seconds)\n"
    "  --rotate BYTES    alternate between arrays of BYTES in total. Choose more than the cache\n"
    "                    holds to get uncached times, as in training (default: one set of\n"
    "                    arrays)\n"
    "  --budget S        start no measurement after S seconds\n"
    "  --precision NAME  fp32 (default) or bf16\n"
    "  --memory BYTES    memory limit of a kernel (default: 500MB on cpu, 8GB on cuda)\n"
    "  --gflop N         operation limit of a kernel (default: 20 on cpu, 4000 on cuda)\n"
    "  --seed N          seed for drawing the sizes (default: 1)\n"
    "  KEY=V1,V2,...     values to draw sizes from. KEY is b, c, h, kernel, stride, pad, f "
    "(values\n"
    "                    of a linear layer) or n (drawn between the smallest and the largest)\n"
    "  example:          dlscale-bench kernels -o kernels.jsonl b=16,32 h=8,16,32\n";

namespace {

constexpr int kMostFailures = 20;  // consecutive failures after which the benchmark stops

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const KernelClass& each : kernel_classes()) names.emplace_back(each.name);
  return names;
}

/// Sets the values of a size range from a command-line argument of the form KEY=V1,V2,...
void set_range(SizeRanges& ranges, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const auto found = ranges.values.find(key);
  if (equals == std::string::npos || found == ranges.values.end()) {
    std::vector<std::string> known;
    for (const auto& [name, values] : ranges.values) known.push_back(name);
    throw base::UsageError(base::unknown_name("key", key, known));
  }
  found->second = counts_value(key, word.substr(equals + 1), key == "pad" ? 0 : 1);
}

using SampleKey = std::tuple<std::string, KernelSize, std::string>;

/// Returns the versions of the programs, and the value of --rotate if this option is set.
std::map<std::string, std::string> made_with_of(const KernelBench& bench) {
  std::map<std::string, std::string> made = bench_made_with();
  if (bench.rotated_bytes > 0) made[kRotated] = std::to_string(bench.rotated_bytes);
  return made;
}

/// Throws base::UsageError if the measurement was made with another value of --rotate, because
/// cached and uncached times cannot be combined.
void check_rotation(const contract::KernelSample& had, const KernelBench& bench) {
  const std::string rotated = rotation_of(had);
  if (rotated == std::to_string(bench.rotated_bytes)) return;
  throw base::UsageError(
      fmt::format("-o: the file contains times with --rotate {}, but this command has --rotate {}; "
                  "use another file or the same option",
                  rotated, bench.rotated_bytes));
}

/// Returns the kernel, size and precision of each existing measurement. Throws base::UsageError
/// when a measurement belongs to another device or another value of --rotate, because such times
/// cannot be combined.
std::set<SampleKey> keys_of(const std::vector<contract::KernelSample>& had,
                            const KernelBench& bench, const BenchDevice& device) {
  std::set<SampleKey> keys;
  for (const contract::KernelSample& each : had) {
    check_rotation(each, bench);
    if (each.device != device.name || each.threads != device.threads) {
      throw base::UsageError(
          fmt::format("-o: the file contains times of {} with {} threads, but this device is {} "
                      "with {} threads; use another file or set --cores",
                      each.device, each.threads, device.name, device.threads));
    }
    keys.insert({each.kernel, each.size, each.precision});
  }
  return keys;
}

/// Benchmark that proceeds in rounds. Each round measures one size of every kernel.
class KernelRounds {
 public:
  KernelRounds(const KernelBench& bench, BenchDevice& device,
               const std::vector<contract::KernelSample>& had, const KernelBenchEvents& events,
               const base::Clock& clock)
      : bench_(bench),
        device_(device),
        events_(events),
        clock_(clock),
        had_(keys_of(had, bench, device)),
        host_(this_host()),
        made_with_(made_with_of(bench)) {
    for (const KernelClass& each : kernel_classes()) {
      const auto& wanted = bench.kernels;
      if (std::find(wanted.begin(), wanted.end(), each.name) == wanted.end()) continue;
      turns_.push_back({each.name, SizeSampler(each, bench.ranges, bench.seed)});
    }
  }

  KernelBenchEnd run() {
    const double start_s = clock_.steady_s();
    const int all = bench_.samples * static_cast<int>(turns_.size());
    for (int i = 0; i < bench_.samples; ++i) {
      for (TimedCall& turn : turns_) {
        end_.in_time = bench_.budget_s <= 0 || clock_.steady_s() - start_s < bench_.budget_s;
        if (!end_.in_time) return end_;
        events_.next(passed_, all, turn.kernel, end_.had);
        time_call(turn);
        ++passed_;
      }
    }
    return end_;
  }

 private:
  struct TimedCall {
    std::string kernel;
    SizeSampler sizes;
    bool exhausted = false;
  };

  void time_call(TimedCall& turn) {
    if (turn.exhausted) {
      ++end_.left_out;
      return;
    }
    const std::optional<KernelSize> size = turn.sizes.next();
    if (!size) {
      turn.exhausted = true;
      leave_out(turn.kernel + ": no other size is within the limits --memory and --gflop");
    } else if (had_.contains({turn.kernel, *size, bench_.precision})) {
      ++end_.had;
    } else {
      measure(turn.kernel, *size);
    }
  }

  void measure(const std::string& kernel, const KernelSize& size) {
    try {
      const KernelCall call = rotating_call(
          [&] { return make_kernel_call(kernel, size, bench_.precision, *device_.device); },
          rotated_sets(kernel, size, bench_.precision, bench_.rotated_bytes));
      events_.found(sample(kernel, size, call));
      ++end_.measured;
      failures_ = 0;
    } catch (const c10::Error& error) {
      const std::string words = error.what_without_backtrace();
      leave_out(kernel + ": " + words.substr(0, words.find('\n')));
      if (++failures_ == kMostFailures) throw base::RunError(end_.reason);
    } catch (const std::bad_alloc&) {
      leave_out(kernel + ": out of memory");
    }
  }

  contract::KernelSample sample(const std::string& kernel, const KernelSize& size,
                                const KernelCall& call) const {
    const KernelTiming timing =
        time_kernel(call, *device_.device, bench_.seconds, bench_.repetitions, clock_);
    return {.kernel = kernel,
            .size = size,
            .precision = bench_.precision,
            .seconds = timing.each.median_s,
            .mean_s = timing.each.mean_s,
            .deviation_s = timing.each.deviation_s,
            .least_s = timing.each.least_s,
            .most_s = timing.each.most_s,
            .repetitions = timing.each.values,
            .calls = timing.calls,
            .device = device_.name,
            .host = host_,
            .threads = device_.threads,
            .time = clock_.unix_s(),
            .made_with = made_with_};
  }

  void leave_out(const std::string& reason) {
    ++end_.left_out;
    end_.reason = reason;
  }

  const KernelBench& bench_;
  BenchDevice& device_;
  const KernelBenchEvents& events_;
  const base::Clock& clock_;
  std::set<SampleKey> had_;
  std::string host_;
  std::map<std::string, std::string> made_with_;
  std::vector<TimedCall> turns_;
  KernelBenchEnd end_;
  int passed_ = 0, failures_ = 0;
};

std::string table_of(const std::vector<contract::KernelSample>& samples) {
  std::map<std::string, std::vector<const contract::KernelSample*>> by_kernel;
  for (const contract::KernelSample& each : samples) by_kernel[each.kernel].push_back(&each);
  const auto micro = [](double seconds) { return fmt::format("{:.4g}", seconds * 1e6); };
  std::vector<std::vector<std::string>> rows;
  for (const KernelClass& each : kernel_classes()) {
    const auto found = by_kernel.find(each.name);
    if (found == by_kernel.end()) continue;
    std::vector<double> seconds, spreads;
    for (const contract::KernelSample* sample : found->second) {
      seconds.push_back(sample->seconds);
      spreads.push_back(sample->mean_s > 0 ? sample->deviation_s / sample->mean_s : 0);
    }
    const Timing times = timing_of(seconds), spread = timing_of(spreads);
    rows.push_back({each.name, std::to_string(seconds.size()), micro(times.least_s),
                    micro(times.median_s), micro(times.most_s),
                    fmt::format("{:.1f}", 100 * spread.median_s)});
  }
  return base::print_table(
      {"kernel", "sizes", "fastest us", "median us", "slowest us", "deviation %"}, rows);
}

std::string end_in_words(const KernelBench& bench, const KernelBenchEnd& end) {
  std::string text = fmt::format("{} measured, {} already in the file, {} skipped\n", end.measured,
                                 end.had, end.left_out);
  if (end.left_out > 0) text += fmt::format("  last skipped: {}\n", end.reason);
  if (!end.in_time) {
    text +=
        fmt::format("  the budget of {} s is used up; run the same command again to continue {}\n",
                    bench.budget_s, bench.file);
  }
  return text;
}

}  // namespace

KernelBench read_kernel_bench(const std::vector<std::string>& arguments) {
  using Text = const std::string&;
  KernelBench bench;
  bench.kernels = class_names();
  double most_bytes = 0, most_gflop = 0;
  bool has_seconds = false;
  std::vector<std::string> ranges;
  OptionTable options;
  options.valued = {
      {"-o", [&](Text, Text v) { bench.file = v; }},
      {"--device",
       [&](Text, Text v) {
         bench.device = known_value("device", v, {"cpu", "cuda"});
       }},
      {"--cores", [&](Text o, Text v) { bench.cores = whole_value(o, v, 1); }},
      {"--kernels", [&](Text, Text v) { bench.kernels = words_value("kernel", v, class_names()); }},
      {"--samples", [&](Text o, Text v) { bench.samples = whole_value(o, v, 1); }},
      {"--seconds",
       [&](Text o, Text v) {
         bench.seconds = positive_value(o, v);
         has_seconds = true;
       }},
      {"--repetitions", [&](Text o, Text v) { bench.repetitions = whole_value(o, v, 1); }},
      {"--rotate", [&](Text o, Text v) { bench.rotated_bytes = bytes_value(o, v); }},
      {"--budget", [&](Text o, Text v) { bench.budget_s = positive_value(o, v); }},
      {"--precision",
       [&](Text, Text v) { bench.precision = known_value("precision", v, measured_precisions()); }},
      {"--memory", [&](Text o, Text v) { most_bytes = static_cast<double>(bytes_value(o, v)); }},
      {"--gflop", [&](Text o, Text v) { most_gflop = positive_value(o, v); }},
      {"--seed",
       [&](Text o, Text v) { bench.seed = static_cast<std::uint64_t>(whole_value(o, v, 0)); }}};
  options.word = [&](Text word) { ranges.push_back(word); };
  read_options(arguments, options);
  if (bench.file.empty()) throw base::UsageError("-o is missing; give the output file");
  if (has_seconds && bench.repetitions > 0) {
    throw base::UsageError(
        "--seconds has no effect with --repetitions, which sets the number of calls; leave one "
        "out");
  }
  bench.ranges = usual_ranges(bench.device);
  if (most_bytes > 0) bench.ranges.most_bytes = most_bytes;
  if (most_gflop > 0) bench.ranges.most_flop = most_gflop * 1e9;
  for (Text word : ranges) set_range(bench.ranges, word);
  return bench;
}

KernelBenchEnd measure_kernels(const KernelBench& bench, BenchDevice& device,
                               const std::vector<contract::KernelSample>& had,
                               const KernelBenchEvents& events, const base::Clock& clock) {
  return KernelRounds(bench, device, had, events, clock).run();
}

std::string bench_kernels(const KernelBench& bench) {
  keep_freed_memory();  // uses the same memory allocator settings as training
  const base::SystemClock clock;
  BenchDevice device = open_bench_device(bench.device, 0, bench.cores);
  MeasurementFile file(bench.file);
  std::vector<contract::KernelSample> samples = file.records().kernels;
  KernelBenchEnd end;
  {
    ProgressLine progress(clock, ProgressLine::is_on_terminal());
    const KernelBenchEvents events{[&](const contract::KernelSample& sample) {
                                     file.append(sample);
                                     samples.push_back(sample);
                                   },
                                   [&](int done, int all, const std::string& next, int skipped) {
                                     progress.show(done, all, next, skipped);
                                   }};
    const std::vector<contract::KernelSample> had = samples;
    end = measure_kernels(bench, device, had, events, clock);
  }
  return fmt::format("{}, {}{}\n", device.name, bench.precision,
                     device.threads > 0 ? fmt::format(", threads: {}", device.threads) : "") +
         table_of(samples) + end_in_words(bench, end);
}

}  // namespace dlscale::trainer
