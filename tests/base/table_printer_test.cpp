// SPDX-License-Identifier: Apache-2.0
#include "base/table_printer.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::base;

TEST_CASE("numbers are right-aligned and words are left-aligned") {
  CHECK(print_table({"model", "gpus"}, {{"cnn", "4"}, {"resnet50", "128"}}) ==
        "model     gpus\n"
        "--------  ----\n"
        "cnn          4\n"
        "resnet50   128\n");
}

TEST_CASE("a column of numbers with a missing value stays right-aligned") {
  CHECK(print_table({"x"}, {{"1.5"}, {"-"}, {"-3"}}) == "  x\n---\n1.5\n  -\n -3\n");
}

TEST_CASE("width counts characters, not bytes") {
  CHECK(display_width("±2 µs") == 5);
  CHECK(print_table({"a", "b"}, {{"µ", "x"}}) == "a  b\n-  -\nµ  x\n");
}

TEST_CASE("a table without rows prints its header") {
  CHECK(print_table({"a"}, {}) == "a\n-\n");
}
