// SPDX-License-Identifier: Apache-2.0
#include "images/class_folders.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;

TEST_CASE("classes are numbered by name, and their files take turns by name") {
  test::TempDir folder;
  test::write_tree(folder.path());
  base::write_file_atomically(folder / "train/cat/notes.txt", "no image");
  base::write_file_atomically(folder / "train/cat/.hidden.jpg", "hidden");
  const images::ClassNames classes = images::class_names_of_tree(folder.path());
  CHECK(classes == images::ClassNames{"cat", "dog", "emu"});
  std::vector<std::string> files;
  std::vector<int> labels;
  for (const auto& file : images::class_files(folder / "train", classes)) {
    files.push_back(file.path.filename());
    labels.push_back(file.label);
  }
  CHECK(files ==
        std::vector<std::string>{"1.jpg", "a.jpg", "x.jpg", "2.JPG", "b.jpg", "3.jpg", "c.jpeg"});
  CHECK(labels == std::vector<int>{0, 1, 2, 0, 1, 0, 1});
}

TEST_CASE("a tree that lacks something is an error that names the folder") {
  test::TempDir folder;
  const auto root = folder.path();
  CHECK_THROWS_WITH(images::class_names(root / "train"), Contains("cannot read"));
  std::filesystem::create_directories(root / "train");
  CHECK_THROWS_WITH(images::class_names(root / "train"), Contains("has no folder of a class"));
  CHECK_THROWS_WITH(images::test_folder(root), Contains("has no folder val, validation or test"));
  base::write_file_atomically(root / "train.dlrec", "");
  CHECK_THROWS_WITH(images::test_folder(root), Contains("are for the loader packed"));
  std::filesystem::create_directories(root / "train/cat");
  CHECK_THROWS_WITH(images::class_files(root / "train", {"cat"}), Contains("has no image"));
  std::filesystem::create_directories(root / "test/dog");
  CHECK_THROWS_WITH(images::class_names_of_tree(root), Contains("test has the class dog, which"));
}
