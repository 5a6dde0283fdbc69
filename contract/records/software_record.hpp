// SPDX-License-Identifier: Apache-2.0
// Defines the description of the code and the software that an external run used. The script
// software/describe.sh of a plan folder writes it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Code and software of an external run. A text is empty if it could not be read. Digests are the
/// first 12 digits of SHA-256 digests.
struct SoftwareRecord {
  std::string repository;  ///< top folder of the git repository that contains the training script
  std::string commit;      ///< full hash of the commit
  /// Digest of the changes since the commit. Empty without changes, "unknown" if git failed.
  std::string difference;
  std::string script;         ///< path of the training script
  std::string script_digest;  ///< digest of the training script
  std::string python, python_path;
  /// Variables that change where Python finds its packages, as "PYTHONPATH=/a:/b".
  std::string python_variables = {};
  std::string packages;  ///< digest of the list of packages, see packages_file()
  std::string torch, nccl;
  std::string modules;  ///< loaded environment modules, separated by colons
  std::string driver;   ///< version of the GPU driver
  bool operator==(const SoftwareRecord&) const = default;
};

/// Reads a description. `file` is the name for error messages. Ignores unknown keys. Throws
/// base::SpecError if the text is not a JSON object.
SoftwareRecord software_from_json(std::string_view text, const std::string& file);

/// Returns the name of the file with the list of packages, in the folder of the description.
std::string packages_file(const SoftwareRecord& record);

/// Returns the name of the file with the digests and the names of the changed files, in the folder
/// of the description. Requires a description with a difference.
std::string changes_file(const SoftwareRecord& record);
/// Returns the names of the files that differ between two contents of changes_file(). Each line is
/// "DIGEST  NAME". A file that only one of the contents names differs, because it is unchanged or
/// missing in the other version.
std::vector<std::string> differing_files(std::string_view first, std::string_view second);

/// Packages in which two lists of packages differ, as text: "numpy 1.26, no torch". Both texts name
/// the same packages in the same order. They are empty if the lists are equal.
struct PackageDifference {
  std::string first, second;
};
/// Compares the contents of two files of packages_file(). Each line is "NAME==VERSION". If many
/// packages differ, the texts name the first ones and the number of the others.
PackageDifference difference_of_packages(std::string_view first, std::string_view second);

/// Returns the version of the code in a few words: the commit and whether files were changed, or
/// the script and its digest. Returns an empty text if both are unknown.
std::string code_version(const SoftwareRecord& record);

/// Returns the conditions under which runs with this software are comparable, by name: code,
/// python, packages, torch, nccl, modules and driver. Unknown values are left out.
std::map<std::string, std::string> conditions_of(const SoftwareRecord& record);

/// Returns a text on how the code of a run changed between its submission and its start, or an
/// empty text if there is no change. `files` are the names of the changed files, or empty if they
/// are unknown. The packages are compared only if both descriptions are about the same Python
/// program with the same variables. The modules and the environment of a job may provide another
/// Python program, or other packages, than the environment of the submission.
std::string change_of(const SoftwareRecord& submitted, const SoftwareRecord& started,
                      const std::string& files = "");

}  // namespace dlscale::contract
