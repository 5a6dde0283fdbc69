// SPDX-License-Identifier: Apache-2.0
// Data model of a publication: its values and claims, the places where they are stated, and the
// definitions of its quantities.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/reference_value.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {

/// Value or claim of a publication, in the words of the table that contains it.
struct Published {
  std::string quantity;   ///< quantity, such as "efficiency"
  std::string statistic;  ///< statistic, such as "median"; empty: none named
  /// Relation of the quantity to `text`. Values have = ~ < <= > or >=. Claims have rises, falls,
  /// best, gain or times (docs/compare.md).
  std::string relation = "=";
  std::string text;  ///< value as printed
  std::optional<Printed>
      number;  ///< value in base units; absent for words and claims without a value
  std::string unit;
  std::map<std::string, std::string> axes;  ///< axes with their cells, which are not empty
  /// Fields of a claim: the axis along which it holds, the start and the end of its range on this
  /// axis, and the cause that the publication gives.
  std::string along, from, to, cause;
  std::string statement;  ///< claim in words, if the value alone does not state it
  char kind = 'R';    ///< R: printed, D: recomputed from raw data, C: computed from printed values
  std::string where;  ///< place in the publication, such as "Table 2"
  base::Location place;  ///< position in the file of the table

  std::string axis(const std::string& name) const;
  bool is_value() const;  ///< true for a number with the relation = ~ < <= > or >=
};

/// Returns the range of values that a published value permits. The range considers rounding, the
/// tolerance of approximate values (~), and bounds (< <= > >=).
Printed allowed(const Published& value);

/// Returns a text such as "efficiency = 0.76 at model resnet50, gpus 1024".
std::string describe(const Published& value);

/// Returns a text such as "gpus 1024, model resnet50".
std::string in_words(const std::map<std::string, std::string>& axes);

/// Formula by which a publication computes a quantity.
struct Definition {
  std::string formula;  ///< formula as printed
  std::string reading;  ///< formula that the published numbers follow, if it differs from `formula`
  std::string statistic;
  std::string unit;
  std::map<std::string, std::string> units;  ///< units of the names in the formula
  base::Location place;
};

using Words = std::vector<std::string>;

struct ReferenceTable {
  std::string file;  ///< file name as the study writes it
  std::string source;
  char kind = 'R';
  std::vector<Published> values;
  std::string work;  ///< "per_gpu" if the table mentions weak scaling; empty: not stated
  std::vector<std::string> notes;  ///< notes about headings that were not recognised
};

/// Data of a publication that the rules check. They do not include the name of the study, so that
/// no rule can depend on a particular publication.
struct Publication {
  /// Work of an epoch: "fixed" (strong scaling), or "per_gpu" if the work grows with the number of
  /// GPUs (weak scaling). Empty if the publication does not state it.
  std::string work;
  double baseline_gpus = 0;                       ///< GPU count of the baseline; 0: not stated
  double baseline_nodes = 0;                      ///< node count of the baseline; 0: not stated
  double variation = 0;                           ///< stated spread between runs, as a fraction
  std::map<std::string, Definition> definitions;  ///< definitions by quantity
  std::map<std::string, Words> settings;
  /// Points that the publication claims to have measured. Each entry has a list of values for each
  /// axis and stands for all combinations of these values.
  std::vector<std::map<std::string, Words>> measured;
  std::vector<Published> values;    ///< values and claims of all tables
  std::vector<Published> hardware;  ///< data sheet values of devices and links
  base::Location place;             ///< location of the definitions and settings

  /// Returns the words of a setting, or an empty list if there is no such setting.
  const Words& setting(const std::string& key) const;
  const Definition* definition(const std::string& quantity) const;
};

struct ReferenceStudy {
  std::string name;
  std::string title;
  std::string source;
  int repeats = 0;  ///< number of repetitions; 0: not stated
  std::vector<ReferenceTable> tables;
  Publication publication;
};

/// Reads the text of a table: lines `# key: value` (source, where, kind, note, decimal), a header,
/// and rows. Throws base::SpecError with line and column.
ReferenceTable read_reference_table(std::string_view text, const std::string& file);

}  // namespace dlscale::analysis
