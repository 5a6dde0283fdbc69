// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_loader.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/table_printer.hpp"
#include "base/text.hpp"
#include "trainer/about/capabilities.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/loop/loading.hpp"
#include "trainer/record/result_writer.hpp"
#include "trainer/record/spread.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;

const char* const kLoaderBenchUsage =
    "usage: dlscale-bench loader [RUN.json] [KEY=VALUE ...] [--test] [--seconds S]\n"
    "                     [--blocks N] [--json]\n"
    "  Load whole epochs without training. Print medians over blocks of at least S seconds:\n"
    "  images/s, images/s per core in use, the share of time waited, cores in use, and KB read\n"
    "  per image.\n"
    "  RUN.json     run description, or the folder of a run. Default: loader \"native\", dataset\n"
    "               image_folder, crops of 224x224, batches of 32, one thread\n"
    "  KEY=VALUE    override a setting: loader, batch, cores, threads (0: one per core), "
    "prefetch,\n"
    "               hand_over (uint8, fp32), on_broken (fail, skip), shuffle_window, dataset, "
    "path,\n"
    "               image_size, resample (antialiased, bilinear), flip (true, false), seed, model\n"
    "  --test       load the test set as evaluation does\n"
    "  --seconds S  minimum time of a block\n"
    "  --blocks N   number of blocks\n"
    "  --json       print JSON instead of a table\n"
    "  example:     dlscale-bench loader path=/data/imagenet threads=2 batch=64\n";

namespace {

contract::RunSpec usual_spec() {
  contract::RunSpec spec;
  spec.run_id = "bench-loader";
  spec.loader = "native";
  spec.dataset = {.kind = "image_folder", .random_flip = true, .image_size = 224};
  spec.batch_per_gpu = spec.global_batch = 32;
  return spec;
}

int whole_number(const std::string& key, const std::string& text) {
  const std::optional<int> value = base::number_of<int>(text);
  if (value && *value >= 0) return *value;
  throw base::UsageError(fmt::format("{}: \"{}\" is not a whole number", key, text));
}

/// Returns `value` if it is one of `choices`. Throws base::UsageError otherwise.
const std::string& one_of(const std::string& key, const std::string& value,
                          const std::vector<std::string>& choices) {
  if (std::ranges::find(choices, value) != choices.end()) return value;
  throw base::UsageError(base::unknown_name(key, value, choices));
}

using Setter = std::function<void(contract::RunSpec&, const std::string&)>;

const std::map<std::string, Setter>& setters() {
  using Spec = contract::RunSpec;
  using Text = const std::string&;
  static const std::map<std::string, Setter> all{
      {"loader", [](Spec& s, Text v) { s.loader = v; }},
      {"batch",
       [](Spec& s, Text v) { s.batch_per_gpu = s.global_batch = whole_number("batch", v); }},
      {"cores", [](Spec& s, Text v) { s.resources.cores_per_rank = whole_number("cores", v); }},
      {"threads", [](Spec& s, Text v) { s.loader_options.threads = whole_number("threads", v); }},
      {"prefetch",
       [](Spec& s, Text v) { s.loader_options.prefetch = whole_number("prefetch", v); }},
      {"hand_over",
       [](Spec& s, Text v) {
         s.loader_options.hand_over = one_of("hand_over", v, {"uint8", "fp32"});
       }},
      {"on_broken",
       [](Spec& s, Text v) {
         s.loader_options.on_broken = one_of("on_broken", v, {"fail", "skip"}) == "skip" ? v : "";
       }},
      {"shuffle_window",
       [](Spec& s, Text v) {
         s.loader_options.shuffle_window = whole_number("shuffle_window", v);
       }},
      {"model", [](Spec& s, Text v) { s.model = v; }},
      {"dataset", [](Spec& s, Text v) { s.dataset.kind = v; }},
      {"path", [](Spec& s, Text v) { s.dataset.path = v; }},
      {"image_size", [](Spec& s, Text v) { s.dataset.image_size = whole_number("image_size", v); }},
      {"resample",
       [](Spec& s, Text v) {
         const bool is_usual = one_of("resample", v, {"antialiased", "bilinear"}) == "antialiased";
         s.dataset.resample = is_usual ? "" : v;
       }},
      {"flip",
       [](Spec& s, Text v) {
         s.dataset.random_flip = one_of("flip", v, {"true", "false"}) == "true";
       }},
      {"seed",
       [](Spec& s, Text v) { s.seed = static_cast<std::uint64_t>(whole_number("seed", v)); }}};
  return all;
}

void set_value(contract::RunSpec& spec, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::string key = argument.substr(0, equals);
  const auto found = setters().find(key);
  if (equals == std::string::npos || found == setters().end()) {
    std::vector<std::string> names;
    for (const auto& [name, set] : setters()) names.push_back(name);
    throw base::UsageError(base::unknown_name("key", key, names));
  }
  found->second(spec, argument.substr(equals + 1));
}

contract::RunSpec read_spec(fs::path file) {
  if (fs::is_directory(file)) file /= "run.json";
  return contract::run_spec_from_json(base::read_file(file), file.string());
}

/// Returns the CPU time of this process in seconds.
double cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Totals over a block of whole epochs.
struct LoadBlock {
  std::int64_t images = 0;
  double wall_s = 0, wait_s = 0, cpu_s = 0;
  LoaderWork work;
  double rate() const { return static_cast<double>(images) / wall_s; }
  double cores() const { return cpu_s / wall_s; }
};

class Epochs {
 public:
  Epochs(const LoaderBench& bench, const Dataset& dataset)
      : bench_(bench),
        samples_(dataset.test.size()),
        loader_(
            make_loader(bench.spec, dataset, bench.evaluation ? dataset.test : dataset.train, {})),
        sampler_(make_sampler(bench.spec, dataset, {})) {}

  LoadBlock block() {
    LoadBlock block;
    const double start_s = clock_.steady_s(), start_cpu_s = cpu_s();
    do {
      load_epoch(block);
      block.wall_s = clock_.steady_s() - start_s;
    } while (block.wall_s < bench_.seconds);
    block.cpu_s = cpu_s() - start_cpu_s;
    block.work = loader_->take_work();
    return block;
  }

 private:
  void load_epoch(LoadBlock& block) {
    auto samples =
        bench_.evaluation ? evaluation_share(samples_, 0, 1) : sampler_.samples_of(epoch_);
    loader_->start({std::move(samples), bench_.spec.batch_per_gpu, epoch_++});
    for (;;) {
      const double before_s = clock_.steady_s();
      const Batch batch = loader_->next();
      block.wait_s += clock_.steady_s() - before_s;
      if (batch.size() == 0) return;
      block.images += batch.size();
    }
  }

  const base::SystemClock clock_;
  const LoaderBench& bench_;
  const std::int64_t samples_;
  std::unique_ptr<Loader> loader_;
  DistributedSampler sampler_;
  int epoch_ = 0;
};

struct Measured {
  double median = 0, least = 0, most = 0;
};

template <class Get>
Measured over_blocks(const std::vector<LoadBlock>& blocks, Get get) {
  std::vector<double> values;
  for (const LoadBlock& block : blocks) values.push_back(get(block));
  const auto [least, most] = std::ranges::minmax(values);
  return {spread(values).p50, least, most};
}

struct Row {
  const char* key;
  const char* title;
  Measured value;
};

std::vector<Row> rows_of(const std::vector<LoadBlock>& blocks) {
  const auto row = [&](const char* key, const char* title, auto get) {
    return Row{key, title, over_blocks(blocks, get)};
  };
  constexpr double kKilo = 1024;
  return {row("images_per_s", "images/s", [](const LoadBlock& b) { return b.rate(); }),
          row("images_per_s_per_core", "images/s per core in use",
              [](const LoadBlock& b) { return b.rate() / b.cores(); }),
          row("waiting", "share of time waited",
              [](const LoadBlock& b) { return b.wait_s / b.wall_s; }),
          row("cores", "cores in use", [](const LoadBlock& b) { return b.cores(); }),
          row("busy", "busy threads", [](const LoadBlock& b) { return b.work.busy_s / b.wall_s; }),
          row("kb_per_image", "KB read per image", [](const LoadBlock& b) {
            return static_cast<double>(b.work.bytes) / kKilo / static_cast<double>(b.images);
          })};
}

/// Returns the number of threads that decode images, or 0 when the data set has no images to
/// decode.
int threads_of(const contract::RunSpec& spec) {
  if (spec.dataset.image_size == 0) return 0;
  const int said = spec.loader_options.threads;
  return said > 0 ? said : spec.resources.cores_per_rank;
}

std::string in_json(const LoaderBench& bench, const std::vector<Row>& rows) {
  std::string text =
      fmt::format(R"({{"loader":"{}","batch":{})", bench.spec.loader, bench.spec.batch_per_gpu);
  if (const int threads = threads_of(bench.spec); threads > 0) {
    text += fmt::format(R"(,"threads":{})", threads);
  }
  for (const Row& row : rows) {
    text += fmt::format(R"(,"{}":{{"median":{:.6g},"min":{:.6g},"max":{:.6g}}})", row.key,
                        row.value.median, row.value.least, row.value.most);
  }
  return text + "}\n";
}

std::string in_table(const LoaderBench& bench, const std::vector<Row>& rows) {
  const auto number = [](double value) {
    return fmt::format("{:.{}f}", value, value < 100 ? 2 : 0);
  };
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    cells.push_back(
        {row.title, number(row.value.median), number(row.value.least), number(row.value.most)});
  }
  return fmt::format("loader {}, dataset {}, batches of {}, {} blocks\n", bench.spec.loader,
                     bench.spec.dataset.kind, bench.spec.batch_per_gpu, bench.blocks) +
         base::print_table({"what", "median", "least", "most"}, cells);
}

}  // namespace

LoaderBench read_loader_bench(const std::vector<std::string>& arguments) {
  LoaderBench bench{.spec = usual_spec()};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&] {
      if (++i == arguments.size()) throw base::UsageError(argument + ": a value is missing");
      return whole_number(argument, arguments[i]);
    };
    if (argument == "--json") {
      bench.json = true;
    } else if (argument == "--test") {
      bench.evaluation = true;
    } else if (argument == "--seconds") {
      bench.seconds = value();
    } else if (argument == "--blocks") {
      bench.blocks = std::max(1, value());
    } else if (i == 0 && argument.find('=') == std::string::npos && !argument.starts_with("-")) {
      bench.spec = read_spec(argument);
    } else {
      set_value(bench.spec, argument);
    }
  }
  // The benchmark always uses one rank, even if the run description specifies more.
  contract::RunSpec& spec = bench.spec;
  spec.gpus = spec.accumulation_steps = 1;
  spec.global_batch = spec.batch_per_gpu;
  contract::validate(spec, "dlscale-bench loader");
  require_available(spec, "dlscale-bench loader");
  return bench;
}

std::string measure_loader(const LoaderBench& bench) {
  keep_freed_memory();  // uses the same memory allocator settings as training
  const auto dataset = load_dataset(bench.spec);
  Epochs epochs(bench, *dataset);
  epochs.block();
  std::vector<LoadBlock> blocks;
  for (int i = 0; i < bench.blocks; ++i) blocks.push_back(epochs.block());
  const std::vector<Row> rows = rows_of(blocks);
  return bench.json ? in_json(bench, rows) : in_table(bench, rows);
}

}  // namespace dlscale::trainer
