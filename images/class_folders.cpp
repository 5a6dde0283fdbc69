// SPDX-License-Identifier: Apache-2.0
#include "images/class_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "images/record_file.hpp"

namespace dlscale::images {
namespace fs = std::filesystem;
namespace {

using Names = std::vector<std::string>;

[[noreturn]] void fail(const std::string& message) {
  throw base::RunError(message, contract::kExitData);
}

bool is_picture(const fs::directory_entry& entry) {
  std::string ending = entry.path().extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  std::error_code error;  // of a link to nowhere or to itself
  return entry.is_regular_file(error) &&
         (ending == ".jpg" || ending == ".jpeg" || ending == ".png");
}

/// Names in `folder`, sorted, but for hidden ones.
template <class Wanted>
Names names_in(const fs::path& folder, const Wanted& wanted) {
  std::error_code error;
  Names names;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with('.') && wanted(*it)) names.push_back(name);
  }
  if (error) fail(fmt::format("cannot read {}: {}", folder.string(), error.message()));
  std::ranges::sort(names);
  return names;
}

}  // namespace

fs::path test_folder(const fs::path& root) {
  for (const char* name : {"val", "validation", "test"}) {
    if (fs::is_directory(root / name)) return root / name;
  }
  const bool is_packed = fs::exists(record_file_of(root, "train"));
  fail(fmt::format("{} has no folder val, validation or test{}", root.string(),
                   is_packed ? "; its record files are for the loader packed" : ""));
}

ClassNames class_names(const fs::path& split) {
  ClassNames classes = names_in(split, [](const fs::directory_entry& e) {
    std::error_code error;
    return e.is_directory(error);
  });
  if (classes.empty()) fail(fmt::format("{} has no folder of a class", split.string()));
  if (classes.size() > kMostClasses) {
    fail(fmt::format("{} has {} classes, more than {}", split.string(), classes.size(),
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
  std::vector<std::pair<std::size_t, ClassFile>> by_place;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const fs::path folder = split / classes[label];
    if (!fs::is_directory(folder)) continue;
    const Names names = names_in(folder, is_picture);
    if (names.empty()) fail(fmt::format("{} has no image (.jpg, .jpeg, .png)", folder.string()));
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

}  // namespace dlscale::images
