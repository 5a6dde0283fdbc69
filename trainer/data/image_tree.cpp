// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/image_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "contract/run_outcome.hpp"
#include "trainer/data/image_file.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

constexpr int kColours = 3;
constexpr std::size_t kMostClasses = 65536;  // labels have 16 bits

using Names = std::vector<std::string>;

[[noreturn]] void fail(const std::string& message) {
  throw base::RunError(message, contract::kExitData);
}

bool is_picture(const fs::directory_entry& entry) {
  std::string ending = entry.path().extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return entry.is_regular_file() && (ending == ".jpg" || ending == ".jpeg" || ending == ".png");
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

Names classes_in(const fs::path& split) {
  Names classes = names_in(split, [](const fs::directory_entry& e) { return e.is_directory(); });
  if (classes.empty()) fail(fmt::format("{} has no folder of a class", split.string()));
  if (classes.size() > kMostClasses) {
    fail(fmt::format("{} has {} classes, more than {}", split.string(), classes.size(),
                     kMostClasses));
  }
  return classes;
}

struct File {
  fs::path path;
  std::uint16_t label;
};

/// Class after class in turn; a class may be missing.
std::vector<File> files_in(const fs::path& split, const Names& classes) {
  std::vector<std::pair<std::size_t, File>> by_place;
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
  std::vector<File> files;
  for (auto& [place, file] : by_place) files.push_back(std::move(file));
  return files;
}

/// All of the size of `shape`, which the first one gives if it is none yet.
Split decode(const std::vector<File>& files, ImageShape& shape) {
  Split split;
  for (const File& file : files) {
    const Picture picture = read_picture(file.path);
    if (shape.height == 0) shape = {kColours, picture.height, picture.width};
    if (picture.height != shape.height || picture.width != shape.width) {
      fail(fmt::format(
          "{} has {}x{} pixels, the images before it {}x{}: images in memory are of "
          "one size; scale them beforehand, or use a loader that crops them",
          file.path.string(), picture.height, picture.width, shape.height, shape.width));
    }
    split.pixels.insert(split.pixels.end(), picture.pixels.begin(), picture.pixels.end());
    split.labels.push_back(file.label);
  }
  return split;
}

}  // namespace

fs::path test_folder(const fs::path& root) {
  for (const char* name : {"val", "validation", "test"}) {
    if (fs::is_directory(root / name)) return root / name;
  }
  fail(fmt::format("{} has no folder val, validation or test", root.string()));
}

Dataset load_image_tree(const contract::DatasetSpec& spec, const ColourStatistics& colours) {
  if (spec.path.empty()) fail("dataset.path is empty; name the folder that has train and val");
  const fs::path root = spec.path;
  const fs::path train = root / "train", test = test_folder(root);
  Dataset dataset;
  dataset.mean = colours.mean;
  dataset.deviation = colours.deviation;
  dataset.shape = {kColours, 0, 0};
  const Names classes = classes_in(train);
  for (const std::string& name : classes_in(test)) {
    if (std::ranges::binary_search(classes, name)) continue;
    fail(fmt::format("{} has the class {}, which {} lacks", test.string(), name, train.string()));
  }
  dataset.classes = static_cast<int>(classes.size());
  dataset.train = decode(files_in(train, classes), dataset.shape);
  dataset.test = decode(files_in(test, classes), dataset.shape);
  take_what_is_asked(dataset, spec);
  return dataset;
}

}  // namespace dlscale::trainer
