// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/thread_launch.hpp"

#include <torch/types.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "base/file.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/process_count.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/comm/thread.hpp"
#include "trainer/failure/failure.hpp"
#include "trainer/loop/assemble.hpp"
#include "trainer/loop/inference.hpp"

namespace dlscale::test {
namespace {

/// Returns the tensors of the model in a checkpoint, converted to doubles, as bytes.
std::string bytes_of_model(const std::vector<trainer::NamedTensor>& state) {
  std::string bytes;
  for (const trainer::NamedTensor& part : state) {
    if (!part.name.starts_with("model.")) continue;
    const at::Tensor flat = part.tensor.detach().to(at::kCPU, at::kDouble).contiguous();
    bytes.append(static_cast<const char*>(flat.data_ptr()), flat.nbytes());
  }
  return bytes;
}

/// Runs one rank of a launch. The records stay in the folder of the launch.
ThreadLaunch take_part(const contract::RunSpec& spec, const contract::RunDir& run,
                       const contract::LaunchDir& folder, const Trouble& trouble,
                       trainer::Communicator& communicator) {
  base::SystemClock clock;
  trainer::CollectiveQueue queue(communicator, clock);
  trainer::ResultWriter writer;
  if (queue.rank() == 0) writer.open(folder);
  auto parts = trainer::assemble(spec, queue.rank(), queue, clock);
  trainer::Checkpointer checkpoints(
      {spec, run, folder.number(), queue, writer, clock, parts.digests["model_sha256"]},
      *parts.style);
  const trainer::Resumed resumed = checkpoints.resume();
  int question = 0;
  const auto told = [&] { return queue.rank() == trouble.rank && question++ >= trouble.question; };
  const trainer::TrainerTools tools{queue, writer, clock, checkpoints, told};
  const trainer::FitResult result =
      spec.mode == "inference" ? trainer::measure_inference(spec, parts, tools)
                               : trainer::Trainer(spec, parts, tools, resumed.progress).fit();
  writer.stop(
      {.outcome = result.outcome, .reason = result.early.empty() ? result.summary : result.early});
  const auto state = parts.style->state();
  return {{},
          result.outcome,
          result.summary,
          resumed.from,
          queue.rank() == 0 ? bytes_of_model(state) : ""};
}

std::vector<contract::ResultRecord> records_in(const contract::LaunchDir& folder) {
  return contract::parse_results(base::read_file(folder.results())).records;
}

}  // namespace

ThreadLaunch launch(const contract::RunSpec& spec, const std::filesystem::path& run_folder,
                    const Trouble& trouble) {
  const contract::RunDir run(run_folder);
  const contract::LaunchDir folder = run.make_next_launch();
  if (trouble.prepare) trouble.prepare(folder);
  ThreadLaunch seen;
  trainer::run_as_threads(contract::process_count(spec), [&](trainer::Communicator& rank) {
    ThreadLaunch mine = take_part(spec, run, folder, trouble, rank);
    if (rank.rank() == 0) seen = std::move(mine);
  });
  seen.records = records_in(folder);
  return seen;
}

ThreadLaunch run(const contract::RunSpec& spec) {
  TempDir folder;
  return launch(spec, folder.path());
}

ThreadLaunch run_as_rank(const contract::RunSpec& spec, trainer::Communicator& ranks) {
  const TempDir mine;  // all ranks share the folder of rank 0
  const bool is_root = ranks.rank() == 0;
  if (is_root) contract::RunDir(mine.path()).make_next_launch();
  std::string path = mine.path();
  {
    const base::SystemClock clock;
    trainer::CollectiveQueue queue(ranks, clock);
    path = trainer::broadcast_text(path, queue);
  }
  const contract::RunDir run(path);
  ThreadLaunch seen = take_part(spec, run, run.launch(1), {}, ranks);
  if (is_root) seen.records = records_in(run.launch(1));
  return seen;
}

ThreadLaunch run_with_stop(const contract::RunSpec& spec) {
  TempDir folder;
  const int last_rank = contract::process_count(spec) - 1;
  const auto first = launch(spec, folder.path(), {.rank = last_rank, .question = 1});
  REQUIRE(first.outcome == contract::RunOutcome::Preempted);
  auto second = launch(spec, folder.path());
  CHECK(second.resumed_from == "launch-1");
  return second;
}

double largest_difference(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); i += sizeof(double)) {
    double x = 0, y = 0;
    std::memcpy(&x, &a[i], sizeof x);
    std::memcpy(&y, &b[i], sizeof y);
    largest = std::max(largest, std::abs(x - y));
  }
  return largest;
}

}  // namespace dlscale::test
