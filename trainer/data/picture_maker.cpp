// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/picture_maker.hpp"

#include <fmt/format.h>

#include "contract/run_outcome.hpp"
#include "trainer/data/random_stream.hpp"

namespace dlscale::trainer {
namespace {

std::string what_helps(const PictureSource& source, const BrokenPictures& what) {
  if (what.of_test_set) {
    return source.remedy() + "; on_broken does not apply to the test set";
  }
  if (what.replacements > 0) return "no other image of the training set can be read either";
  return source.remedy() + ", or train with loader_options.on_broken = \"skip\"";
}

}  // namespace

void fail_broken(const PictureSource& source, const BrokenPictures& what, std::int64_t sample,
                 const std::string& problem) {
  throw base::RunError(
      fmt::format("cannot read {}: {}; {}", source.name(sample), problem, what_helps(source, what)),
      contract::kExitData);
}

namespace {

/// Key of the random numbers for crops. The sampler uses the same seed and epochs. Without this
/// key, the sampler and the crops would draw the same random numbers.
constexpr std::uint64_t kCropPurpose = 0x7069637475726573;

}  // namespace

Cut draw_cut(const PictureRecipe& recipe, images::Size picture, int epoch, std::int64_t sample) {
  RandomStream of_epoch(recipe.seed ^ kCropPurpose, static_cast<std::uint64_t>(epoch));
  RandomStream random(of_epoch.next(), static_cast<std::uint64_t>(sample));
  // Mirroring is drawn before the crop, because drawing a crop takes a varying number of random
  // numbers.
  const bool mirrored = random.below(2) == 1 && recipe.random_flip;
  const auto uniform = [&random] { return random.uniform(0, 1); };
  return {images::random_part(picture, recipe.bounds, uniform), mirrored};
}

void PictureMaker::make(std::int64_t sample, int epoch, void* out) {
  const images::Size size = reader_->open(sample);
  const images::Size square{recipe_.side, recipe_.side};
  images::PictureView image;
  bool mirrored = false;
  if (recipe_.is_random) {
    const Cut cut = draw_cut(recipe_, size, epoch, sample);
    image = resizer_.resize(reader_->decode(cut.part), square, recipe_.resample);
    mirrored = cut.mirrored;
  } else {
    const images::Size scaled = images::with_shorter_side(size, recipe_.shorter_side);
    image = resizer_.resize_part(reader_->decode(images::whole(size)), scaled,
                                 images::middle_part(scaled, recipe_.side), recipe_.resample);
  }
  if (recipe_.normalisation) {
    images::normalise(image, *recipe_.normalisation, mirrored, recipe_.layout,
                      static_cast<float*>(out));
  } else {
    images::copy_pixels(image, mirrored, recipe_.layout, static_cast<std::uint8_t*>(out));
  }
}

}  // namespace dlscale::trainer
