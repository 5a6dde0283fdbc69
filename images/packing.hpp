// SPDX-License-Identifier: Apache-2.0
// Packs the image files of a split into a record file or into TFRecord files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "images/class_folders.hpp"
#include "images/stored_image.hpp"

namespace dlscale::images {

/// Options for pack_split().
struct PackOptions {
  StoredForm form;
  int threads = 1;
  /// True if broken images are skipped instead of failing.
  bool leaves_out_broken = false;
  /// Seed of the shuffle. If empty, the images keep the order of class_files().
  std::optional<std::uint64_t> shuffle_seed;
  std::uint32_t alignment = 4096;  ///< alignment of records in bytes
  bool replaces = false;           ///< true if an existing record file is overwritten
};

/// Callbacks that pack_split() calls in the thread of its caller. If a callback throws, the packing
/// ends and leaves no new file.
struct PackObserver {
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  std::function<void(const std::string& complaint)> left_out;
  /// Callback that receives the files in the folder of the split that are not read. pack_split()
  /// calls it once, before it packs the first image.
  std::function<void(const base::SkipTally& skipped)> skipped = {};
};

inline constexpr const char* kTrain = "train";
/// Name of the test split, whatever its folder is called.
inline constexpr const char* kTest = "val";

/// Training or test split of a data set, and the path of the record file for the split.
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
/// `out` was written. If `out` already exists and was made from the same files with the same
/// options, keeps it and returns false. Throws base::UsageError for a broken image and for an `out`
/// that was made differently. Throws base::RunError if a file cannot be read or written. After an
/// error `out` is unchanged.
bool pack_split(const std::filesystem::path& split, const ClassNames& classes,
                const std::filesystem::path& out, const PackOptions& options,
                const PackObserver& observer);

/// Returns the name that TFRecord files have for the split `name` (kTrain or kTest): "train" or
/// "validation", as TensorFlow's scripts for ImageNet name their files.
std::string tfrecord_split(const std::string& name);

/// Number of images in a TFRecord file if the user does not choose the number of files.
inline constexpr std::int64_t kImagesPerShard = 1000;

/// Packs the images of the folder `split` into TFRecord files in the folder `out`, with the names
/// <name>-00000-of-<shards>, and so on. Labels are numbered from 1, as by TensorFlow's scripts for
/// ImageNet. `shards` = 0 writes one file for every kImagesPerShard images. Files that already
/// exist are an error unless options.replaces is set. Then they are removed before the first new
/// file is written. Errors are those of pack_split(). After an error no new file is left.
void pack_tfrecords(const std::filesystem::path& split, const ClassNames& classes,
                    const std::filesystem::path& out, const std::string& name, int shards,
                    const PackOptions& options, const PackObserver& observer);

}  // namespace dlscale::images
