// SPDX-License-Identifier: Apache-2.0
// Answers the three questions of a scaling study in sentences: how many GPUs to use, which variant
// is better, and whether the results can be trusted.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

/// Answer to one question. The sentences contain only numbers that the tables of the study also
/// show or that follow from them. Names of variants stand between backticks.
struct Answer {
  std::string question;  ///< for example "How many GPUs?"
  std::string text;
  bool is_supported = false;  ///< true if 95 % intervals or significant tests support the answer
};

/// Check of a requirement for trust in the results, shown as a traffic light.
struct TrustCheck {
  enum class Light { Green, Amber, Red };
  Light light = Light::Green;
  std::string name;   ///< for example "repetitions"
  std::string text;   ///< result of the check
  std::string table;  ///< id of a table with details; empty: the section on conditions
};

/// Runs that would answer an open question.
struct NextStep {
  std::string reason;
  /// Commands that plan and submit these runs, in the plan folder. Empty for third-party logs.
  std::vector<std::string> commands;
};

struct StudyAnswer {
  std::string study;  ///< the study in one sentence
  std::vector<Answer> answers;
  std::vector<TrustCheck> checks;
  std::vector<NextStep> next;
  /// Device and data set of the used runs in one sentence. Empty if no run was used.
  std::string setup = {};
  bool has_several_setups = false;  ///< true if the runs used several devices or data sets
};

/// Returns the answers for the runs in the frame. The same frame always gives the same texts.
StudyAnswer answer_study(const Frame& frame, const AnalysisOptions& options);

/// Returns the most serious light of the checks, or Green without checks.
TrustCheck::Light worst_light(const StudyAnswer& answer);

/// Returns "ok", "caution" or "problem".
const char* light_word(TrustCheck::Light light);

/// Returns the answers as plain text with lines of at most 98 columns, for terminals.
std::string answer_text(const StudyAnswer& answer);

}  // namespace dlscale::analysis
