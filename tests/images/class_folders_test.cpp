// SPDX-License-Identifier: Apache-2.0
#include "images/class_folders.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;

TEST_CASE("classes are numbered by name, and their files alternate in the order of their names") {
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

TEST_CASE("an incomplete tree is an error that names the folder") {
  test::TempDir folder;
  const auto root = folder.path();
  CHECK_THROWS_WITH(images::class_names(root / "train"), Contains("cannot read"));
  std::filesystem::create_directories(root / "train");
  CHECK_THROWS_WITH(images::class_names(root / "train"), Contains("has no class folder"));
  CHECK_THROWS_WITH(images::test_folder(root), Contains("has no folder val, validation or test"));
  base::write_file_atomically(root / "train.dlrec", "");
  CHECK_THROWS_WITH(images::test_folder(root),
                    Contains("its record files need loader = \"packed\""));
  std::filesystem::create_directories(root / "train/cat");
  CHECK_THROWS_WITH(images::class_files(root / "train", {"cat"}), Contains("has no image"));
  std::filesystem::create_directories(root / "test/dog");
  CHECK_THROWS_WITH(images::class_names_of_tree(root), Contains("test has the class dog, which"));
}

namespace {

std::string skipped_in(const std::filesystem::path& split, const images::ClassNames& classes) {
  base::SkipTally skipped;
  images::class_files(split, classes, skipped);
  std::string lines = base::describe_skipped(skipped);
  const std::string above = split.string() + "/";
  for (auto at = lines.find(above); at != lines.npos; at = lines.find(above)) {
    lines.erase(at, above.size());
  }
  return lines;
}

}  // namespace

TEST_CASE("files with other extensions are counted by extension, ignoring case") {
  test::TempDir folder;
  test::write_tree(folder.path());
  CHECK(skipped_in(folder / "val", {"cat", "dog"}).empty());
  for (const char* name : {"cat/1.webp", "dog/2.WebP"}) {
    base::write_file_atomically(folder / "val" / name, "RIFF");
  }
  base::write_file_atomically(folder / "val/dog/3.bmp", "BM");
  base::write_file_atomically(folder / "val/dog/LICENSE", "text");
  const std::string lines = skipped_in(folder / "val", {"cat", "dog"});
  CHECK_THAT(lines, Contains("Skipped 2 files: .webp files are not read, only .jpg, .jpeg and "
                             ".png; example: cat/1.webp\n"));
  CHECK_THAT(lines, Contains("Skipped 1 file: .bmp files are not read, only .jpg, .jpeg and .png; "
                             "example: dog/3.bmp\n"));
  CHECK_THAT(lines, Contains("Skipped 1 file: files without an extension are not read, only .jpg, "
                             ".jpeg and .png; example: dog/LICENSE\n"));
}

TEST_CASE("files outside class folders, in hidden folders and in subfolders are counted") {
  test::TempDir folder;
  test::write_tree(folder.path());
  const auto val = folder / "val";
  for (const char* name : {"val/.x/dog/1.jpg", "val/.x/2.jpg", "val/dog/more/deep/1.jpg"}) {
    test::write_numbered_jpeg(folder / name, {8, 8}, 1);
  }
  base::write_file_atomically(val / "1.jpg", "image");
  base::write_file_atomically(val / "dog/.DS_Store", "hidden");
  const std::string lines = skipped_in(val, {"cat", "dog"});
  CHECK_THAT(lines,
             Contains("Skipped 2 files: files in hidden folders are not read; example: .x/"));
  CHECK_THAT(lines, Contains("Skipped 1 file: files in folders below a class are not read; "
                             "example: dog/more/deep/1.jpg\n"));
  CHECK_THAT(lines, Contains("Skipped 1 file: files outside of a class folder are not read; "
                             "example: 1.jpg\n"));
  CHECK_THAT(lines, Contains("Skipped 1 file: hidden files are not read; example: dog/.DS_Store"));
}

TEST_CASE("a link to an image is read, and a broken link or a link to a folder is counted") {
  test::TempDir folder;
  test::write_tree(folder.path());
  const auto dog = folder / "val/dog";
  std::filesystem::create_symlink("1.jpg", dog / "2.jpg");
  std::filesystem::create_symlink("nowhere.jpg", dog / "3.jpg");
  std::filesystem::create_directory_symlink("../cat", dog / "cats");
  CHECK(images::class_files(folder / "val", {"cat", "dog"}).size() == 3);
  CHECK_THAT(
      skipped_in(folder / "val", {"cat", "dog"}),
      Contains(
          "Skipped 1 file: links that do not lead to a file are not read; example: dog/3.jpg") &&
          Contains("Skipped 1 folder: links to folders below a class are not followed; "
                   "example: dog/cats"));
}

TEST_CASE("a class without a folder in the test split is reported") {
  test::TempDir folder;
  test::write_tree(folder.path());
  CHECK_THAT(skipped_in(folder / "val", {"cat", "dog", "emu"}),
             Contains("Skipped 1 class: has no folder in ") && Contains("; example: emu\n"));
}

TEST_CASE("a class with only unsupported files is an error that counts them") {
  test::TempDir folder;
  test::write_tree(folder.path());
  std::filesystem::create_directory(folder / "val/emu");
  base::write_file_atomically(folder / "val/emu/1.webp", "RIFF");
  CHECK_THROWS_WITH(images::class_files(folder / "val", {"cat", "dog", "emu"}),
                    Contains("emu has no image (.jpg, .jpeg, .png); 1 file is not read, "
                             "for example ") &&
                        Contains("emu/1.webp"));
}

TEST_CASE("files in the root folder and a second test folder are counted") {
  test::TempDir folder;
  test::write_tree(folder.path());
  base::SkipTally none;
  images::count_skipped_in_root(folder.path(), none);
  CHECK(none.empty());
  base::write_file_atomically(folder / "1.jpg", "image");
  std::filesystem::create_directory(folder / "test");
  base::SkipTally skipped;
  images::count_skipped_in_root(folder.path(), skipped);
  CHECK_THAT(base::describe_skipped(skipped),
             Contains("Skipped 1 file: files outside of a class folder are not read; example: ") &&
                 Contains("Skipped 1 folder: the test set is taken from ") &&
                 Contains("/val; example: "));
}
