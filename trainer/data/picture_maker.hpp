// SPDX-License-Identifier: Apache-2.0
// Conversion of encoded images of any size to images of the size that a model requires, and the
// treatment of broken images.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "images/crop.hpp"
#include "images/normalise.hpp"
#include "images/resize.hpp"
#include "trainer/data/picture_files.hpp"

namespace dlscale::trainer {

// Treatment of broken images. Either another image replaces a broken image, or the run ends with an
// error.

struct BrokenPictures {
  /// Number of samples in the split if broken images are replaced. The next valid image of the
  /// split replaces a broken image. The value 0 makes a broken image an error.
  std::int64_t replacements = 0;
  /// True for a test set. The images of a test set are never replaced, because a replacement would
  /// change the test set.
  bool of_test_set = false;
};

/// Throws base::RunError (contract::kExitData) with a message that names the sample, the problem
/// and the remedy.
[[noreturn]] void fail_broken(const PictureSource& source, const BrokenPictures& what,
                              std::int64_t sample, const std::string& problem);

/// Calls `make` with `sample`. If `make` throws images::BrokenPicture and `what` allows
/// replacements, calls `make` with the next samples until a call succeeds. Returns the sample for
/// which `make` succeeded. Throws like fail_broken() if all calls fail.
template <class Make>
std::int64_t make_whole(const PictureSource& source, const BrokenPictures& what,
                        std::int64_t sample, const Make& make) {
  std::string problem;
  std::int64_t taken = sample;
  for (std::int64_t tried = 0; tried == 0 || tried < what.replacements; ++tried) {
    if (tried > 0) taken = (taken + 1) % what.replacements;
    try {
      make(taken);
      return taken;
    } catch (const images::BrokenPicture& broken) {
      if (problem.empty()) problem = broken.what();
    }
  }
  fail_broken(source, what, sample, problem);
}

// Conversion of an image of any size to the fixed size that a model requires.

/// Operations applied to each image.
struct PictureRecipe {
  int side = 224;             ///< side of the square that a model takes, in pixels
  bool is_random = false;     ///< true to crop a random part; false to crop the centre
  images::CropBounds bounds;  ///< limits of the random crop
  bool random_flip = false;   ///< true to mirror half of the images, chosen at random
  int shorter_side = 256;     ///< shorter side in pixels before the centre crop
  images::Resample resample = images::Resample::antialiased;
  std::uint64_t seed = 0;
  images::Layout layout = images::Layout::planes;
  /// Conversion from bytes to float32. If this member is empty, the pixels stay bytes.
  std::optional<images::Normalisation> normalisation = {};

  /// Returns the number of values in one image.
  std::int64_t values() const { return std::int64_t{images::kColours} * side * side; }
  std::int64_t bytes() const { return values() * (normalisation ? sizeof(float) : 1); }
};

/// Part of an image to use, and whether it is mirrored.
struct Cut {
  images::Box part;
  bool mirrored = false;
};

/// Draws the random crop of a sample, for recipes with is_random. The crop depends only on the
/// seed, the epoch and the sample. It is therefore the same on every rank, in every thread and
/// after a resume.
Cut draw_cut(const PictureRecipe& recipe, images::Size picture, int epoch, std::int64_t sample);

/// Maker of the images that a model receives. Each thread uses a separate maker.
class PictureMaker {
 public:
  /// Keeps a reference to `recipe` and creates a reader of `source`. `recipe` and `source` must
  /// outlive the maker.
  PictureMaker(const PictureSource& source, const PictureRecipe& recipe)
      : recipe_(recipe), reader_(source.make_reader()) {}
  /// Writes the image of `sample` to `out` as recipe.values() floats or bytes. Throws
  /// images::BrokenPicture if the image is broken.
  void make(std::int64_t sample, int epoch, void* out);
  std::int64_t bytes_read() const { return reader_->bytes_read(); }

 private:
  const PictureRecipe& recipe_;
  std::unique_ptr<PictureReader> reader_;
  images::Resizer resizer_;
};

}  // namespace dlscale::trainer
