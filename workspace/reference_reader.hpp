// SPDX-License-Identifier: Apache-2.0
// Reads published studies: studies that dlscale includes, and files of the user.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/publications/reference_study.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {

/// Returns the folder share/dlscale/references. It contains hardware.csv, and a folder NAME with
/// reference.toml and tables for each study.
std::filesystem::path reference_folder();

/// Returns the publication that the study of a plan folder names ([study] reference): a name or an
/// absolute path. Returns an empty text if the folder has no plan or the study names no
/// publication.
std::string reference_of_study(const contract::PlanDir& folder);

std::vector<std::string> references_in(const std::filesystem::path& folder);

/// Reads a study by its name in `folder`, or from a file. The file is a study (*.toml) or a single
/// table (*.csv), as described in docs/compare.md. Throws base::UsageError for an unknown name. The
/// message suggests the most similar name. Throws base::SpecError with the position of an error in
/// the file, and base::RunError for an unreadable file.
analysis::ReferenceStudy read_reference(const std::string& name,
                                        const std::filesystem::path& folder);

/// Throws base::UsageError if the plan names a publication ([study] reference) that dlscale does
/// not know. The message suggests the most similar name. Throws base::SpecError if the file of the
/// publication is invalid.
void check_reference(const contract::Plan& plan);

}  // namespace dlscale::workspace
