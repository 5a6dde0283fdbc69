// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/launch_format.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "analysis/import/foreign_text.hpp"
#include "analysis/import/reading/launcher_prefix.hpp"

namespace dlscale::analysis {
namespace {

/// Bytes at the beginning of a log that are searched for the first epoch. A live table of runs
/// reads the logs of all running runs again and again.
constexpr std::size_t kHeadBytes = std::size_t{4} << 20;

}  // namespace

LaunchFormat::LaunchFormat(const DescribedFormat& described, const contract::LaunchDir& launch,
                           const contract::RunSpec& run)
    : described_(described) {
  if (launch.number() <= 1 || !described.finds_first_epoch()) return;
  const LogFormat& format = described.entry();
  for (const auto& earlier : contract::RunDir(launch.root().parent_path()).launches()) {
    if (earlier.number() >= launch.number()) return;
    std::string text = head_of(earlier.root() / format.launch_file(), kHeadBytes);
    text = without_launcher_prefixes(std::move(text), format.recognises);
    const std::optional<int> epochs_from = format.read(text, run).epochs_from;
    if (!epochs_from) continue;
    counted_.emplace(described.text(), "", epochs_from);
    return;
  }
}

}  // namespace dlscale::analysis
