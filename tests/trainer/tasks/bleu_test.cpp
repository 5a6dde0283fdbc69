// SPDX-License-Identifier: Apache-2.0
#include "trainer/tasks/bleu.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace dlscale;
using Sentence = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t kUnknown = 1;

double bleu_of(const std::vector<std::pair<Sentence, Sentence>>& corpus) {
  trainer::BleuCounts counts;
  for (const auto& [translation, reference] : corpus) {
    trainer::add_sentence(counts, translation, reference, kUnknown);
  }
  return trainer::bleu(counts);
}

}  // namespace

TEST_CASE(
    "a translation equal to the reference scores 100, and one without common n-grams scores 0") {
  CHECK(bleu_of({{{10, 11, 12, 13}, {10, 11, 12, 13}}}) == Approx(100));
  CHECK(bleu_of({{{20, 21, 22, 23}, {10, 11, 12, 13}}}) == 0);
  CHECK(bleu_of({{{}, {10, 11, 12, 13}}}) == 0);
}

TEST_CASE("BLEU is the geometric mean of four precisions") {
  // A wrong last word among six leaves 5/6, 4/5, 3/4, 2/3 of the n-grams correct. Their product is
  // 1/3.
  CHECK(bleu_of({{{10, 11, 12, 13, 14, 99}, {10, 11, 12, 13, 14, 15}}}) ==
        Approx(100 * std::pow(1.0 / 3, 0.25)));
}

TEST_CASE(
    "a translation that is too short gets a brevity penalty, and one that is too long does not") {
  CHECK(bleu_of({{{10, 11, 12, 13}, {10, 11, 12, 13, 14}}}) == Approx(100 * std::exp(-0.25)));
  // The precisions are again 5/6, 4/5, 3/4, 2/3.
  CHECK(bleu_of({{{10, 11, 12, 13, 14, 15}, {10, 11, 12, 13, 14}}}) ==
        Approx(100 * std::pow(1.0 / 3, 0.25)));
}

TEST_CASE("repeated words count at most as often as in the reference") {
  // The example is Papineni's "the the the the the the the" against "the cat is on the mat".
  trainer::BleuCounts counts;
  trainer::add_sentence(counts, Sentence(7, 10), Sentence{10, 11, 12, 13, 10, 14}, kUnknown);
  CHECK(counts.matches[0] == 2);
  CHECK(counts.ngrams[0] == 7);
  CHECK(counts.matches[1] == 0);
  CHECK(counts.ngrams[3] == 4);
}

TEST_CASE("counts are summed over sentences, and scores are not") {
  // The precisions are 8/10 for 1-grams, 6/8 for 2-grams, 4/6 for 3-grams and 2/4 for 4-grams.
  CHECK(bleu_of({{{10, 11, 12, 13, 98}, {10, 11, 12, 13, 14}},
                 {{10, 11, 12, 13, 99}, {10, 11, 12, 13, 14}}}) ==
        Approx(100 * std::pow(0.8 * 0.75 * 4 / 6 * 0.5, 0.25)));
  // The short sentence has no 4-gram, but the other sentence of the corpus has one.
  CHECK(bleu_of({{{10, 11, 12, 13}, {10, 11, 12, 13}}, {{20}, {20}}}) == Approx(100));
}

TEST_CASE("words outside the vocabulary match no word") {
  trainer::BleuCounts counts;
  trainer::add_sentence(counts, Sentence{10, kUnknown, 12}, Sentence{10, kUnknown, 12}, kUnknown);
  CHECK(counts.matches[0] == 2);
  CHECK(counts.matches[1] == 0);
  CHECK(counts.ngrams[1] == 2);
}
