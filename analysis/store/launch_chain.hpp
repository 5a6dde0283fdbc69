// SPDX-License-Identifier: Apache-2.0
// Finds the launches that make up the result of a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/store/launch_link.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

class LaunchChains {
 public:
  explicit LaunchChains(SQLite::Database& database);
  ~LaunchChains();
  LaunchChains(const LaunchChains&) = delete;
  LaunchChains& operator=(const LaunchChains&) = delete;

  /// Returns the launches that make up the result of `launch`, earliest first: each launch resumed
  /// from a checkpoint of the launch before it in the list.
  std::vector<LaunchLink> chain_to(const std::string& run_id, int launch);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
