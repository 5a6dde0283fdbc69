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
    .summary = "results.jsonl of dlscale-train (docs/results-format.md)",
    .rates =
        "The rate is the number of samples of all ranks divided by the wall time of the slowest "
        "rank, which includes waiting for data. The first steps of a launch are marked as warm-up.",
    .cross_check =
        "nothing is compared, because the trainer counts samples and measures times itself and "
        "prints no total in addition.",
    .file = "results.jsonl",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
