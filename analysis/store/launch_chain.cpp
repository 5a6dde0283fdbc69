// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/launch_chain.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

struct LaunchChains::Prepared {
  SQLite::Statement source;
};

LaunchChains::LaunchChains(SQLite::Database& database)
    : prepared_(new Prepared{
          {database,
           "SELECT resumed_from, resumed_step FROM launch WHERE run_id = ? AND launch = ?"}}) {}
LaunchChains::~LaunchChains() = default;

std::vector<LaunchLink> LaunchChains::chain_to(const std::string& run_id, int launch) {
  SQLite::Statement& source = prepared_->source;
  std::vector<LaunchLink> chain{{launch}};
  while (true) {
    source.reset();
    source.bind(1, run_id);
    source.bind(2, chain.back().launch);
    if (!source.executeStep()) break;
    const int from = contract::LaunchDir(source.getColumn(0).getString()).number();
    if (from == 0 || from >= chain.back().launch) break;
    chain.push_back({from, source.getColumn(1)});
  }
  source.reset();
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace dlscale::analysis
