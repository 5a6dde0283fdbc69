// SPDX-License-Identifier: Apache-2.0
// Small study with parts that tests replace, and helpers to read the study.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "planner/study/study_reader.hpp"

namespace dlscale::test {

/// Five sections of a study file, with defaults that form a valid study.
struct StudyText {
  std::string study = "name = \"s\"";
  std::string matrix = "model = \"mlp\"\ngpus = [1, 2]\nbatch_per_gpu = 32";
  std::string training = "lr = { base_per_gpu = 0.1 }";
  std::string resources = "";
  std::string rest = "";
  std::string text() const {
    return "[study]\n" + study + "\n[matrix]\n" + matrix + "\n[training]\n" + training +
           "\n[resources]\n" + resources + "\n" + rest + "\n";
  }
};

inline planner::Study read(const StudyText& study, const std::vector<std::string>& overrides = {}) {
  return planner::read_study(study.text(), "s.toml", overrides);
}

/// Returns the message of the SpecError or UsageError that `act` throws, or an empty text.
template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace dlscale::test
