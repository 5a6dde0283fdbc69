// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/text/vocabulary.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using Words = std::vector<std::string>;

TEST_CASE(
    "text is split into lower-case words at white space, and some punctuation becomes words") {
  CHECK(trainer::tokenize("Two young, White  males (outside).") ==
        Words{"two", "young", ",", "white", "males", "(", "outside", ")", "."});
  CHECK(trainer::tokenize("it's \"so\": a-b; c/d?!") ==
        Words{"it", "'", "s", "so", "a-b", "c/d", "?", "!"});
  CHECK(trainer::tokenize(" \t\n") == Words{});
}

TEST_CASE("Latin-1 letters become lower case, and other characters are kept") {
  CHECK(trainer::tokenize("ÄRGER Über CAFÉ") == Words{"ärger", "über", "café"});
  CHECK(trainer::tokenize("3×4 ÞØß ÷") == Words{"3×4", "þøß", "÷"});
  CHECK(trainer::tokenize("Ωμ Ж") == Words{"Ωμ", "Ж"});
}

TEST_CASE("the UTF-8 prefix of a text ends before its first invalid byte") {
  CHECK(trainer::utf8_prefix("a€é𝄞") == std::string("a€é𝄞").size());
  CHECK(trainer::utf8_prefix("ab\xe9 d") == 2);
  CHECK(trainer::utf8_prefix("a\xc3") == 1);      // the text ends within a character
  CHECK(trainer::utf8_prefix("a\xc0\xaf") == 1);  // an overlong encoding
  CHECK(trainer::utf8_prefix("\xe0\x80\xaf") == 0);
  CHECK(trainer::utf8_prefix("ab\xed\xa0\x80") == 2);    // one half of a surrogate pair
  CHECK(trainer::utf8_prefix("\xf4\x90\x80\x80") == 0);  // a number above the Unicode range
  CHECK(trainer::utf8_prefix("\x80") == 0);
}

TEST_CASE("Latin-1 is converted to UTF-8 byte by byte") {
  CHECK(trainer::utf8_of_latin1("caf\xe9 \xfc"
                                "ber") == "café über");
}

TEST_CASE("words are numbered by frequency, and equally frequent words by their bytes") {
  const std::vector<Words> texts{{"b", "a", "c"}, {"c", "b"}, {"d", "c"}};
  const trainer::Vocabulary all(texts, {});
  CHECK(all.size() == trainer::kSpecialTokens + 4);
  CHECK(all.numbers_of({"c", "b", "a", "d"}) == std::vector<std::int32_t>{4, 5, 6, 7});
  CHECK(all.number_of("e") == trainer::kUnknown);
}

TEST_CASE("a vocabulary omits rare words and has at most the requested number of words") {
  const std::vector<Words> texts{{"b", "a", "c"}, {"c", "b"}, {"d", "c"}};
  CHECK(trainer::Vocabulary(texts, {.min_count = 2}).numbers_of({"c", "b", "a"}) ==
        std::vector<std::int32_t>{4, 5, trainer::kUnknown});
  CHECK(trainer::Vocabulary(texts, {.most_words = 1}).numbers_of({"c", "b"}) ==
        std::vector<std::int32_t>{4, trainer::kUnknown});
  CHECK(trainer::Vocabulary({}, {}).size() == trainer::kSpecialTokens);
}
