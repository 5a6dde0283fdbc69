// SPDX-License-Identifier: Apache-2.0
// dlscale-train's own records.
#include "analysis/store/formats/log_format.hpp"

namespace dlscale::analysis {
namespace {

contract::ResultsFile read(std::string_view text, const contract::RunSpec&) {
  return contract::parse_results(text);
}

}  // namespace

extern const LogFormat dlscale_entry;
const LogFormat dlscale_entry{
    .name = "dlscale",
    .summary = "results.jsonl as dlscale-train writes it (docs/results-format.md)",
    .file = "results.jsonl",
    .needs_run = false,
    .read = &read,
};

}  // namespace dlscale::analysis
