// SPDX-License-Identifier: Apache-2.0
// From a text to its words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::trainer {

/// Lower case; words lie between white space. Each of ' . , ( ) ! ? is a word of its own; " ; : are
/// left out: what torchtext calls basic_english. Everything else belongs to words, - and / too.
/// Capitals are known from ASCII and Latin-1 (É, Ä, Ø). `text` is UTF-8.
std::vector<std::string> tokenize(std::string_view text);

/// Where `text` stops to be UTF-8: the number of good bytes; the whole size where all are.
std::size_t utf8_prefix(std::string_view text);

/// ISO 8859-1 to UTF-8.
std::string utf8_of_latin1(std::string_view text);

}  // namespace dlscale::trainer
