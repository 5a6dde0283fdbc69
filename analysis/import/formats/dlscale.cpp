// SPDX-License-Identifier: Apache-2.0
// Reads the records of dlscale-train.
#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {
namespace {

bool recognises(std::string_view head) {
  return head.starts_with(R"({"record": "run_start", )");
}

LogContent read_log(std::string_view text, const contract::RunSpec&) {
  return {.facts = {}, .file = contract::parse_results(text)};
}

}  // namespace

extern const LogFormat dlscale_entry;
const LogFormat dlscale_entry{
    .name = "dlscale",
    .summary = "results.jsonl as dlscale-train writes it (docs/results-format.md)",
    .rates =
        "of all ranks over the slowest rank's wall time, waiting for data included; a launch's "
        "first steps are marked as warm-up",
    .cross_check =
        "nothing: the trainer counts samples and times itself and prints no total next to them",
    .file = "results.jsonl",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
