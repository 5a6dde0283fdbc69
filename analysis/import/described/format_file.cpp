// SPDX-License-Identifier: Apache-2.0
// Parses the TOML text of a format file.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/import/described/line_rule.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "config/toml/fields.hpp"

namespace dlscale::analysis {
namespace {

using config::Formula;
using config::Item;

/// Subpatterns that every pattern may use. They follow the pattern, so that the numbers of its
/// groups and the positions in error messages stay the same. NUM does not match part of a number.
constexpr const char* kSubpatterns =
    R"((?(DEFINE)(?<INT>-?\d++(?!\.\d))(?<NUM>-?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+))"
    R"((?<LOSS>(?&NUM)|-?(?i:nan|inf(?:inity)?+))))";

const std::vector<std::string> kStepsFields{"epoch",
                                            "steps",
                                            "step",
                                            "samples",
                                            "rank_samples",
                                            "step_samples",
                                            "peak_memory_bytes",
                                            "tokens",
                                            "wall_s",
                                            "step_s",
                                            "elapsed_s",
                                            "samples_per_s",
                                            "tokens_per_s",
                                            "rank_samples_per_s",
                                            "rank_tokens_per_s",
                                            "sequence_length",
                                            "load_s",
                                            "step_load_s",
                                            "lr",
                                            "loss",
                                            "warmup",
                                            "warmup_rows",
                                            "tells_steps",
                                            "counts_from",
                                            "counts_run"};
const std::vector<std::string> kEpochFields{"epoch", "wall_s", "steps", "samples", "loss", "lr"};
const std::vector<std::string> kEvaluationFields{"epoch", "accuracy", "loss", "wall_s"};
const std::vector<std::string> kInferenceFields{"batch", "latency_s", "samples_per_s"};
const std::vector<std::string> kEndFields{"wall_s"};
const std::vector<std::string> kReportFields{"line"};
const std::vector<std::string> kCompareFields{"value", "first_step", "resolution", "line"};
const std::vector<std::string> kStartFields{"parameters",   "trainable_parameters", "train_samples",
                                            "test_samples", "world_size",           "nodes",
                                            "resumed_step"};

/// Names of table columns and of record keys. A measured quantity must have another name.
const std::vector<std::string> kOtherColumns{
    "n",           "gpus",        "nodes",      "global_batch", "batch_per_gpu", "run_id",
    "launch",      "line",        "first_step", "train_loss",   "bytes_sent",    "collectives",
    "comm_busy_s", "comm_wait_s", "parts",      "time"};

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Regex regex_of(const Item& item) {
  const std::string& text = item.word();
  const bool has_calls = text.find("(?&") != text.npos;
  try {
    Regex own(has_calls ? text + kSubpatterns : text);
    return own;
  } catch (const base::UsageError& error) {
    item.fail(error.what());
  }
}

class FormatParser {
 public:
  explicit FormatParser(const config::Node& root) : root_{root, ""} {}

  FormatDescription parse() {
    find_variables();
    read_measured();
    config::read_fields(root_, fields(), *this);
    format_.sequences = sequences_.size() + 1;
    for (const char* key : {"name", "summary", "rates"}) {
      if (config::find_key(root_.table(), key) == nullptr) missing(key);
    }
    if (format_.trainer.empty()) format_.trainer = format_.name;
    if (format_.rules.empty()) missing("line");
    if (format_.marks.empty() && !has_table()) missing("recognise");
    check_tables();
    check_measured();
    return std::move(format_);
  }

 private:
  [[noreturn]] void missing(const char* key) const {
    throw base::SpecError(root_.node.where, key, "missing");
  }
  bool has_table() const {
    return std::any_of(format_.rules.begin(), format_.rules.end(),
                       [](const LineRule& rule) { return rule.source == LineRule::Source::table; });
  }
  /// Throws if there are rows of tables, but no heading.
  void check_tables() const {
    const auto has_heading = [](const LineRule& rule) { return rule.table.has_heading(); };
    if (has_table() && std::none_of(format_.rules.begin(), format_.rules.end(), has_heading)) {
      throw base::SpecError(
          root_.node.where, "line.table",
          "must have at least one of the keys heading, heading_pattern and columns");
    }
  }

  // Measured quantities.

  /// Reads the names and units of the measured quantities. Their formulas are in the rules, which
  /// are read later.
  void read_measured() {
    const config::Entry* section = config::find_key(root_.table(), "measured");
    if (section == nullptr) return;
    for (const config::Entry& one : Item{section->node, "measured"}.table()) {
      const Item item{one.node, "measured." + one.key};
      const config::Node name{one.key, one.where};
      check_measured_name(Item{name, item.key});
      std::string unit;
      static const std::vector<config::Field<std::string>> fields{
          {"unit", [](std::string& u, const Item& i) { u = i.word(); }}};
      config::read_fields(item, fields, unit);
      format_.measured.emplace(one.key, unit);
    }
  }
  static void check_measured_name(const Item& item) {
    const std::string& name = item.plain_name();
    for (const auto& [entry, fields] :
         {std::pair("steps", &kStepsFields), std::pair("epoch", &kEpochFields)}) {
      if (!is_among(*fields, name)) continue;
      item.fail(
          fmt::format("the field {}.{} has this name; state the value in this field, or choose "
                      "another name",
                      entry, name));
    }
    if (is_among(kOtherColumns, name)) {
      item.fail("another column of the tables has this name; choose another name");
    }
  }
  /// Throws if a measured quantity has no formula in any line.
  void check_measured() const {
    const auto states = [](const std::optional<LineEntry>& entry, const std::string& name) {
      return entry && find_formula(entry->measured, name) != nullptr;
    };
    for (const auto& [name, unit] : format_.measured) {
      const bool is_stated =
          std::any_of(format_.rules.begin(), format_.rules.end(), [&](const LineRule& rule) {
            return states(rule.steps, name) || states(rule.epoch, name);
          });
      if (is_stated) continue;
      const config::Entry* section = config::find_key(root_.table(), "measured");
      const config::Entry* one = config::find_key(Item{section->node, "measured"}.table(), name);
      throw base::SpecError(
          one->where, "measured." + name,
          fmt::format("no line states the value; add steps.measured = {{ {} = … }} "
                      "to a line",
                      name));
    }
  }
  /// Reads the formulas of measured quantities. Throws if the format does not declare a quantity.
  Formulas measured_of(const Item& table) {
    std::vector<std::string> known;
    for (const auto& [name, unit] : format_.measured) known.push_back(name);
    if (!known.empty()) return formulas(table, known);
    table.fail("the format declares no measured quantity; add [measured.NAME] with its unit");
  }

  /// Collects the names of all variables before the first formula is parsed.
  void find_variables() {
    const auto add = [&](const config::Node* table) {
      if (table == nullptr) return;
      for (const config::Entry& entry : Item{*table, ""}.table()) {
        auto& names = format_.variables;
        if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
          names.push_back(entry.key);
        }
      }
    };
    const auto inner = [](const config::Node& table, const char* key) -> const config::Node* {
      if (!std::holds_alternative<config::Table>(table.value)) return nullptr;
      const config::Entry* entry = config::find_key(std::get<config::Table>(table.value), key);
      return entry == nullptr ? nullptr : &entry->node;
    };
    add(inner(root_.node, "initial"));
    const config::Node* lines = inner(root_.node, "line");
    if (lines == nullptr) return;
    const auto add_all_of = [&](const config::Node& rule) {
      for (const char* key : {"seen", "set", "then"}) add(inner(rule, key));
    };
    for (const Item& line : Item{*lines, "line"}.items()) add_all_of(line.node);
    const config::Node* end = inner(root_.node, "at_end");
    if (end != nullptr) add_all_of(*end);
  }

  static const std::vector<config::Field<FormatParser>>& fields() {
    using P = FormatParser;
    static const std::vector<config::Field<P>> table{
        {"name", [](P& p, const Item& i) { p.format_.name = i.plain_name(); }},
        {"summary", [](P& p, const Item& i) { p.format_.summary = i.word(); }},
        {"rates", [](P& p, const Item& i) { p.format_.rates = i.word(); }},
        {"cross_check", [](P& p, const Item& i) { p.format_.cross_check = i.word(); }},
        {"file", [](P& p, const Item& i) { p.format_.file = i.plain_name(); }},
        {"trainer", [](P& p, const Item& i) { p.format_.trainer = i.plain_name(); }},
        {"summary_of", [](P& p, const Item& i) { p.format_.summary_of = i.plain_name(); }},
        {"needs_batch", [](P& p, const Item& i) { p.format_.needs_batch = i.flag(); }},
        {"tells_end", [](P& p, const Item& i) { p.format_.tells_end = i.flag(); }},
        {"thousands", [](P& p, const Item& i) { p.format_.thousands = i.word(); }},
        {"initial",
         [](P& p, const Item& i) {
           p.use_names({}, i);
           p.format_.initial = p.formulas(i, p.format_.variables);
         }},
        {"recognise", [](P& p, const Item& i) { p.read_recognition(i); }},
        {"measured", [](P&, const Item&) {}},  // read_measured() reads this section
        {"line", [](P& p, const Item& i) { p.read_rules(i); }},
        {"at_end", [](P& p, const Item& i) { p.format_.at_end = p.rule_of(i); }},
    };
    return table;
  }

  void read_recognition(const Item& section) {
    using P = FormatParser;
    static const std::vector<config::Field<P>> table{
        {"any",
         [](P& p, const Item& i) {
           for (const Item& mark : i.items()) p.read_mark(mark);
         }},
        {"first_line", [](P& p, const Item& i) { p.format_.is_first_line = i.flag(); }},
        {"head_bytes",
         [](P& p, const Item& i) {
           p.format_.head_bytes = static_cast<std::size_t>(i.whole(1, 65536));
         }},
        {"unless", [](P& p, const Item& i) { p.format_.unless = i.word(); }},
    };
    config::read_fields(section, table, *this);
  }

  void read_mark(const Item& item) {
    static const std::vector<config::Field<LineMark>> table{
        {"starts", [](LineMark& m, const Item& i) { m.starts = i.word(); }},
        {"contains", [](LineMark& m, const Item& i) { m.contains = i.texts(); }},
        {"pattern", [](LineMark& m, const Item& i) { m.pattern = regex_of(i); }},
    };
    LineMark mark;
    config::read_fields(item, table, mark);
    if (mark.starts.empty() && mark.contains.empty() && !mark.pattern) {
      item.fail("must have at least one of the keys starts, contains and pattern");
    }
    format_.marks.push_back(std::move(mark));
  }

  // Formulas. `symbols_` are the names that the formulas of the current rule may use.

  void use_names(const std::vector<LineName>& names, const Item& where) {
    symbols_.clear();
    for (const char* name : kRunValues) symbols_.push_back({name});
    for (const std::string& name : format_.variables) symbols_.push_back({name});
    for (const LineName& name : names) {
      if (std::any_of(symbols_.begin(), symbols_.end(),
                      [&](const config::Symbol& other) { return other.name == name.name; })) {
        where.fail(
            fmt::format("the name \"{}\" is used twice, as a value of the line and as a "
                        "variable or another value; choose another name",
                        name.name));
      }
      symbols_.push_back({name.name});
    }
  }

  /// Parses a formula. A number or truth value stands for itself.
  Formula formula(const Item& item) {
    if (std::holds_alternative<std::string>(item.node.value)) return Formula(item, symbols_);
    std::string text;
    if (const auto* truth = std::get_if<bool>(&item.node.value)) {
      text = *truth ? "true" : "false";
    } else {
      text = fmt::format("{}", item.number(-config::kNoLimit));
    }
    const config::Node node{text, item.node.where};
    return Formula({node, item.key}, symbols_);
  }
  Formula condition(const Item& item) {
    Formula one = formula(item);
    if (!one.is_condition()) item.fail("must be a condition, such as \"step > 10\"");
    return one;
  }

  /// Reads a table of formulas. If `known` is not empty, only these keys are allowed.
  Formulas formulas(const Item& table, const std::vector<std::string>& known = {}) {
    if (symbols_.empty()) use_names({}, table);
    Formulas all;
    for (const config::Entry& entry : table.table()) {
      if (!known.empty() && std::find(known.begin(), known.end(), entry.key) == known.end()) {
        throw base::SpecError(entry.where, table.key + "." + entry.key,
                              base::unknown_name("key", entry.key, known));
      }
      const auto& variables = format_.variables;
      const auto variable = std::find(variables.begin(), variables.end(), entry.key);
      all.push_back({entry.key, formula({entry.node, table.key + "." + entry.key}),
                     static_cast<std::size_t>(variable - variables.begin())});
    }
    return all;
  }

  Message message(const Item& item) {
    Message result;
    const std::string& text = item.word();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t open = text.find('{', at);
      const std::size_t close = open == text.npos ? text.npos : text.find('}', open);
      if (close == text.npos) {
        result.parts.emplace_back(text.substr(at));
        break;
      }
      if (open > at) result.parts.emplace_back(text.substr(at, open - at));
      const std::string inside = text.substr(open + 1, close - open - 1);
      const std::size_t colon = inside.find(':');
      const config::Node node{inside.substr(0, colon), item.node.where};
      Message::Number number{Formula({node, item.key}, symbols_),
                             colon == inside.npos ? "{}" : "{" + inside.substr(colon) + "}"};
      try {
        (void)fmt::format(fmt::runtime(number.format), 1.0);
      } catch (const fmt::format_error& error) {
        item.fail(fmt::format("\"{}\" is not a format of a number: {}", inside, error.what()));
      }
      result.parts.emplace_back(std::move(number));
      at = close + 1;
    }
    return result;
  }

  LineEntry entry(const Item& item, const std::vector<std::string>& known,
                  const std::vector<std::string>& other = {}) {
    LineEntry result;
    std::vector<std::string> all = known;
    all.emplace_back("when");
    all.insert(all.end(), other.begin(), other.end());
    for (const config::Entry& one : item.table()) {
      const Item value{one.node, item.key + "." + one.key};
      if (one.key == "when") {
        result.when = condition(value);
      } else if (std::find(known.begin(), known.end(), one.key) != known.end()) {
        result.fields.push_back({one.key, formula(value)});
      } else if (std::find(other.begin(), other.end(), one.key) == other.end()) {
        throw base::SpecError(one.where, value.key, base::unknown_name("key", one.key, all));
      } else if (one.key == "metrics") {
        result.metrics = formulas(value);
      } else if (one.key == "measured") {
        result.measured = measured_of(value);
      } else if (one.key == "other_numbers_except") {
        result.other_numbers_except = value.texts();
      } else if (one.key == "other_columns") {
        result.other_columns = regex_of(value);
      } else if (one.key == "fraction_or_percent") {
        result.is_fraction_or_percent = value.flag();
      }
    }
    return result;
  }

  LineComparison comparison(const Item& item) {
    LineComparison result;
    const std::vector<std::string> other{"name", "quantity", "span", "warmup"};
    result.fields = entry(item, kCompareFields, other);
    for (const config::Entry& one : item.table()) {
      const Item value{one.node, item.key + "." + one.key};
      if (one.key == "name") result.name = message(value);
      if (one.key == "quantity") {
        result.quantity =
            value.one_of("quantity", {"samples_per_s", "mean_samples_per_s", "seconds", "samples"});
      }
      if (one.key == "span") result.span = value.one_of("span", {"same", "longer", "shorter"});
      if (one.key == "warmup") result.has_warmup = value.flag();
    }
    if (result.name.parts.empty()) item.fail("the key \"name\" is missing");
    if (find_formula(result.fields.fields, "value") == nullptr)
      item.fail("the key \"value\" is missing");
    return result;
  }

  LineNote report(const Item& item) {
    LineNote result{{}, entry(item, kReportFields, {"text"})};
    for (const config::Entry& one : item.table()) {
      if (one.key == "text") result.text = message({one.node, item.key + ".text"});
    }
    if (result.text.parts.empty()) item.fail("the key \"text\" is missing");
    return result;
  }

  // Rules.

  void read_rules(const Item& list) {
    for (const Item& item : list.items()) format_.rules.push_back(rule_of(item));
  }

  LineRule rule_of(const Item& item) {
    LineRule rule;
    rule.where = item.node.where;
    read_source(item, rule);
    use_names(rule.names, item);
    rule_ = &rule;
    config::read_fields(item, rule_fields(), *this);
    if (rule.sequence == 0) rule.sequence = sequence(fmt::format("#{}", format_.rules.size()));
    return rule;
  }

  std::size_t sequence(const std::string& name) {
    return sequences_.try_emplace(name, sequences_.size() + 1).first->second;
  }

  /// Reads the keys that define the names of a rule. All other keys contain formulas.
  void read_source(const Item& item, LineRule& rule) {
    int sources = 0;
    for (const config::Entry& one : item.table()) {
      const Item value{one.node, item.key + "." + one.key};
      if (one.key == "pattern") {
        rule.source = LineRule::Source::pattern;
        rule.pattern = regex_of(value);
        for (const auto& [name, number] : rule.pattern->names()) {
          if (name == "INT" || name == "NUM" || name == "LOSS") continue;
          rule.names.push_back(
              {.name = name, .key = "", .group = number, .search = {}, .columns = {}});
        }
        ++sources;
      } else if (one.key == "json") {
        rule.source = LineRule::Source::json;
        read_keys(value, rule);
        ++sources;
      } else if (one.key == "table") {
        rule.source = LineRule::Source::table;
        read_table(value, rule);
        ++sources;
      } else if (one.key == "find" || one.key == "count" || one.key == "time") {
        for (const config::Entry& each : value.table()) {
          LineName name{.name = each.key, .key = "", .group = 0, .search = {}, .columns = {}};
          name.search = regex_of({each.node, value.key + "." + each.key});
          name.is_count = one.key == "count";
          name.is_time = one.key == "time";
          if (!name.is_count && name.search->groups() < 1) {
            throw base::SpecError(each.where, value.key + "." + each.key,
                                  "must have a group in parentheses, which captures the value");
          }
          rule.names.push_back(std::move(name));
        }
      }
    }
    if (sources > 1) item.fail("must have only one of the keys pattern, json and table");
  }

  /// Reads the names of values: a list of keys, or a table from names to keys.
  static void read_keys(const Item& item, LineRule& rule) {
    if (std::holds_alternative<config::Table>(item.node.value)) {
      for (const config::Entry& one : item.table()) {
        const std::string& key = Item{one.node, item.key + "." + one.key}.word();
        rule.names.push_back(
            {.name = one.key, .key = key, .group = 0, .search = {}, .columns = {}});
      }
      return;
    }
    for (const std::string& key : item.texts()) {
      rule.names.push_back({.name = key, .key = key, .group = 0, .search = {}, .columns = {}});
    }
  }

  static void read_table(const Item& item, LineRule& rule) {
    static const std::vector<config::Field<LineRule>> table{
        {"separator",
         [](LineRule& r, const Item& i) {
           if (i.text().size() != 1) i.fail("must be one character");
           r.table.separator = i.text()[0];
         }},
        {"heading", [](LineRule& r, const Item& i) { r.table.heading = i.word(); }},
        {"heading_pattern",
         [](LineRule& r, const Item& i) { r.table.heading_pattern = regex_of(i); }},
        {"columns", [](LineRule& r, const Item& i) { r.table.columns = i.texts(); }},
        {"any_of", [](LineRule& r, const Item& i) { r.table.any_of = i.texts(); }},
        {"more_cells", [](LineRule& r, const Item& i) { r.table.allows_more_cells = i.flag(); }},
        {"names", [](LineRule& r, const Item& i) { read_keys(i, r); }},
        {"matching", [](LineRule& r, const Item& i) { read_column_patterns(i, r, false); }},
        {"count", [](LineRule& r, const Item& i) { read_column_patterns(i, r, true); }},
        {"run_per_row", [](LineRule& r, const Item& i) { r.table.run_per_row = i.plain_name(); }},
    };
    config::read_fields(item, table, rule);
    const std::string& run = rule.table.run_per_row;
    const auto has_name = [&](const LineName& name) { return name.name == run; };
    if (!run.empty() && std::none_of(rule.names.begin(), rule.names.end(), has_name)) {
      item.fail(
          fmt::format("run_per_row = \"{}\" is not one of the values in the key \"names\"", run));
    }
  }

  /// Reads expressions for the headings of columns.
  static void read_column_patterns(const Item& item, LineRule& rule, bool is_count) {
    for (const config::Entry& one : item.table()) {
      LineName name{.name = one.key, .key = "", .group = 0, .search = {}, .columns = {}};
      name.columns = regex_of({one.node, item.key + "." + one.key});
      name.is_count = is_count;
      rule.names.push_back(std::move(name));
    }
  }

  static const std::vector<config::Field<FormatParser>>& rule_fields() {
    using P = FormatParser;
    const auto ignore = [](P&, const Item&) {};
    static const std::vector<config::Field<P>> table{
        {"pattern", ignore},
        {"json", ignore},
        {"table", ignore},
        {"find", ignore},
        {"count", ignore},
        {"time", ignore},
        {"name", [](P& p, const Item& i) { p.rule_->name = i.word(); }},
        {"starts", [](P& p, const Item& i) { p.rule_->starts = i.word(); }},
        {"contains", [](P& p, const Item& i) { p.rule_->contains = i.texts(); }},
        {"otherwise", [](P& p, const Item& i) { p.rule_->otherwise = i.word(); }},
        {"may_be_cut_off", [](P& p, const Item& i) { p.rule_->needs_end = !i.flag(); }},
        {"of_each_rank", [](P& p, const Item& i) { p.rule_->is_of_each_rank = i.flag(); }},
        {"shared", [](P& p, const Item& i) { p.rule_->is_shared = i.flag(); }},
        {"begins_process", [](P& p, const Item& i) { p.rule_->begins_process = i.flag(); }},
        {"expects_end", [](P& p, const Item& i) { p.rule_->expects_end = i.flag(); }},
        {"once_skipped", [](P& p, const Item& i) { p.rule_->once_skipped = i.word(); }},
        {"require",
         [](P& p, const Item& i) {
           for (const Item& one : i.items()) p.read_requirement(one, p.rule_->require);
         }},
        {"require_new",
         [](P& p, const Item& i) {
           for (const Item& one : i.items()) p.read_requirement(one, p.rule_->require_new);
         }},
        {"warn",
         [](P& p, const Item& i) {
           for (const Item& one : i.items()) p.read_requirement(one, p.rule_->warn);
         }},
        {"repeated_if", [](P& p, const Item& i) { p.rule_->repeated_if = p.condition(i); }},
        {"distinct",
         [](P& p, const Item& i) {
           const auto* text = std::get_if<std::string>(&i.node.value);
           p.rule_->has_distinct_lines = text != nullptr && *text == "line";
           if (!p.rule_->has_distinct_lines) p.rule_->distinct = p.formula(i);
         }},
        {"position",
         [](P& p, const Item& i) {
           for (const Item& one : i.items()) p.rule_->position.push_back(p.formula(one));
           if (p.rule_->position.size() > 2) i.fail("must be one or two numbers");
         }},
        {"sequence", [](P& p, const Item& i) { p.rule_->sequence = p.sequence(i.word()); }},
        {"repeated",
         [](P& p, const Item& i) {
           const std::string& word = i.one_of("value", {"count", "ignore", "ignore_same", "join"});
           p.rule_->repeated = word == "count"    ? RepeatedLine::count
                               : word == "ignore" ? RepeatedLine::ignore
                               : word == "join"   ? RepeatedLine::join
                                                  : RepeatedLine::ignore_same;
         }},
        {"seen", [](P& p, const Item& i) { p.rule_->seen = p.formulas(i); }},
        {"set", [](P& p, const Item& i) { p.rule_->set = p.formulas(i); }},
        {"then", [](P& p, const Item& i) { p.rule_->then = p.formulas(i); }},
        {"facts", [](P& p, const Item& i) { p.rule_->facts = p.formulas(i); }},
        {"start", [](P& p, const Item& i) { p.rule_->start = p.formulas(i, kStartFields); }},
        {"texts", [](P& p, const Item& i) { p.read_texts(i); }},
        {"steps",
         [](P& p, const Item& i) { p.rule_->steps = p.entry(i, kStepsFields, {"measured"}); }},
        {"epoch",
         [](P& p, const Item& i) { p.rule_->epoch = p.entry(i, kEpochFields, {"measured"}); }},
        {"evaluation",
         [](P& p, const Item& i) {
           p.rule_->evaluation =
               p.entry(i, kEvaluationFields,
                       {"metrics", "other_numbers_except", "other_columns", "fraction_or_percent"});
         }},
        {"inference",
         [](P& p, const Item& i) { p.rule_->inference = p.entry(i, kInferenceFields); }},
        {"end", [](P& p, const Item& i) { p.rule_->end = p.entry(i, kEndFields); }},
        {"compare",
         [](P& p, const Item& i) {
           for (const Item& one : i.items()) p.rule_->compare.push_back(p.comparison(one));
         }},
        {"report",
         [](P& p, const Item& i) {
           for (const Item& one : i.items()) p.rule_->report.push_back(p.report(one));
         }},
    };
    return table;
  }

  void read_requirement(const Item& item, std::vector<Requirement>& all) {
    const config::Entry* that = config::find_key(item.table(), "that");
    const config::Entry* otherwise = config::find_key(item.table(), "otherwise");
    for (const config::Entry& one : item.table()) {
      if (&one == that || &one == otherwise) continue;
      throw base::SpecError(one.where, item.key + "." + one.key,
                            base::unknown_name("key", one.key, {"that", "otherwise"}));
    }
    if (that == nullptr) item.fail("the key \"that\" is missing");
    Requirement one{condition({that->node, item.key + ".that"}), {}};
    if (otherwise != nullptr) one.otherwise = message({otherwise->node, item.key + ".otherwise"});
    all.push_back(std::move(one));
  }

  /// Reads facts that are copied as text: fact = "name",
  /// fact = { of = "name", pattern = … } or fact = { text = "resnet50" }.
  void read_texts(const Item& table) {
    for (const config::Entry& one : table.table()) {
      const Item item{one.node, table.key + "." + one.key};
      TextFact fact{.fact = one.key, .text = "", .name = 0, .pattern = std::nullopt};
      std::string name;
      if (std::holds_alternative<config::Table>(one.node.value)) {
        struct Parts {
          std::string* name;
          TextFact* fact;
        } parts{&name, &fact};
        static const std::vector<config::Field<Parts>> fields{
            {"of", [](Parts& p, const Item& i) { *p.name = i.word(); }},
            {"text", [](Parts& p, const Item& i) { p.fact->text = i.word(); }},
            {"pattern", [](Parts& p, const Item& i) { p.fact->pattern = regex_of(i); }}};
        config::read_fields(item, fields, parts);
      } else {
        name = item.word();
      }
      if (!fact.text.empty()) {
        rule_->texts.push_back(std::move(fact));
        continue;
      }
      std::vector<std::string> known;
      for (const LineName& own : rule_->names) known.push_back(own.name);
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end()) item.fail(base::unknown_name("value of the line", name, known));
      fact.name = static_cast<std::size_t>(found - known.begin());
      rule_->texts.push_back(std::move(fact));
    }
  }

  const Item root_;
  FormatDescription format_;
  std::vector<config::Symbol> symbols_;
  std::map<std::string, std::size_t> sequences_;
  LineRule* rule_ = nullptr;  ///< rule that is being read
};

}  // namespace

const Formula* find_formula(const Formulas& formulas, std::string_view name) {
  const auto found = std::find_if(formulas.begin(), formulas.end(),
                                  [&](const NamedFormula& one) { return one.name == name; });
  return found == formulas.end() ? nullptr : &found->formula;
}

FormatDescription parse_format(std::string_view text, const std::string& file) {
  const config::Node root = config::parse_document(text, file);
  return FormatParser(root).parse();
}

}  // namespace dlscale::analysis
