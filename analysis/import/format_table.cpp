// SPDX-License-Identifier: Apache-2.0
// Defines log_formats(), the table of the built-in and the shipped described formats.
#include <deque>
#include <vector>

#include "analysis/import/described_format.hpp"
#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {
namespace {

/// All formats. The described formats are parsed when the table is first used.
struct FormatTable {
  std::deque<DescribedFormat> described;
  std::vector<const LogFormat*> all;

  FormatTable() {
    for (const LogFormat* format : built_in_log_formats()) all.push_back(format);
    for (const FormatText& one : shipped_format_texts()) {
      all.push_back(&described.emplace_back(one.text, one.file).entry());
    }
  }
};

}  // namespace

base::Table<LogFormat> log_formats() {
  static const FormatTable table;
  return table.all;
}

}  // namespace dlscale::analysis
