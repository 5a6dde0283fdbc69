// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dataset.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "predict/walltime.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "trainer/data/data_file.hpp"

using namespace dlscale;
using namespace std::string_literals;

namespace {

trainer::Dataset load_dataset(const contract::DatasetSpec& spec) {
  return base::find(trainer::dataset_table(), "dataset", spec.kind).load(spec);
}

/// Returns the data sets whose files write_samples() can write. Data sets of extensions are
/// excluded, because only the extension knows their files.
std::vector<const trainer::DatasetEntry*> bundled() {
  std::vector<const trainer::DatasetEntry*> chosen;
  for (const auto* entry : trainer::dataset_table()) {
    if (!contract::is_from_extension("dataset", entry->name)) chosen.push_back(entry);
  }
  return chosen;
}

}  // namespace

TEST_CASE("every data set is consistent, known and the same when loaded again") {
  for (const auto* entry : bundled()) {
    INFO(entry->name);
    CHECK(contract::is_known("dataset", entry->name));
    test::TempDir folder;
    test::write_samples(entry->name, folder.path());
    const contract::DatasetSpec spec{entry->name, folder.path(), 50, 30};
    const auto set = load_dataset(spec);
    CHECK(set.train.size() == 50);
    CHECK(set.test.size() == 30);
    CHECK(set.is_text() == (entry->samples == "text"s));
    CHECK(set.sha256.size() == (entry->is_generated ? 0 : 64));
    CHECK(load_dataset(spec).train.pixels == set.train.pixels);
  }
}

TEST_CASE("pixels, labels and statistics match in every image data set") {
  for (const auto* entry : bundled()) {
    if (entry->samples != "images"s) continue;
    INFO(entry->name);
    test::TempDir folder;
    test::write_samples(entry->name, folder.path());
    const auto set = load_dataset({entry->name, folder.path(), 50, 30});
    CHECK(set.mean.size() == static_cast<std::size_t>(set.shape.channels));
    CHECK(set.deviation.size() == static_cast<std::size_t>(set.shape.channels));
    CHECK(set.train.lengths().empty());
    for (const auto* split : {&set.train, &set.test}) {
      const auto last = split->image(split->size() - 1, set.shape) + set.shape.values();
      CHECK((last == split->pixels.data() + split->pixels.size()));
      CHECK(std::ranges::all_of(split->labels, [&](int label) { return label < set.classes; }));
    }
  }
}

TEST_CASE("tokens are below the vocabulary size in every text data set") {
  for (const auto* entry : bundled()) {
    if (entry->samples != "text"s) continue;
    INFO(entry->name);
    test::TempDir folder;
    test::write_samples(entry->name, folder.path());
    const auto set = load_dataset({entry->name, folder.path(), 50, 30});
    CHECK(set.train.lengths().size() == 50);
    const bool translates = entry->task == "translation"s;
    CHECK((set.target_words > 0) == translates);
    CHECK(set.train.translation.size() == (translates ? 50 : 0));
    for (std::int64_t i = 0; i < 30; ++i) {
      for (const int token : set.test.text[i]) CHECK((token > 0 && token < set.words));
      if (!translates) CHECK(set.test.labels[i] < set.classes);
    }
  }
}

TEST_CASE("every data set without a path reports the files that it needs") {
  for (const auto* entry : trainer::dataset_table()) {
    if (entry->is_generated) continue;
    CHECK_THROWS_WITH(load_dataset({entry->name}),
                      Catch::StartsWith("dataset.path is empty; set it to the folder "));
    CHECK_THROWS_WITH(load_dataset({entry->name, "/nowhere"}), Catch::Contains("/nowhere"));
  }
}

TEST_CASE("only the first N samples of the first classes are kept") {
  test::TempDir folder;
  for (const std::string kind : {"mnist", "cifar10", "text_ag_news"}) {
    test::write_samples(kind, folder.path());
    contract::DatasetSpec spec{kind, folder.path(), 8};
    spec.first_classes = 3;
    const auto set = load_dataset(spec);
    CHECK(set.classes == 3);
    CHECK(set.train.labels == std::vector<std::uint16_t>{0, 1, 2, 0, 1, 2, 0, 1});
    CHECK(set.test.size() > 8);
    spec.first_classes = 11;
    CHECK_THROWS_WITH(load_dataset(spec),
                      Catch::StartsWith("dataset.first_classes: is 11, but the data "));
  }
  contract::DatasetSpec generated{"synthetic_digits", "", 7, 3};
  generated.first_classes = 2;
  CHECK(load_dataset(generated).train.labels == std::vector<std::uint16_t>{0, 1, 0, 1, 0, 1, 0});
}

TEST_CASE("the digest does not depend on the selected samples, and a wrong digest is an error") {
  for (const std::string kind : {"mnist", "text_sst", "text_multi30k"}) {
    test::TempDir folder;
    test::write_samples(kind, folder.path());
    contract::DatasetSpec spec{kind, folder.path()};
    const std::string digest = load_dataset(spec).sha256;
    spec.sha256 = digest;
    spec.train_samples = 9;
    CHECK(load_dataset(spec).sha256 == digest);
    spec.sha256 = std::string(64, 'a');
    CHECK_THROWS_WITH(load_dataset(spec),
                      "dataset.sha256: the data set " + kind + " in " + spec.path +
                          " has SHA-256 " + digest + ", but " + spec.sha256 +
                          " is expected; fetch its files again or correct the study");
  }
}

TEST_CASE("generated digits have 6,000 training and 1,000 test images in ten equal classes") {
  const auto set = load_dataset({"synthetic_digits"});
  CHECK(set.train.size() == 6000);
  // Plans use the same number.
  CHECK(predict::known_train_samples("synthetic_digits") == set.train.size());
  CHECK(set.test.size() == 1000);
  CHECK(set.shape == trainer::ImageShape{1, 28, 28});
  for (int label = 0; label < 10; ++label)
    CHECK(std::ranges::count(set.train.labels, label) == 600);
}

TEST_CASE("no generated test image is a training image") {
  const auto set = load_dataset({"synthetic_digits"});
  const auto images = [&](const trainer::Split& split) {
    std::set<std::string> found;
    for (std::int64_t i = 0; i < split.size(); ++i) {
      const auto* pixels = reinterpret_cast<const char*>(split.pixels.data()) + i * 784;
      found.emplace(pixels, pixels + 784);
    }
    return found;
  };
  const auto train = images(set.train);
  CHECK(train.size() == 6000);
  for (const std::string& image : images(set.test)) REQUIRE(!train.contains(image));
}

TEST_CASE(
    "the synthetic data set has ImageNet's shape and classes by default and repeats 64 images") {
  const auto set = load_dataset({"synthetic"});
  CHECK(set.shape == trainer::ImageShape{3, 224, 224});
  CHECK(set.classes == 1000);
  CHECK(set.train.size() == 1024);
  CHECK(predict::known_train_samples("synthetic") == set.train.size());
  CHECK(set.test.size() == 256);
  CHECK(static_cast<std::int64_t>(set.train.pixels.size()) == 64 * set.shape.values());
  CHECK((set.train.image(70, set.shape) == set.train.image(6, set.shape)));
  CHECK(set.train.labels[70] == set.train.labels[6]);
  CHECK(set.train.pixels != set.test.pixels);
  const auto large = load_dataset({"synthetic", "", 3, 1, "2x5000x4000", 2});
  CHECK(large.shape == trainer::ImageShape{2, 5000, 4000});
  CHECK(static_cast<std::int64_t>(large.train.pixels.size()) == large.shape.values());
}

TEST_CASE("an invalid shape of the synthetic data set is an error that names the key") {
  for (const char* shape : {"3x224", "3x224x224x1", "3x224x0", "3,224,224", "x3x4x4", "3x4x-4",
                            "3x4x4 ", "3x99999x4", "large", "3x4x99999999999"}) {
    CHECK_THROWS_WITH(load_dataset({"synthetic", "", 0, 0, shape}),
                      "dataset.shape: \"" + std::string(shape) +
                          "\" is not a shape; write channels x height x width, each from 1 to "
                          "65536, for example \"3x224x224\"");
  }
  CHECK_THROWS_WITH(load_dataset({"synthetic", "", 0, 0, "1x4x4", 70000}),
                    "dataset.classes: must be between 1 and 65536 (got 70000)");
}

TEST_CASE("a larger generated data set begins with the samples of a smaller one") {
  const auto small = load_dataset({"synthetic_digits", "", 20});
  auto large = load_dataset({"synthetic_digits", "", 100});
  large.train.pixels.resize(small.train.pixels.size());
  CHECK(large.train.pixels == small.train.pixels);
}

TEST_CASE("pixels are normalised to about mean 0 and standard deviation 1") {
  const auto set = load_dataset({"synthetic_digits"});
  double sum = 0, squares = 0;
  for (double pixel : set.train.pixels) {
    sum += pixel / 255;
    squares += pixel / 255 * pixel / 255;
  }
  const double n = static_cast<double>(set.train.pixels.size());
  CHECK(sum / n == Approx(set.mean[0]).margin(0.01));
  CHECK(std::sqrt(squares / n - sum / n * sum / n) == Approx(set.deviation[0]).margin(0.01));
}

TEST_CASE("a request for more samples than available is an error with the available number") {
  test::TempDir folder;
  test::write_idx(folder.path(), 60, 40);
  CHECK_THROWS_WITH(load_dataset({"mnist", folder.path(), 61, 0}),
                    "61 train samples are requested, but the data set has only 60; lower "
                    "dataset.train_samples or set it to 0 for all");
}

TEST_CASE("different numbers of images and labels are an error that names both files") {
  test::TempDir folder;
  test::write_idx(folder.path(), 60, 40, /*extra_labels=*/1);
  CHECK_THROWS_WITH(load_dataset({"mnist", folder.path()}),
                    Catch::Contains("train-images-idx3-ubyte holds 60 images") &&
                        Catch::Contains("train-labels-idx1-ubyte holds 61 labels"));
}

TEST_CASE("a file with 0 images is an error that names the file") {
  test::TempDir folder;
  test::write_idx(folder.path(), 0, 40);
  CHECK_THROWS_WITH(load_dataset({"mnist", folder.path()}),
                    (folder / "train-images-idx3-ubyte").string() +
                        " holds no pixels: 0 images of 8x8; fetch it again");
}

TEST_CASE("mnist without files reports the missing file") {
  CHECK_THROWS_WITH(load_dataset({"mnist", "/nowhere"}),
                    Catch::Contains("cannot read /nowhere/train-images-idx3-ubyte: "));
}

TEST_CASE("the real MNIST files have 60,000 and 10,000 images of 28x28") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (!data) {
    test::skip("DLSCALE_TEST_DATA does not name a folder with mnist/");
    return;
  }
  const auto set = load_dataset({"mnist", std::string(data) + "/mnist"});
  CHECK(set.train.size() == 60000);
  CHECK(set.test.size() == 10000);
  CHECK(set.shape == trainer::ImageShape{1, 28, 28});
}

TEST_CASE("variables in a path are replaced, with and without braces") {
  const auto lookup = [](const char* name) { return name == "DATA"s ? "/d" : nullptr; };
  CHECK(trainer::expand_variables("$DATA/mnist", lookup) == "/d/mnist");
  CHECK(trainer::expand_variables("/x/${DATA}s$DATA", lookup) == "/x//ds/d");
  CHECK(trainer::expand_variables("/plain", lookup) == "/plain");
  CHECK(trainer::expand_variables("", lookup).empty());
}

TEST_CASE("a path with an unset variable or a stray dollar is an error") {
  const auto unset = [](const char*) -> const char* { return nullptr; };
  CHECK_THROWS_WITH(
      trainer::expand_variables("$NOPE/mnist", unset),
      "dataset.path \"$NOPE/mnist\": the environment variable NOPE is not set; export it");
  CHECK_THROWS_WITH(trainer::expand_variables("/a$/b", unset), Catch::Contains("no variable name"));
  CHECK_THROWS_WITH(trainer::expand_variables("/a${X", unset),
                    Catch::Contains("without a closing \"}\""));
}
