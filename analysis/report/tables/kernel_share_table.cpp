// SPDX-License-Identifier: Apache-2.0
// Builds the table of the shares of kernel time.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/metrics/scaling/epoch_results.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

Table kernel_shares_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points =
      run_points(frame, [](const RunRow& run) { return completed(run) && !run.profiles.empty(); });
  const Start start(frame, keys_of(points));
  std::vector<std::string> notes{
      describe_mode(frame), "sums of kernel time over the profiled steps of the n repeats",
      "kernels can overlap, so kernel time is not wall time; CPU occupancy = CPU time / (wall time "
      "x cores of a rank); I/O/epoch = I/O kernel time of a rank x steps of an epoch / profiled "
      "steps"};
  add_frame_notes(notes, frame);
  Table table = begin_table(start, "kernel-shares", "Shares of kernel time in " + frame.study,
                            std::move(notes),
                            {{"n", "n"},
                             {"profiled_steps", "profiled steps"},
                             {"communication", "communication", "%", 2, 100},
                             {"io", "I/O", "%", 2, 100},
                             {"computation", "computation", "%", 2, 100},
                             {"other", "other", "%", 2, 100},
                             {"cpu_occupancy", "CPU occupancy", "%", 1, 100},
                             {"io_s_per_epoch", "I/O/epoch", "s", 2}});
  for (const RunPoint& point : points) {
    const std::optional<KernelShares> shares = kernel_shares(point.repeats);
    if (!shares) continue;
    Row row = start.row(point.key, point.first().gpus);
    row.number(static_cast<double>(shares->n)).number(static_cast<double>(shares->steps));
    row.number(shares->communication).number(shares->io).number(shares->computation);
    row.number(shares->other).number(shares->cpu_occupancy).number(shares->io_s_per_epoch);
    row.into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
