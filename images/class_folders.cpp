// SPDX-License-Identifier: Apache-2.0
#include "images/class_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "contract/run_outcome.hpp"
#include "images/record_file.hpp"

namespace dlscale::images {
namespace fs = std::filesystem;
namespace {

using Names = std::vector<std::string>;

[[noreturn]] void fail(const std::string& message) {
  throw base::RunError(message, contract::kExitData);
}

constexpr const char* kTestFolders[] = {"val", "validation", "test"};

bool is_image_ending(const std::string& ending) {
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

bool is_hidden(const fs::directory_entry& entry) {
  return entry.path().filename().native().starts_with('.');
}

bool is_folder(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_directory(error);
}

/// Calls `visit` for each entry of a folder, in arbitrary order.
template <class Visit>
void each_entry(const fs::path& folder, const Visit& visit) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    visit(*it);
  }
  if (error) fail(fmt::format("cannot read {}: {}", folder.string(), error.message()));
}

/// Returns an empty tally whose examples do not depend on the order in which each_entry() visits
/// files.
base::SkipTally in_any_order() {
  return base::SkipTally(base::SkipTally::Example::smallest);
}

/// Adds the reasons in `found` to `skipped`, sorted by their examples, so that the same files
/// always give the same lines.
void add_in_order(const base::SkipTally& found, base::SkipTally& skipped) {
  std::vector<base::Skip> reasons = found.reasons();
  std::ranges::sort(reasons, {}, &base::Skip::example);
  for (base::Skip& skip : reasons) skipped.add(std::move(skip));
}

/// Returns the reason why a file in a class folder is not read. Returns an empty text if the file
/// is an image.
std::string why_skipped(const fs::directory_entry& entry) {
  if (is_hidden(entry)) return "hidden files are not read";
  std::error_code error;  // set for a broken link or a link to itself
  if (!entry.is_regular_file(error)) {
    const bool is_link = entry.is_symlink(error);
    return is_link ? "links that do not lead to a file are not read"
                   : "pipes, sockets and devices are not read";
  }
  const std::string ending = base::lower(entry.path().extension().string());
  if (is_image_ending(ending)) return "";
  if (ending.empty()) return "files without an extension are not read, only .jpg, .jpeg and .png";
  return fmt::format("{} files are not read, only .jpg, .jpeg and .png", ending);
}

/// Counts in `skipped` the files in `folder` and in all folders below it, with the reason `why`.
void count_files_below(const fs::path& folder, const char* why, base::SkipTally& skipped) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (!it->is_directory(ignored)) skipped.add({"file", why, it->path().string()});
  }
  if (!error) return;
  skipped.add({"folder", "cannot be read: " + error.message(), folder.string()});
}

void count_folder(const fs::directory_entry& entry, base::SkipTally& skipped) {
  std::error_code error;
  if (is_hidden(entry)) {
    count_files_below(entry.path(), "files in hidden folders are not read", skipped);
  } else if (entry.is_symlink(error)) {
    skipped.add({"folder", "links to folders below a class are not followed",  //
                 entry.path().string()});
  } else {
    count_files_below(entry.path(), "files in folders below a class are not read", skipped);
  }
}

/// Returns the sorted names of the images in a class folder.
Names image_names(const fs::path& folder, base::SkipTally& skipped) {
  Names names;
  base::SkipTally own = in_any_order();
  each_entry(folder, [&](const fs::directory_entry& entry) {
    if (is_folder(entry)) return count_folder(entry, own);
    const std::string why = why_skipped(entry);
    if (why.empty()) {
      names.push_back(entry.path().filename().string());
    } else {
      own.add({"file", why, entry.path().string()});
    }
  });
  if (names.empty()) {
    fail(fmt::format("{} has no image (.jpg, .jpeg, .png){}", folder.string(),
                     own.empty() ? ""
                                 : fmt::format("; {} not read, for example {}",
                                               base::count_of(own.total(), "file is", "files are"),
                                               own.reasons().front().example)));
  }
  add_in_order(own, skipped);
  std::ranges::sort(names);
  return names;
}

/// Counts in `skipped` the files in `split` that are not in a class folder.
void count_skipped_in_split(const fs::path& split, base::SkipTally& skipped) {
  base::SkipTally found = in_any_order();
  each_entry(split, [&](const fs::directory_entry& entry) {
    if (!is_folder(entry)) {
      found.add({"file", "files outside of a class folder are not read", entry.path().string()});
    } else if (is_hidden(entry)) {
      count_folder(entry, found);
    }
  });
  add_in_order(found, skipped);
}

}  // namespace

fs::path test_folder(const fs::path& root) {
  for (const char* name : kTestFolders) {
    if (fs::is_directory(root / name)) return root / name;
  }
  const bool is_packed = fs::exists(record_file_of(root, "train"));
  fail(fmt::format("{} has no folder val, validation or test{}", root.string(),
                   is_packed ? "; its record files need loader = \"packed\"" : ""));
}

ClassNames class_names(const fs::path& split) {
  ClassNames classes;
  each_entry(split, [&](const fs::directory_entry& entry) {
    if (is_folder(entry) && !is_hidden(entry)) {
      classes.push_back(entry.path().filename().string());
    }
  });
  std::ranges::sort(classes);
  if (classes.empty()) fail(fmt::format("{} has no class folder", split.string()));
  if (classes.size() > kMostClasses) {
    fail(fmt::format("{} has {} classes; at most {} are supported", split.string(), classes.size(),
                     kMostClasses));
  }
  return classes;
}

ClassNames class_names_of_tree(const fs::path& root) {
  const fs::path train = root / "train", test = test_folder(root);
  ClassNames classes = class_names(train);
  for (const std::string& name : class_names(test)) {
    if (std::ranges::binary_search(classes, name)) continue;
    fail(fmt::format("{} has the class {}, which {} lacks", test.string(), name, train.string()));
  }
  return classes;
}

std::vector<ClassFile> class_files(const fs::path& split, const ClassNames& classes) {
  base::SkipTally unused;
  return class_files(split, classes, unused);
}

std::vector<ClassFile> class_files(const fs::path& split, const ClassNames& classes,
                                   base::SkipTally& skipped) {
  count_skipped_in_split(split, skipped);
  std::vector<std::pair<std::size_t, ClassFile>> by_place;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const fs::path folder = split / classes[label];
    if (!fs::is_directory(folder)) {
      skipped.add({"class", fmt::format("has no folder in {}", split.string()), classes[label]});
      continue;
    }
    const Names names = image_names(folder, skipped);
    for (std::size_t i = 0; i < names.size(); ++i) {
      by_place.push_back({i, {folder / names[i], static_cast<std::uint16_t>(label)}});
    }
  }
  std::ranges::stable_sort(by_place, {}, [](const auto& file) { return file.first; });
  std::vector<ClassFile> files;
  files.reserve(by_place.size());
  for (auto& [place, file] : by_place) files.push_back(std::move(file));
  return files;
}

void count_skipped_in_root(const fs::path& root, base::SkipTally& skipped) {
  base::SkipTally found = in_any_order();
  each_entry(root, [&](const fs::directory_entry& entry) {
    if (is_folder(entry)) return;
    found.add({"file", "files outside of a class folder are not read", entry.path().string()});
  });
  add_in_order(found, skipped);
  fs::path taken;  // folder that test_folder() returns
  for (const char* name : kTestFolders) {
    const fs::path folder = root / name;
    if (!fs::is_directory(folder)) continue;
    if (taken.empty()) {
      taken = folder;
    } else {
      skipped.add({"folder", fmt::format("the test set is taken from {}", taken.string()),  //
                   folder.string()});
    }
  }
}

}  // namespace dlscale::images
