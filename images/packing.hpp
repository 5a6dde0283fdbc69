// SPDX-License-Identifier: Apache-2.0
// Packs the image files of a split into a record file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "images/class_folders.hpp"
#include "images/stored_image.hpp"

namespace dlscale::images {

/// Options of pack_split().
struct PackOptions {
  StoredForm form;
  int threads = 1;
  bool leaves_out_broken = false;             ///< flag to skip broken images instead of failing
  std::optional<std::uint64_t> shuffle_seed;  ///< seed of the shuffle; empty: class_files() order
  std::uint32_t alignment = 4096;             ///< alignment of records in bytes
  bool replaces = false;                      ///< flag to overwrite an existing record file
};

/// Callbacks of pack_split() in the thread of its caller. An exception of a callback ends the
/// packing and leaves no new file.
struct PackObserver {
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  std::function<void(const std::string& complaint)> left_out;
  /// Callback for the files in the folder of the split that are not read. pack_split() calls this
  /// callback once, before it packs the first image.
  std::function<void(const base::SkipTally& skipped)> skipped = {};
};

inline constexpr const char* kTrain = "train";
inline constexpr const char* kTest = "val";  ///< test split, independent of the folder name

/// Split of a data set, for training or testing, and the path of its record file.
struct Split {
  std::filesystem::path folder;
  ClassNames classes;
  std::filesystem::path out;
};

/// Finds the split `name` (kTrain or kTest) of the images below `root`, to be packed into the
/// folder `out`. Throws base::UsageError or base::RunError if the split has no classes.
Split find_split(const std::filesystem::path& root, const std::string& name,
                 const std::filesystem::path& out);

/// Packs the images of the folder `split` into the record file `out`. Several threads decode and
/// encode the images. The bytes of `out` do not depend on the number of threads. Returns whether
/// `out` was written. Keeps an existing `out` that was made from the same files with the same
/// options, and returns false. Throws base::UsageError for a broken image and for an `out` that was
/// made differently. Throws base::RunError if a file cannot be read or written. After an error
/// `out` is unchanged.
bool pack_split(const std::filesystem::path& split, const ClassNames& classes,
                const std::filesystem::path& out, const PackOptions& options,
                const PackObserver& observer);

}  // namespace dlscale::images
