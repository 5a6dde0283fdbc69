// SPDX-License-Identifier: Apache-2.0
// Plans of the shipped studies and sites, and of texts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "planner/planner.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::test {

inline const std::filesystem::path kSource = DLSCALE_SOURCE_DIR;

inline planner::Resources shipped_resources() {
  return {kSource / "sites", kSource / "templates", std::nullopt, std::nullopt};
}

inline planner::Planning plan_example(const std::string& study, const std::string& site,
                                      const std::vector<std::string>& overrides = {}) {
  return planner::make_plan({kSource / "examples/studies" / study / "study.toml", site, overrides},
                            shipped_resources());
}

/// Returns the file with the capabilities of a trainer that is built with CUDA and DALI. See
/// tests/data/capabilities/README.md.
inline std::filesystem::path full_trainer() {
  return kSource / "tests/data/capabilities/cuda-dali.json";
}

/// Returns the complete descriptions of the runs of a plan.
inline std::vector<contract::RunSpec> runs_of(const planner::Planning& planning) {
  std::vector<contract::RunSpec> runs;
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) runs.push_back(planning.run(i));
  return runs;
}

/// Plans the demo study on a site of the given text.
inline planner::Planning plan_demo_on(const std::string& site, const TempDir& dir,
                                      const std::vector<std::string>& overrides = {}) {
  base::write_file_atomically(dir / "c.toml", site);
  return plan_example("demo", (dir / "c.toml").string(), overrides);
}

/// Plans a study on a site of the given texts and writes both files into the folder.
inline planner::Planning plan_texts(const std::string& study, const std::string& site,
                                    const TempDir& dir, bool fit = false) {
  base::write_file_atomically(dir / "study.toml", study);
  base::write_file_atomically(dir / "site.toml", site);
  return planner::make_plan(
      {.study = dir / "study.toml", .site = (dir / "site.toml").string(), .fit = fit},
      shipped_resources());
}

}  // namespace dlscale::test
