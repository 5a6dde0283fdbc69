// SPDX-License-Identifier: Apache-2.0
// Data set of generated images of the ten digits with random distortions, 28x28. A model can learn
// this data set, and the user need not download anything.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "trainer/data/dataset.hpp"
#include "trainer/data/random_stream.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kSide = 28;
constexpr int kClasses = 10;
constexpr std::int64_t kTrainSamples = 6000;
constexpr std::int64_t kTestSamples = 1000;
/// Keys of the random streams. The keys do not depend on the seed of the run, because all
/// repetitions of a run must use the same data set.
constexpr std::uint64_t kTrainKey = 1;
constexpr std::uint64_t kTestKey = 2;

struct Point {
  double x, y;
};
using Stroke = std::vector<Point>;  // polyline in [0, 1], x points right and y points down

Stroke ellipse(Point centre, Point radius) {
  constexpr int kCorners = 12;
  Stroke stroke;
  for (int i = 0; i <= kCorners; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners;
    stroke.push_back(
        {centre.x + radius.x * std::sin(angle), centre.y - radius.y * std::cos(angle)});
  }
  return stroke;
}

const std::array<std::vector<Stroke>, kClasses>& digits() {
  static const std::array<std::vector<Stroke>, kClasses> strokes{{
      {ellipse({.5, .5}, {.28, .42})},
      {{{.34, .26}, {.52, .08}, {.52, .92}}},
      {{{.24, .26},
        {.32, .12},
        {.5, .07},
        {.68, .13},
        {.75, .28},
        {.66, .48},
        {.24, .91},
        {.78, .91}}},
      {{{.25, .14}, {.46, .07}, {.68, .14}, {.72, .29}, {.62, .42}, {.44, .47}},
       {{.44, .47}, {.66, .53}, {.76, .69}, {.67, .86}, {.46, .93}, {.24, .86}}},
      {{{.62, .92}, {.62, .08}, {.2, .66}, {.82, .66}}},
      {{{.74, .08},
        {.31, .08},
        {.28, .45},
        {.5, .4},
        {.69, .47},
        {.76, .66},
        {.68, .84},
        {.48, .93},
        {.24, .86}}},
      {{{.68, .08},
        {.45, .2},
        {.3, .42},
        {.25, .66},
        {.35, .86},
        {.53, .92},
        {.71, .83},
        {.75, .66},
        {.64, .51},
        {.45, .5},
        {.28, .62}}},
      {{{.22, .1}, {.78, .1}, {.45, .92}}},
      {ellipse({.5, .28}, {.2, .2}), ellipse({.5, .7}, {.24, .22})},
      {{{.72, .34},
        {.6, .48},
        {.42, .48},
        {.28, .36},
        {.3, .18},
        {.46, .08},
        {.63, .11},
        {.73, .24},
        {.71, .5},
        {.58, .92}}},
  }};
  return strokes;
}

/// Random parameters of one drawn digit: slant, size, position and pen.
class Hand {
 public:
  explicit Hand(RandomStream& random)
      : angle_(random.uniform(-0.3, 0.3)),
        shear_(random.uniform(-0.35, 0.35)),
        width_(random.uniform(12, 20)),
        height_(random.uniform(15, 21)),
        centre_{kSide / 2.0 + random.uniform(-2.5, 2.5), kSide / 2.0 + random.uniform(-2.5, 2.5)},
        pen_(random.uniform(0.6, 1.7)),
        ink_(random.uniform(130, 255)) {}

  double pen() const { return pen_; }
  double ink() const { return ink_; }

  Point place(Point p, RandomStream& random) const {
    const double y = (p.y - 0.5 + random.uniform(-0.04, 0.04)) * height_;
    const double x = (p.x - 0.5 + random.uniform(-0.05, 0.05)) * width_ - shear_ * y;
    return {centre_.x + x * std::cos(angle_) - y * std::sin(angle_),
            centre_.y + x * std::sin(angle_) + y * std::cos(angle_)};
  }

 private:
  double angle_, shear_, width_, height_;
  Point centre_;
  double pen_, ink_;  // half of the stroke width in pixels, and the brightest pixel value
};

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double along = ((p.x - a.x) * dx + (p.y - a.y) * dy) / std::max(dx * dx + dy * dy, 1e-12);
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

void draw_line(std::uint8_t* image, Point a, Point b, const Hand& hand) {
  const double reach = hand.pen() + 1;
  const auto first = [&](double v) { return std::max(0, static_cast<int>(v - reach)); };
  const auto last = [&](double v) { return std::min(kSide - 1, static_cast<int>(v + reach)); };
  for (int y = first(std::min(a.y, b.y)); y <= last(std::max(a.y, b.y)); ++y) {
    for (int x = first(std::min(a.x, b.x)); x <= last(std::max(a.x, b.x)); ++x) {
      const double away = distance({x + 0.5, y + 0.5}, a, b);
      const double cover = std::clamp(hand.pen() + 0.5 - away, 0.0, 1.0);
      std::uint8_t& pixel = image[y * kSide + x];
      pixel = std::max(pixel, static_cast<std::uint8_t>(cover * hand.ink()));
    }
  }
}

void add_noise(std::uint8_t* image, RandomStream& random) {
  for (int i = 0; i < kSide * kSide; ++i) {
    const int noise = static_cast<int>(random.next() % 81) - 40;
    image[i] = static_cast<std::uint8_t>(std::clamp(image[i] + noise, 0, 255));
  }
}

/// Draws the samples of a split. A sample depends only on the key of the split and the number of
/// the sample. A larger set therefore starts with the samples of a smaller set. Consecutive samples
/// belong to consecutive classes, so the classes are balanced in the first N samples for any N.
Split draw(std::uint64_t key, std::int64_t samples, int classes) {
  Split split;
  split.pixels.resize(static_cast<std::size_t>(samples * kSide * kSide));
  split.labels.resize(static_cast<std::size_t>(samples));
  for (std::int64_t i = 0; i < samples; ++i) {
    RandomStream random(key, static_cast<std::uint64_t>(i));
    const Hand hand(random);
    const int label = static_cast<int>(i % classes);
    std::uint8_t* image = split.pixels.data() + i * kSide * kSide;
    for (const Stroke& stroke : digits()[label]) {
      Point previous = hand.place(stroke[0], random);
      for (std::size_t k = 1; k < stroke.size(); ++k) {
        const Point next = hand.place(stroke[k], random);
        draw_line(image, previous, next, hand);
        previous = next;
      }
    }
    add_noise(image, random);
    split.labels[i] = static_cast<std::uint16_t>(label);
  }
  return split;
}

Dataset load(const contract::DatasetSpec& spec) {
  Dataset dataset;
  dataset.shape = {1, kSide, kSide};
  dataset.classes = classes_to_keep(kClasses, spec.first_classes);
  dataset.mean = {0.110};  // statistics of the training pixels
  dataset.deviation = {0.207};
  const auto split = [&](std::uint64_t key, std::int64_t asked, std::int64_t otherwise) {
    return draw(key, asked == 0 ? otherwise : asked, dataset.classes);
  };
  dataset.train = split(kTrainKey, spec.train_samples, kTrainSamples);
  dataset.test = split(kTestKey, spec.test_samples, kTestSamples);
  return dataset;
}

}  // namespace

extern const DatasetEntry synthetic_digits_entry;
const DatasetEntry synthetic_digits_entry{
    .name = "synthetic_digits",
    .summary = "generated 28x28 digits in ten classes, no download",
    .load = load,
    .is_generated = true,
    .shape = "1x28x28",
    .train_samples = kTrainSamples};

}  // namespace dlscale::trainer
