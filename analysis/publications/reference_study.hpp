// SPDX-License-Identifier: Apache-2.0
// A publication as data: what it states, where, and by which definitions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/reference_value.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {

/// One value or claim. The words are those of the table it stands in.
struct Published {
  std::string quantity;   ///< "efficiency"
  std::string statistic;  ///< which of several ways to compute it, "median"; empty: none named
  /// = ~ < <= > >= for values; rises falls best gain times for claims (docs/compare.md).
  std::string relation = "=";
  std::string text;  ///< value as printed
  std::optional<Printed>
      number;  ///< value in base units; absent for words and claims without a value
  std::string unit;
  std::map<std::string, std::string> axes;  ///< cells (AxisCell); no axis is empty
  /// Axis of a claim, the start and end of its range, and the cause that it names.
  std::string along, from, to, cause;
  std::string statement;  ///< claim in words, if the value alone does not state it
  char kind = 'R';    ///< R: printed, D: recomputed from raw data, C: computed from printed values
  std::string where;  ///< place in the publication, such as "Table 2"
  base::Location place;  ///< position in the file of the table

  std::string axis(const std::string& name) const;
  bool is_value() const;  ///< true for = ~ < <= > >= with a number
};

/// Returns the range of values that an exact, rounded, approximate or one-sided value allows.
Printed allowed(const Published& value);

/// Returns a text such as "efficiency = 0.76 at model resnet50, gpus 1024".
std::string describe(const Published& value);

/// Returns a text such as "gpus 1024, model resnet50".
std::string in_words(const std::map<std::string, std::string>& axes);

/// How a publication computes a quantity.
struct Definition {
  std::string formula;  ///< formula as printed
  std::string reading;  ///< formula that the numbers follow, if it differs
  std::string statistic;
  std::string unit;
  std::map<std::string, std::string> units;  ///< of the formula's names
  base::Location place;
};

using Words = std::vector<std::string>;

struct ReferenceTable {
  std::string file;  ///< as the study names it
  std::string source;
  char kind = 'R';
  std::vector<Published> values;
  std::string work;  ///< "per_gpu" if the table calls its scaling weak; empty: it does not say
  std::vector<std::string> notes;  ///< on headings that were not recognised
};

/// All a rule may look at: it holds no name of the study.
struct Publication {
  std::string work;  ///< of an epoch: "fixed", or growing with the GPUs, "per_gpu"; empty: not said
  double baseline_gpus = 0;                       ///< 0: none stated
  double baseline_nodes = 0;                      ///< 0: none stated
  double variation = 0;                           ///< stated spread between runs, as a fraction
  std::map<std::string, Definition> definitions;  ///< by quantity
  std::map<std::string, Words> settings;
  std::vector<std::map<std::string, Words>> measured;  ///< products it says it measured
  std::vector<Published> values;                       ///< of all tables
  std::vector<Published> hardware;                     ///< what data sheets say of devices, links
  base::Location place;                                ///< of definitions and settings

  const Words& setting(const std::string& key) const;  ///< empty if there is none
  const Definition* definition(const std::string& quantity) const;
};

struct ReferenceStudy {
  std::string name;
  std::string title;
  std::string source;
  int repeats = 0;  ///< 0: not stated
  std::vector<ReferenceTable> tables;
  Publication publication;
};

/// A table's text: `# key: value` lines (source, where, kind), a header, rows. Throws
/// base::SpecError with line and column.
ReferenceTable read_reference_table(std::string_view text, const std::string& file);

}  // namespace dlscale::analysis
