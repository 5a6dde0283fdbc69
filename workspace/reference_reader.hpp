// SPDX-License-Identifier: Apache-2.0
// Published studies from their files: those that come with dlscale, and one's own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::workspace {

/// share/dlscale/references: NAME/reference.toml with its tables, and hardware.csv.
std::filesystem::path reference_folder();

std::vector<std::string> references_in(const std::filesystem::path& folder);

/// One of the folder by its name, or a file: a study (*.toml) or a single table (*.csv), as
/// docs/compare.md describes them. Throws base::UsageError with the nearest name, base::SpecError
/// with the place of what is wrong, base::RunError for a file that cannot be read.
analysis::ReferenceStudy read_reference(const std::string& name,
                                        const std::filesystem::path& folder);

}  // namespace dlscale::workspace
