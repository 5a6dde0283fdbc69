// SPDX-License-Identifier: Apache-2.0
// Data sets that are a tree of image files: <split>/<class>/<image>.
#pragma once

#include <filesystem>

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

/// Of red, green and blue, between 0 and 1.
struct ColourStatistics {
  std::vector<double> mean, deviation;
};

/// The folder with the tests: "val", "validation" or "test", whichever is there first. Throws
/// base::RunError (contract::kExitData) where none is.
std::filesystem::path test_folder(const std::filesystem::path& root);

/// Decodes everything into memory. Classes are the folders of train, by name; samples are the
/// classes' images by name, class after class in turn, so that every beginning is balanced. As
/// DatasetEntry::load.
Dataset load_image_tree(const contract::DatasetSpec& spec, const ColourStatistics& colours);

}  // namespace dlscale::trainer
