// SPDX-License-Identifier: Apache-2.0
// What files beside a log say of its run, where the log leaves it out.
#pragma once

#include <filesystem>

#include "analysis/import/mapped_format.hpp"

namespace dlscale::analysis {

/// From "benchmark.para" in the log's folder (lambdal/deeplearning-benchmark: "GPU 8",
/// "GLOBAL_BATCH 2560") gpus and global_batch; from the system description of MLPerf Training
/// results (results/SYSTEM/BENCHMARK/LOG has systems/SYSTEM.json: training_policies,
/// submission_rules) gpus, as accelerators, and nodes. Files that are otherwise say nothing.
AxisValues facts_beside(const std::filesystem::path& log);

}  // namespace dlscale::analysis
