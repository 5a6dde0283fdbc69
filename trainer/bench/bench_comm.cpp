// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_comm.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "contract/run_outcome.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "trainer/bench/bench_kernels.hpp"
#include "trainer/bench/measurement_file.hpp"
#include "trainer/bench/options.hpp"
#include "trainer/bench/progress_line.hpp"
#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/algorithms/with_all_reduce.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/nccl.hpp"
#include "trainer/comm/thread.hpp"

namespace dlscale::trainer {

const char* const kCommBenchUsage =
    "usage: mpirun -n P dlscale-bench comm [OPTION ...]\n"
    "  Time collectives between P ranks over message sizes. algbw and busbw are defined as in\n"
    "  nccl-tests.\n"
    "  --communicator NAME  mpi (default), nccl, or thread (ranks are threads of one process)\n"
    "  --threads N          number of ranks of the communicator thread (default: 2)\n"
    "  --collectives LIST   comma-separated list of all_reduce (default), reduce_scatter,\n"
    "                       all_gather, broadcast and reduce, or all\n"
    "  --all-reduce NAME    value of resources.all_reduce in a study: auto, ring, openmpi:ring, "
    "...\n"
    "  --min, --max BYTES   smallest and largest message (default: 4, 256MiB)\n"
    "  --factor F           factor between successive sizes (default: 2)\n"
    "  --precision NAME     fp32 (default) or bf16\n"
    "  --seconds S          time to measure each size (default: 0.5)\n"
    "  --iterations N       number of calls of each size, instead of --seconds\n"
    "  --warm-up N          number of unmeasured calls of each size (default: 5)\n"
    "  --rotate BYTES       alternate between arrays of BYTES in total. Choose more than the "
    "cache\n"
    "                       holds to get uncached times, as in training (default: one array)\n"
    "  --topology NAME      interconnect of these ranks, such as nvswitch or \"ib-hdr x4\". "
    "Required\n"
    "                       to extrapolate to other rank counts\n"
    "  -o FILE              append one JSON line per size to FILE\n"
    "  --json               print the JSON lines instead of a table\n";

namespace {

std::vector<std::string> known_all_reduces() {
  std::vector<std::string> names = base::names(all_reduce_table());
  for (const std::string& name : contract::vocabulary("all_reduce")) {
    if (name.starts_with(kOpenMpiPrefix)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> bench_communicators() {
  std::vector<std::string> names;
  for (const CommunicatorEntry* entry : communicator_table()) {
    if (entry->name != std::string_view("single")) names.emplace_back(entry->name);
  }
  return names;
}

void check_bench(const CommBench& bench) {
  const CommSweep& sweep = bench.sweep;
  if (sweep.most_bytes < sweep.least_bytes) {
    throw base::UsageError(
        fmt::format("--max {} is less than --min {}", sweep.most_bytes, sweep.least_bytes));
  }
  if (sweep.factor <= 1) throw base::UsageError("--factor: must be above 1");
  if (bench.communicator == "nccl" && !bench.all_reduce.empty()) {
    throw base::UsageError(
        "--all-reduce: NCCL selects the algorithm itself; set NCCL_ALGO instead");
  }
  for (const CommunicatorEntry* entry : communicator_table()) {
    if (entry->name == bench.communicator && entry->unavailable != nullptr) {
      throw base::UsageError(entry->unavailable);
    }
  }
}

/// Metadata that describe the benchmark and its machine. The metadata are added to each
/// measurement.
class Stamp {
 public:
  Stamp(const CommBench& bench, std::string device, std::string host, int nodes)
      : bench_(bench),
        device_(std::move(device)),
        host_(std::move(host)),
        nodes_(nodes),
        made_with_(bench_made_with()) {
    const std::int64_t rotated = bench.sweep.rotated_bytes;
    if (rotated > 0) made_with_["rotated_bytes"] = std::to_string(rotated);
  }

  contract::CommTime on(contract::CommTime time) const {
    time.communicator = bench_.communicator;
    time.topology = bench_.topology;
    time.device = device_;
    time.host = host_;
    time.nodes = nodes_;
    time.ranks_per_node = (time.ranks + nodes_ - 1) / nodes_;
    time.made_with = made_with_;
    return time;
  }

 private:
  const CommBench& bench_;
  std::string device_, host_;
  int nodes_;
  std::map<std::string, std::string> made_with_;
};

/// **Collective.** Measures all collectives. On rank 0, calls `found` with each measurement after
/// the metadata have been added.
void sweep_ranks(const CommBench& bench, Communicator& ranks, Device& device, const Stamp& stamp,
                 const OnCommTime& found) {
  const base::SystemClock clock;
  sweep_collectives(bench.sweep, ranks, device, clock,
                    [&](const contract::CommTime& time, int size, int sizes) {
                      if (ranks.rank() == 0) found(stamp.on(time), size, sizes);
                    });
}

/// Output of the measurements: table rows or JSON lines on standard output, and JSON lines in the
/// file of the user.
class CommOutput {
 public:
  explicit CommOutput(const CommBench& bench)
      : bench_(bench), progress_(clock_, ProgressLine::is_on_terminal()) {
    if (!bench.file.empty()) file_.emplace(bench.file);
  }

  void record_time(const contract::CommTime& time, int size, int sizes) {
    progress_.clear();
    if (file_) file_->append(time);
    if (bench_.json) {
      fmt::print("{}\n", to_json_line(time));
    } else {
      print_row(time, size == 0);
    }
    std::fflush(stdout);
    wrong_ += time.wrong;
    if (size + 1 < sizes) progress_.show(size + 1, sizes, time.collective);
  }
  std::int64_t wrong() const { return wrong_; }

 private:
  static void print_row(const contract::CommTime& time, bool first) {
    if (first) {
      fmt::print("{} between {} on {}, {}, {}\n", time.communicator,
                 base::count_of(time.ranks, "rank"), base::count_of(time.nodes, "node"),
                 time.precision, time.device);
      fmt::print("{:<14}  {:>11}  {:>5}  {:>11}  {:>23}  {:>10}  {:>10}  {:>5}\n", "collective",
                 "bytes", "calls", "median us", "95 % interval us", "algbw GB/s", "busbw GB/s",
                 "wrong");
    }
    constexpr double kMicro = 1e6;
    const std::string interval =
        time.high_s > 0 ? fmt::format("{:.2f} to {:.2f}", time.low_s * kMicro, time.high_s * kMicro)
                        : "-";
    fmt::print("{:<14}  {:>11}  {:>5}  {:>11.2f}  {:>23}  {:>10.4g}  {:>10.4g}  {:>5}\n",
               time.collective, time.bytes, time.iterations, time.seconds * kMicro, interval,
               time.algbw_gbs, time.busbw_gbs, time.wrong);
  }

  const base::SystemClock clock_;
  const CommBench& bench_;
  ProgressLine progress_;
  std::optional<MeasurementFile> file_;
  std::int64_t wrong_ = 0;
};

/// **Collective.** Runs the benchmark and returns the exit code.
int run_comm_bench(const CommBench& bench, MpiSession& session) {
  std::optional<CommOutput> output;
  if (session.rank() == 0) output.emplace(bench);
  const auto found = [&](const contract::CommTime& time, int size, int sizes) {
    output->record_time(time, size, sizes);
  };
  if (bench.communicator == "thread") {
    if (session.size() > 1) {
      throw base::UsageError(fmt::format(
          "--communicator thread runs in one process (--threads N), but mpirun started {}",
          session.size()));
    }
    measure_threads(bench, found);
  } else {
    measure_processes(bench, session, found);
  }
  if (!output || output->wrong() == 0) return contract::kExitDone;
  fmt::print(stderr, "dlscale-bench: the collectives returned {} wrong elements\n",
             output->wrong());
  return contract::kExitCommunication;
}

/// Reports an error and returns its exit code. A usage error occurs on all ranks, so only rank 0
/// reports a usage error. Any other error is reported by the rank on which it occurs, which then
/// aborts all ranks.
int fail_comm_bench(const std::exception& error, const MpiSession* session) {
  const auto* const own = dynamic_cast<const base::Error*>(&error);
  const int exit_code = own != nullptr ? own->exit_code() : 1;
  const bool alike = dynamic_cast<const base::UsageError*>(&error) != nullptr;
  const bool alone = session == nullptr || session->size() == 1;
  const std::string_view words = error.what();
  if (alone || !alike || session->rank() == 0) {
    const std::string rank = alone || alike ? "" : fmt::format("rank {}: ", session->rank());
    fmt::print(stderr, "dlscale-bench: {}{}\n", rank, words.substr(0, words.find('\n')));
  }
  if (!alone && !alike) session->abort(exit_code);
  return exit_code;
}

}  // namespace

CommBench read_comm_bench(const std::vector<std::string>& arguments) {
  CommBench bench;
  CommSweep& sweep = bench.sweep;
  using Text = const std::string&;
  OptionTable options;
  options.valued = {
      {"--communicator",
       [&](Text, Text v) {
         bench.communicator = known_value("communicator", v, bench_communicators());
       }},
      {"--threads", [&](Text o, Text v) { bench.threads = whole_value(o, v, 1); }},
      {"--collectives",
       [&](Text, Text v) {
         sweep.collectives = v == "all" ? measured_collectives()
                                        : words_value("collective", v, measured_collectives());
       }},
      {"--all-reduce",
       [&](Text, Text v) { bench.all_reduce = known_value("all-reduce", v, known_all_reduces()); }},
      {"--min", [&](Text o, Text v) { sweep.least_bytes = bytes_value(o, v); }},
      {"--max", [&](Text o, Text v) { sweep.most_bytes = bytes_value(o, v); }},
      {"--factor", [&](Text o, Text v) { sweep.factor = positive_value(o, v); }},
      {"--precision",
       [&](Text, Text v) { sweep.precision = known_value("precision", v, measured_precisions()); }},
      {"--seconds", [&](Text o, Text v) { sweep.seconds = positive_value(o, v); }},
      {"--iterations", [&](Text o, Text v) { sweep.iterations = whole_value(o, v, 1); }},
      {"--warm-up", [&](Text o, Text v) { sweep.warm_up = whole_value(o, v, 1); }},
      {"--rotate", [&](Text o, Text v) { sweep.rotated_bytes = bytes_value(o, v); }},
      {"--topology", [&](Text, Text v) { bench.topology = v; }},
      {"-o", [&](Text, Text v) { bench.file = v; }}};
  options.flags = {{"--json", [&] { bench.json = true; }}};
  read_options(arguments, options);
  check_bench(bench);
  return bench;
}

void measure_threads(const CommBench& bench, const OnCommTime& found) {
  const BenchDevice cpu = open_bench_device("cpu", 0, 1);
  const Stamp stamp(bench, cpu.name, this_host(), 1);
  run_as_threads(bench.threads, [&](Communicator& rank) {
    if (bench.all_reduce.empty()) {
      sweep_ranks(bench, rank, *cpu.device, stamp, found);
    } else {
      const auto chosen = with_all_reduce(rank.split(0), bench.all_reduce);
      sweep_ranks(bench, *chosen, *cpu.device, stamp, found);
    }
  });
}

void measure_processes(const CommBench& bench, MpiSession& session, const OnCommTime& found) {
  const Placement placement = session.placement();
  const std::string all_reduce = bench.all_reduce.empty() ? "auto" : bench.all_reduce;
  session.choose_all_reduce(all_reduce);
  std::unique_ptr<Communicator> ranks = with_all_reduce(make_mpi(session), all_reduce);
  const bool on_gpus = bench.communicator == "nccl";
  if (on_gpus) {
    require_gpu(placement.local_rank);
    const char* const shares = std::getenv("DLSCALE_SHARE_GPUS");
    ranks = make_nccl(std::move(ranks),
                      {.local_rank = placement.local_rank,
                       .share_gpus = shares != nullptr && std::string_view(shares) == "1"});
  }
  const BenchDevice device = open_bench_device(on_gpus ? "cuda" : "cpu", placement.local_rank, 1);
  const Stamp stamp(bench, device.name, placement.hostnames.front(), placement.nodes);
  sweep_ranks(bench, *ranks, *device.device, stamp, found);
}

int bench_comm(const std::vector<std::string>& arguments) {
  const bool asks = arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h");
  if (asks) {
    fmt::print("{}", kCommBenchUsage);
    return contract::kExitDone;
  }
  std::optional<MpiSession> session;
  try {
    session.emplace();
    return run_comm_bench(read_comm_bench(arguments), *session);
  } catch (const std::exception& error) {
    return fail_comm_bench(error, session ? &*session : nullptr);
  }
}

}  // namespace dlscale::trainer
