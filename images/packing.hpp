// SPDX-License-Identifier: Apache-2.0
// Making a record file of a split's image files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "images/class_folders.hpp"
#include "images/stored_image.hpp"

namespace dlscale::images {

struct PackOptions {
  StoredForm form;
  int threads = 1;
  bool leaves_out_broken = false;             ///< else the first broken image is an error
  std::optional<std::uint64_t> shuffle_seed;  ///< empty: the order of class_files()
  std::uint32_t alignment = 4096;             ///< of records, bytes
  bool replaces = false;                      ///< a file that was packed otherwise
};

/// Told while a split is packed, by the caller's thread. What they throw ends it, and nothing
/// stays.
struct PackObserver {
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  std::function<void(const std::string& complaint)> left_out;
  /// What of the split's folder is no image that is read; called once, before anything is packed.
  std::function<void(const base::SkipTally& skipped)> skipped = {};
};

inline constexpr const char* kTrain = "train";
inline constexpr const char* kTest = "val";  ///< whatever the folder is called

/// One of the two parts of a data set, and the record file that it becomes.
struct Split {
  std::filesystem::path folder;
  ClassNames classes;
  std::filesystem::path out;
};

/// Finds the part of the images below `root` that is called kTrain or kTest, to be packed into the
/// folder `out`. Throws base::UsageError or base::RunError for a part without classes.
Split find_split(const std::filesystem::path& root, const std::string& name,
                 const std::filesystem::path& out);

/// Packs the images of the folder `split`, decoded and encoded by several threads; the bytes of
/// `out` do not depend on their number. An `out` that was made of the same files in the same way is
/// kept as it is. Returns whether it was written. Throws base::UsageError for a broken image and
/// for an `out` that was made otherwise, base::RunError for what cannot be read or written; `out`
/// is then as it was.
bool pack_split(const std::filesystem::path& split, const ClassNames& classes,
                const std::filesystem::path& out, const PackOptions& options,
                const PackObserver& observer);

}  // namespace dlscale::images
