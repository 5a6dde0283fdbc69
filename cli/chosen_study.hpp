// SPDX-License-Identifier: Apache-2.0
// Which collected study to analyse and against what: the options that `analyze` and `plot` share.
#pragma once

#include <string>

#include "analysis/frame.hpp"
#include "analysis/report/tables.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

struct StudyChoice {
  std::string folder = ".";
  std::string baseline;  ///< as typed; empty = the study's
  bool mixed = false;
};

/// Declares DIR, --baseline and --mixed; `choice` must outlive the parsing.
void add_study_options(CLI::App& app, StudyChoice& choice);

struct ChosenStudy {
  analysis::Frame frame;
  analysis::AnalysisOptions options;
};

/// Throws base::UsageError for a baseline that is none, or that no curve of the study has.
ChosenStudy open_study(const StudyChoice& choice);

}  // namespace dlscale::cli
