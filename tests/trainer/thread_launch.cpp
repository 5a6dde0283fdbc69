// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/thread_launch.hpp"

#include <torch/torch.h>

#include "base/file.hpp"
#include "trainer/assemble.hpp"
#include "trainer/comm/thread.hpp"

namespace dlscale::test {
namespace {

std::string bytes_of(const trainer::Model& model) {
  std::string bytes;
  for (const at::Tensor& parameter : model.parameters()) {
    const at::Tensor flat = parameter.detach().contiguous();
    bytes.append(static_cast<const char*>(flat.data_ptr()), flat.nbytes());
  }
  return bytes;
}

}  // namespace

ThreadLaunch launch(const contract::RunSpec& spec, const std::filesystem::path& run_folder,
                    const Trouble& trouble) {
  const contract::RunDir run(run_folder);
  const contract::LaunchDir folder = run.make_next_launch();
  if (trouble.prepare) trouble.prepare(folder);
  ThreadLaunch seen;
  trainer::run_as_threads(spec.gpus, [&](trainer::Communicator& communicator) {
    base::SystemClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    trainer::ResultWriter writer;
    if (queue.rank() == 0) writer.open(folder);
    auto parts = trainer::assemble(spec, queue.rank(), queue, clock);
    trainer::Checkpointer checkpoints({spec, run, folder.number(), queue, writer, clock},
                                      state_of(parts));
    const trainer::Resumed resumed = checkpoints.resume();
    int question = 0;
    const auto told = [&] {
      return queue.rank() == trouble.rank && question++ >= trouble.question;
    };
    const auto result =
        trainer::Trainer(spec, parts, {queue, writer, clock, checkpoints, told}, resumed.progress)
            .fit();
    writer.stop({.outcome = result.outcome, .reason = result.summary});
    if (queue.rank() != 0) return;
    seen = {{}, result.outcome, result.summary, resumed.from, bytes_of(*parts.model)};
  });
  seen.records = contract::parse_results(base::read_file(folder.results())).records;
  return seen;
}

}  // namespace dlscale::test
