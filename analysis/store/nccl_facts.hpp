// SPDX-License-Identifier: Apache-2.0
// Reads what NCCL reports about itself in the output of a run with NCCL_DEBUG=INFO.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

/// Returns the facts that NCCL printed, as entries of a launch's environment:
/// - nccl: version, such as 2.21.5+cuda12.4
/// - nccl_channels: number of channels of collectives
/// - nccl_algorithms: algorithm and protocol of collectives, in NCCL's words. NCCL prints them with
///   NCCL_DEBUG_SUBSYS=TUNING.
///
/// If ranks or communicators differ, an entry lists all values in the order of the output. An entry
/// that the output does not contain is missing.
std::map<std::string, std::string> nccl_facts(std::string_view text);

/// Returns the facts in the first megabytes of the files. Files that cannot be read count as empty.
std::map<std::string, std::string> nccl_facts_in(const std::vector<std::filesystem::path>& files);

}  // namespace dlscale::analysis
