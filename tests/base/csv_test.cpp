// SPDX-License-Identifier: Apache-2.0
#include "base/csv.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <utility>

using namespace dlscale::base;

namespace {

using Texts = std::vector<std::string>;

std::vector<Texts> rows_of(CsvReader reader) {
  std::vector<Texts> rows;
  reader.recognise_separator();
  while (!reader.at_end()) {
    if (reader.skip_line_end()) continue;
    rows.emplace_back();
    for (const CsvCell& cell : reader.row()) rows.back().push_back(cell.text);
  }
  return rows;
}

/// Returns the cells of a line that may have quotation marks anywhere, and whether a quote is open.
std::pair<Texts, bool> line_of(std::string_view line, char separator = ',') {
  CsvReader reader(line, "", CsvQuotes::anywhere);
  reader.set_separator(separator);
  Texts cells;
  for (const CsvCell& cell : reader.row()) cells.push_back(cell.text);
  CHECK(reader.at_end());
  return {cells, reader.has_open_quote()};
}

}  // namespace

TEST_CASE("the separator is the most frequent candidate outside quotes in the header") {
  CHECK(csv_separator_of("gpus,img_per_s") == ',');
  CHECK(csv_separator_of("gpus;img_per_s") == ';');
  CHECK(csv_separator_of("gpus\timg_per_s") == '\t');
  CHECK(csv_separator_of("\"a,b,c\";d") == ';');
  CHECK(csv_separator_of("gpus") == ',');
}

TEST_CASE("rows are read with both kinds of line end, with or without a final line end") {
  CHECK(rows_of(CsvReader("a, b ,\r\n\n1,2,3")) ==
        std::vector<Texts>{{"a", "b", ""}, {"1", "2", "3"}});
  CHECK(rows_of(CsvReader("\xEF\xBB\xBFx;y\n1,5;2\n")) ==
        std::vector<Texts>{{"x", "y"}, {"1,5", "2"}});
  CHECK(rows_of(CsvReader("")).empty());
}

TEST_CASE("quoted cells hold separators, quotes, blanks and line ends") {
  CHECK(rows_of(CsvReader("\"a,b\",\" c \"\"d\"\"\n\",e\"f\n")) ==
        std::vector<Texts>{{"a,b", " c \"d\"\n", "e\"f"}});
}

TEST_CASE("cells record their line and column, also after line ends in quotes") {
  CsvReader reader("a,bc\r\n\"1\n2\",3\n", "t.csv");
  CHECK(reader.row()[1].place.column == 3);
  CHECK(reader.skip_line_end());
  const std::vector<CsvCell> row = reader.row();
  CHECK(row[0].place.file == "t.csv");
  CHECK(row[0].place.line == 2);
  CHECK(row[0].place.column == 1);
  CHECK(row[1].place.line == 3);
  CHECK(row[1].place.column == 4);
}

TEST_CASE("an unclosed or misplaced quote is an error with its location") {
  CsvReader open("a,\"b\nc", "t.csv");
  CHECK_THROWS_WITH(open.row(), "t.csv:1:3: the quote that begins here is not closed");
  for (const auto& [separator, name] :
       {std::pair{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}}) {
    CsvReader behind("\"a\"b", "t.csv");
    behind.set_separator(separator);
    CHECK_THROWS_WITH(behind.row(),
                      fmt::format("t.csv:1:4: a {} is missing after the closing quote", name));
  }
}

TEST_CASE("a line is read as a whole, and the reader can go back to its beginning") {
  CsvReader reader("# a,b\nc");
  REQUIRE(reader.is_at('#'));
  const CsvReader::Position begin = reader.position();
  CHECK(reader.line().text == "# a,b");
  CHECK(reader.skip_line_end());
  CHECK(reader.location().line == 2);
  reader.go_to(begin);
  CHECK(reader.row().size() == 2);
}

TEST_CASE("with quotation marks allowed anywhere, a row ends with its line") {
  CHECK(line_of("a\"b,c\"d, \t\" e \" ,\"\"\"\"") == std::pair{Texts{"ab,cd", "e", "\""}, false});
  CHECK(line_of("a;b,c", ';') == std::pair{Texts{"a", "b,c"}, false});
  CHECK(line_of("a,\"b,c") == std::pair{Texts{"a", "b,c"}, true});
  CHECK(line_of("") == std::pair{Texts{""}, false});
}
