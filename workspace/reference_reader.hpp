// SPDX-License-Identifier: Apache-2.0
// Reads published studies: the shipped ones, and files of the user.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::workspace {

/// Returns the folder share/dlscale/references, which has NAME/reference.toml with tables, and
/// hardware.csv.
std::filesystem::path reference_folder();

std::vector<std::string> references_in(const std::filesystem::path& folder);

/// Reads a study by its name in the folder, or from a file: a study (*.toml) or a single table
/// (*.csv), as described in docs/compare.md. Throws base::UsageError with the nearest name,
/// base::SpecError with the place of an error, and base::RunError for an unreadable file.
analysis::ReferenceStudy read_reference(const std::string& name,
                                        const std::filesystem::path& folder);

}  // namespace dlscale::workspace
