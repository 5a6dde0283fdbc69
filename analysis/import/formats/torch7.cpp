// SPDX-License-Identifier: Apache-2.0
// Reads logs of Torch 7 training scripts that print "json_stats: {…}" after each epoch, as
// szagoruyko/wide-residual-networks (train.lua) does.
// "train_time" is the wall time of the training of an epoch on all devices of the single process,
// including waiting for data. "test_acc" is in percent. The log does not state the number of
// samples of an epoch. There is a rate only if the user states this number (dataset.train_samples).
#include <algorithm>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/json_object.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kMark = "json_stats: {";

class Torch7LogReader {
 public:
  explicit Torch7LogReader(const contract::RunSpec& run) : log_(run, "torch7") {}

  void read_line(const LogLine& line) {
    const std::size_t at = line.text.find(kMark);
    if (at == std::string_view::npos) return;
    std::string_view object = line.text.substr(at + kMark.size() - 1);
    object = object.substr(0, object.rfind('}') + 1);  // removes the tab that Lua's print adds
    if (!json_.read(object)) {
      return line.complete ? log_.skip("no JSON after \"json_stats:\"") : log_.cut_off();
    }
    const auto epoch = json_.integer("epoch");
    if (!epoch) return log_.skip("no epoch in \"json_stats:\"");
    if (log_.repeats(told_, {*epoch, 0})) return;
    take_facts();
    take_epoch(*epoch - 1);  // epochs count from 1
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  void take_facts() {
    log_.fact("model", std::string(json_.text("model").value_or("")));
    log_.fact("global_batch", json_.integer("batchSize").value_or(0));
    log_.fact("gpus", json_.integer("nGPU").value_or(0));
    log_.fact("epochs", json_.integer("max_epoch").value_or(0));
    log_.fact("optimizer", std::string(json_.text("optimMethod").value_or("")));
    const std::string_view dataset = json_.text("dataset").value_or("");
    const std::size_t slash = dataset.rfind('/') + 1;  // 0 for a name without a slash
    log_.fact("dataset", std::string(dataset.substr(slash, dataset.rfind('.') - slash)));
    log_.start().parameters = json_.integer("n_parameters").value_or(0);
    log_.start().trainable_parameters = log_.start().parameters;
  }

  void take_epoch(std::int64_t number) {
    const auto wall_s = json_.number("train_time");
    const double loss = json_.loss("loss");
    const double lr = json_.number("lr").value_or(std::nan(""));
    const std::int64_t samples = log_.start().train_samples;
    const std::int64_t steps = samples / std::max<std::int64_t>(log_.global_batch(), 1);
    if (wall_s && number >= 0 && number < 1'000'000'000) {
      contract::EpochRecord epoch{.epoch = static_cast<int>(number), .wall_s = *wall_s};
      epoch.steps = steps;
      epoch.samples = samples;
      epoch.train_loss = loss;
      epoch.lr = lr;
      if (steps > 0) add_steps(epoch);
      log_.add_epoch(epoch);
    }
    if (const auto accuracy = json_.number("test_acc")) {
      log_.add_eval(number, *accuracy / 100, std::nan(""), {},
                    json_.number("test_time").value_or(std::nan("")));
    }
  }

  void add_steps(const contract::EpochRecord& epoch) {
    TimedSteps steps{.epoch = epoch.epoch, .steps = epoch.steps};
    steps.samples = static_cast<double>(epoch.samples);
    steps.wall_s = epoch.wall_s;
    steps.lr = epoch.lr;
    steps.loss = epoch.train_loss;
    steps.warmup = log_.steps() == 0;
    log_.add_steps(steps);
  }

  CollectedLog log_;
  JsonObject json_;
  RunPlace told_;
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    return line.starts_with(kMark) && line.find("\"epoch\":") != std::string_view::npos;
  });
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<Torch7LogReader>(text, run, {&recognises});
}

}  // namespace

extern const LogFormat torch7_entry;
const LogFormat torch7_entry{
    .name = "torch7",
    .summary = "logs of Torch 7 scripts that print \"json_stats:\" lines",
    .rates =
        "The rate is for one process with all its devices and includes waiting for data. It "
        "exists only if the user states the number of samples in an epoch. The first epoch is "
        "marked as warm-up.",
    .cross_check = "nothing is compared, because an epoch has one time and no rate",
    .file = "stdout",
    .needs_run = true,
    .recognises = &recognises,
    .read = &read_log,
};

}  // namespace dlscale::analysis
