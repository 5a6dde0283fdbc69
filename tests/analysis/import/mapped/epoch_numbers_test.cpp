// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/epoch_numbers.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>

namespace dlscale::analysis {
namespace {

std::optional<int> first_of(std::initializer_list<int> trained,
                            std::initializer_list<int> evaluated = {}, int epochs = 0) {
  EpochNumbers numbers;
  for (const int number : trained) numbers.add(number, false);
  for (const int number : evaluated) numbers.add(number, true);
  return numbers.first_number(epochs);
}

}  // namespace

TEST_CASE("epochs count from the number with which a log begins, if it is 0 or 1") {
  CHECK(first_of({0, 1, 2}) == 0);
  CHECK(first_of({1, 2, 3}) == 1);
  CHECK(first_of({1}) == 1);
  CHECK(first_of({}, {0, 1}) == 0);
  CHECK(first_of({}, {1, 2}) == 1);
  CHECK(first_of({}) == std::nullopt);
}

TEST_CASE("the log of a training that was resumed does not show how its epochs count") {
  CHECK(first_of({4, 5}) == std::nullopt);
  CHECK(first_of({4, 5}, {}, 8) == std::nullopt);
}

TEST_CASE("epochs count from 1 if the last epoch has the number of epochs of the training") {
  CHECK(first_of({4, 5}, {}, 5) == 1);
  CHECK(first_of({}, {2, 4}, 4) == 1);
  CHECK(first_of({0, 1, 2}, {}, 2) == 0);
}

TEST_CASE("an evaluation before the first epoch may have the number 0 if epochs count from 1") {
  CHECK(first_of({1, 2}, {0, 1, 2}, 2) == 1);
  CHECK(first_of({1, 2}, {0, 1, 2}) == 0);  // the number of epochs is unknown
}

TEST_CASE("evaluations of every second epoch do not show how the epochs of a program count") {
  CHECK(first_of({}, {1, 3, 5}) == std::nullopt);
  CHECK(first_of({1, 2, 3, 4}, {1, 3}) == 1);
}

}  // namespace dlscale::analysis
