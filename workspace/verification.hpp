// SPDX-License-Identifier: Apache-2.0
// Computes tables and reports again from the records, and compares the results with the existing
// files.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "workspace/chosen_study.hpp"

namespace dlscale::workspace {

struct VerifyChoice {
  StudyChoice study;
  std::vector<std::string> by;
  /// Folder of `dlscale report`. Empty means compare the tables of `dlscale collect`.
  std::string report;
};

struct Verified {
  const char* what = "tables";
  const char* other_than = "tables of a metric";
  std::size_t files = 0;
  std::size_t lines = 0;
  std::size_t different = 0;
  std::size_t pictures = 0;  ///< number of images, which are not compared
  /// Files that should exist according to the records but do not.
  std::vector<std::string> missing;
  std::vector<std::string> others;  ///< files that dlscale does not write
};

/// Compares the files below `folder` with the files below `again`, which dlscale wrote from the
/// records, and prints differing lines to `out`. Files that only `folder` has are counted as images
/// or listed in Verified::others. `kind` names the compared files in messages: "files of a report".
Verified compare_folders(const std::filesystem::path& folder, const std::filesystem::path& again,
                         const char* kind, std::ostream& out);

/// Compares the tables of `dlscale collect`, and prints differing lines to `out`. Throws
/// base::Error with kExitNothingMatched if there are no tables.
Verified verify_collected(const VerifyChoice& choice, std::ostream& out);

/// Compares all files of a report except images: tables, data and scripts of figures, values.tex,
/// paper.tex and the HTML page. Prints and throws what verify_collected prints and throws.
Verified verify_report(const VerifyChoice& choice, std::ostream& out);

}  // namespace dlscale::workspace
