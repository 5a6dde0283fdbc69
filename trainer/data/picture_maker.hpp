// SPDX-License-Identifier: Apache-2.0
// Conversion of an encoded image of any size to the fixed size that a model takes, and the
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

// Treatment of broken images: another image replaces a broken image, or the run ends.

struct BrokenPictures {
  /// Number of samples of the split from which replacements are taken. The next valid image
  /// replaces a broken image. A value of 0 makes a broken image an error.
  std::int64_t replacements = 0;
  /// True for a test set. Its images are never replaced, because the replacement would change the
  /// test set.
  bool of_test_set = false;
};

/// Throws base::RunError (contract::kExitData) with the sample, the problem and the remedy.
[[noreturn]] void fail_broken(const PictureSource& source, const BrokenPictures& what,
                              std::int64_t sample, const std::string& problem);

/// Calls `make` with `sample`. While `make` throws images::BrokenPicture and `what` allows
/// replacements, calls `make` with the following samples. Returns the sample that succeeded. Throws
/// like fail_broken() when no sample succeeds.
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

// Conversion of a sample's image of any size to the fixed size that a model takes.

/// Operations applied to each image.
struct PictureRecipe {
  int side = 224;             ///< side of the square that a model takes, in pixels
  bool is_random = false;     ///< true for a random part, false for the centre
  images::CropBounds bounds;  ///< limits of the random part
  bool random_flip = false;   ///< true when half of the images are mirrored
  int shorter_side = 256;     ///< shorter side in pixels after scaling for the centre cut
  images::Resample resample = images::Resample::antialiased;
  std::uint64_t seed = 0;
  images::Layout layout = images::Layout::planes;
  /// Conversion from bytes to float32. The pixels stay bytes when it is empty.
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

/// Draws the cut of a sample for a recipe with is_random. The cut depends only on seed, epoch and
/// sample, so it is the same on every rank and thread and after a resume.
Cut draw_cut(const PictureRecipe& recipe, images::Size picture, int epoch, std::int64_t sample);

/// Maker of the final images. Each thread uses its own maker.
class PictureMaker {
 public:
  /// Keeps a reference to `recipe` and a reader of `source`, which must both outlive the maker.
  PictureMaker(const PictureSource& source, const PictureRecipe& recipe)
      : recipe_(recipe), reader_(source.make_reader()) {}
  /// Writes recipe.values() floats or bytes to `out`. Throws images::BrokenPicture.
  void make(std::int64_t sample, int epoch, void* out);
  std::int64_t bytes_read() const { return reader_->bytes_read(); }

 private:
  const PictureRecipe& recipe_;
  std::unique_ptr<PictureReader> reader_;
  images::Resizer resizer_;
};

}  // namespace dlscale::trainer
