// SPDX-License-Identifier: Apache-2.0
// Finds the classes and the image files in a tree with one folder per class, and puts the files in
// order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/skip_tally.hpp"

namespace dlscale::images {

using ClassNames = std::vector<std::string>;

/// Maximum number of classes, because labels have 16 bits.
inline constexpr std::size_t kMostClasses = 65536;

/// Image file with the number of its class.
struct ClassFile {
  std::filesystem::path path;
  std::uint16_t label;
};

/// Returns the folder with the test images in `root`: the first of "val", "validation" and "test"
/// that exists. Throws base::RunError (contract::kExitData) if none of them exists. All functions
/// in this file throw this error if a folder is missing or cannot be read.
std::filesystem::path test_folder(const std::filesystem::path& root);

/// Returns the sorted names of the folders in `split`. torchvision's ImageFolder numbers classes in
/// the same order.
ClassNames class_names(const std::filesystem::path& split);

/// Returns the classes of root/train. The test images use the same class numbers. The test folder
/// may lack classes, but a class that only the test folder has is an error.
ClassNames class_names_of_tree(const std::filesystem::path& root);

/// Returns the JPEG and PNG files of the classes in `split`, selected by the endings of the file
/// names. The list contains one file of each class in turn, and the files of a class are sorted by
/// name. The first N files therefore contain nearly the same number of files of each class. A class
/// may lack a folder, but a class folder without an image is an error. Counts in `skipped` the
/// files in `split` that are not returned, and the classes without a folder.
std::vector<ClassFile> class_files(const std::filesystem::path& split, const ClassNames& classes,
                                   base::SkipTally& skipped);
/// Returns the same files as class_files() with `skipped`, for callers that do not report skipped
/// files.
std::vector<ClassFile> class_files(const std::filesystem::path& split, const ClassNames& classes);

/// Counts in `skipped` the files that lie directly in `root`, and the test folders that
/// test_folder() does not choose.
void count_skipped_in_root(const std::filesystem::path& root, base::SkipTally& skipped);

}  // namespace dlscale::images
