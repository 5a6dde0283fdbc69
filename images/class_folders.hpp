// SPDX-License-Identifier: Apache-2.0
// Trees of image files: which classes there are, in which order their files come.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/skip_tally.hpp"

namespace dlscale::images {

using ClassNames = std::vector<std::string>;

/// Labels have 16 bits.
inline constexpr std::size_t kMostClasses = 65536;

struct ClassFile {
  std::filesystem::path path;
  std::uint16_t label;
};

/// The folder with the tests: "val", "validation" or "test", whichever is there first. As all here
/// throws base::RunError (contract::kExitData) where there is none or it cannot be read.
std::filesystem::path test_folder(const std::filesystem::path& root);

/// The folders in `split` by name, as torchvision's ImageFolder numbers them.
ClassNames class_names(const std::filesystem::path& split);

/// The classes of root/train, which also number those of the tests: these may lack some, but have
/// none of their own.
ClassNames class_names_of_tree(const std::filesystem::path& root);

/// Returns the JPEG and PNG files by their endings, class after class in turn, of a class by name:
/// every beginning is balanced. A class may have no folder, but none without an image. Counts in
/// `skipped` what is in the folder `split` and is not returned, and the classes without a folder.
std::vector<ClassFile> class_files(const std::filesystem::path& split, const ClassNames& classes,
                                   base::SkipTally& skipped);
/// Likewise, for callers that do not report what is skipped.
std::vector<ClassFile> class_files(const std::filesystem::path& split, const ClassNames& classes);

/// Counts the files that lie in `root` itself, and the folders that would hold the tests if
/// test_folder() did not take another.
void count_skipped_in_root(const std::filesystem::path& root, base::SkipTally& skipped);

}  // namespace dlscale::images
