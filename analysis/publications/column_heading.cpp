// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/column_heading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cells/cell_unit.hpp"
#include "analysis/publications/axes.hpp"
#include "analysis/publications/reference_value.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

/// Names of quantities as tables print them, normalised by plain_name(), and the names that the
/// rules use for them. Names of times that are not in this list keep their printed form.
constexpr Name kNames[] = {
    {"speedup", "speedup"},
    {"speedupfactor", "speedup"},
    {"speedupratio", "speedup"},
    {"accelerationratio", "speedup"},
    {"accelerationrate", "speedup"},
    {"efficiency", "efficiency"},
    {"eff", "efficiency"},
    {"scalingefficiency", "efficiency"},
    {"scalingeff", "efficiency"},
    {"throughput", "throughput"},
    {"throughputpergpu", "throughput_per_gpu"},
    {"pergputhroughput", "throughput_per_gpu"},
    {"gputhroughput", "throughput_per_gpu"},
    {"epochtime", "epoch_time"},
    {"epochduration", "epoch_time"},
    {"timeperepoch", "epoch_time"},
    {"traintime", "train_time"},
    {"runtime", "runtime"},
    {"steptime", "step_time"},
    {"timeperstep", "step_time"},
    {"itertime", "step_time"},
    {"timeperiter", "step_time"},
    {"iterationtime", "step_time"},
    {"timeperiteration", "step_time"},
    {"batchtime", "step_time"},
    {"timeperbatch", "step_time"},
};

constexpr std::string_view kTimeQuantities[] = {
    "epochtime",     "traintime",      "trainingtime", "valtime",        "runtime",
    "time",          "totaltime",      "walltime",     "elapsedtime",    "elapsed",
    "duration",      "timeperepoch",   "timetotrain",  "timetoaccuracy", "wallclocktime",
    "executiontime", "timetosolution", "wallclock"};
constexpr std::string_view kStepTimes[] = {"steptime", "iterationtime", "timeperstep",
                                           "itertime", "batchtime",     "timeperiteration"};

/// Names that mean a throughput if the unit of the column is a rate of samples, such as images/s.
constexpr std::string_view kSpeeds[] = {"speed",          "performance", "processingspeed",
                                        "processingrate", "rate",        "images",
                                        "samples",        "tokens",      "ips"};

/// Words that do not change the quantity in front of its name: "average throughput" is a
/// throughput.
constexpr std::string_view kQualifiers[] = {
    "avg",      "average",   "mean",       "median",   "total",    "global",
    "overall",  "aggregate", "aggregated", "combined", "training", "train",
    "measured", "observed",  "achieved",   "actual",   "system",   "cluster"};
/// Words that do not change the quantity in front of a speed-up or an efficiency only: "parallel
/// efficiency" is an efficiency.
constexpr std::string_view kClaimQualifiers[] = {"relative", "parallel", "strong",
                                                 "weak",     "scaling",  "scaled"};

/// First words of names whose values were not measured, as in "ideal speedup".
constexpr std::string_view kIdeals[] = {"ideal",     "linear",   "theoretical", "expected",
                                        "predicted", "perfect",  "optimal",     "projected",
                                        "simulated", "modelled", "modeled"};

/// Words that separate a speed-up from its baseline, as in "Speedup over 1 GPU".
constexpr std::string_view kComparisons[] = {
    " over ",          " vs ",      " vs. ", " versus ", " relative to ", " compared to ",
    " compared with ", " against ", " wrt ", " w.r.t. "};
/// Words that describe a baseline in the same table, such as "single GPU". A baseline that is
/// described with any other word is a different program.
constexpr std::string_view kBaselineWords[] = {
    "the",  "a",        "an",     "one",     "single", "baseline", "base",   "first",
    "row",  "smallest", "gpu",    "gpus",    "node",   "nodes",    "core",   "cores",
    "rank", "ranks",    "worker", "workers", "device", "devices",  "serial", "sequential"};

/// Counted nouns in the singular, and the scaling axes that count them. "processe" is "processes"
/// without its last letter.
constexpr Name kCounted[] = {{"gpu", "gpus"},           {"gcd", "gpus"},
                             {"accelerator", "gpus"},   {"node", "nodes"},
                             {"core", "cores"},         {"rank", "ranks"},
                             {"worker", "workers"},     {"process", "processes"},
                             {"processe", "processes"}, {"device", "devices"}};
/// Words next to a counted noun that mark it as a count, as in "number of GPUs" and "GPU count".
constexpr std::string_view kCountWords[] = {"#",  "num", "no",    "nr",    "n",
                                            "of", "the", "total", "count", "number"};
/// Words for the manufacturer or the type in front of a counted noun: "NVIDIA GPUs", "CPU cores",
/// "MPI ranks".
constexpr std::string_view kKinds[] = {"nvidia",   "amd",    "intel", "tesla",  "volta",
                                       "ampere",   "hopper", "dgx",   "hgx",    "geforce",
                                       "instinct", "cpu",    "mpi",   "compute"};

/// Words in the names of settings. The authors chose the numbers in such a column and did not
/// measure them.
constexpr std::string_view kSettings[] = {
    "batch",      "batchsize",  "bs",        "minibatch",  "microbatch", "epoch",      "epochs",
    "step",       "steps",      "iteration", "iterations", "iters",      "seed",       "layer",
    "layers",     "depth",      "width",     "hidden",     "heads",      "resolution", "params",
    "parameters", "seq",        "sequence",  "lr",         "year",       "date",       "run",
    "runs",       "repetition", "repeat",    "repeats",    "trial",      "tp",         "pp",
    "dp",         "stage",      "version",   "bits",       "hosts",      "workers",    "features",
    "classes",    "learning",   "bytes"};
/// Words in the names of measurements. A heading with one of these words is not a setting.
constexpr std::string_view kMeasures[] = {
    "time",     "s",          "sec",     "secs",  "second", "seconds", "ms",
    "min",      "minutes",    "h",       "hours", "speed",  "speedup", "throughput",
    "duration", "efficiency", "latency", "fps",   "energy", "power"};

template <std::size_t kSize>
bool is_one_of(const std::string_view (&names)[kSize], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <std::size_t kSize>
std::optional<std::string> find_name(const Name (&names)[kSize], std::string_view name) {
  const auto* const found = std::find_if(std::begin(names), std::end(names),
                                         [&](const Name& one) { return one.first == name; });
  return found == std::end(names) ? std::nullopt : std::optional<std::string>(found->second);
}

/// Normalises a name for a comparison: "Time / epoch" becomes "timeperepoch", and "Eff." becomes
/// "eff".
std::string plain_name(std::string_view name) {
  std::string plain = comparable(name);
  for (std::size_t at = plain.find('/'); at != plain.npos; at = plain.find('/')) {
    plain.replace(at, 1, "per");
  }
  while (plain.ends_with('.')) plain.pop_back();
  return plain;
}

/// Returns the words of a name in lower case: "number", "of" and "gpus" for "Number of GPUs". "#"
/// and "/" count as words.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words{""};
  for (const char c : base::lower(name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += c;
      continue;
    }
    if (c == '#' || c == '/') words.emplace_back(1, c);
    words.emplace_back();
  }
  std::erase(words, "");
  return words;
}

/// Returns the first word in lower case and the rest of the name. Returns two empty texts for a
/// name of one word.
std::pair<std::string, std::string_view> first_word_of(std::string_view name) {
  const std::size_t end = name.find_first_of(" _-");
  const std::size_t begin = name.find_first_not_of(" _-", end);
  if (end == name.npos || begin == name.npos) return {};
  std::string word = base::lower(name.substr(0, end));
  if (word.ends_with('.')) word.pop_back();
  return {word, name.substr(begin)};
}

/// Quantity in a name, and the unit by which it is divided. "Throughput per GPU", "Throughput/GPU"
/// and "throughput_per_gpu" have the quantity "Throughput" and the unit "GPU".
struct Share {
  std::string_view counted, unit;
};
std::optional<Share> share_of(std::string_view name) {
  const std::string text = base::lower(name);
  for (const std::string_view per : {" per ", "_per_", "/"}) {
    const std::size_t at = text.rfind(per);
    if (at == text.npos || at == 0) continue;
    Share share{name.substr(0, at), name.substr(at + per.size())};
    share.counted = share.counted.substr(0, share.counted.find_last_not_of(' ') + 1);
    share.unit.remove_prefix(std::min(share.unit.find_first_not_of(' '), share.unit.size()));
    return share;
  }
  return std::nullopt;
}

/// Returns the counted thing that a unit names: "gpu" for "GPUs" and "device", "epoch" for
/// "epochs". Returns an empty text for words that are not units of a count.
std::string thing_of(std::string_view name) {
  const auto unit = parse_cell_unit(name);
  return unit && unit->kind == UnitKind::count && unit->factor == 1 ? unit->thing : "";
}

/// Returns the quantity of a name that consists only of a unit: "throughput" for "images/sec",
/// "epoch_time" for "seconds per epoch".
std::optional<std::string> quantity_of_unit(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  const auto unit = parse_cell_unit(words);
  if (unit && unit->kind == UnitKind::rate && unit->thing == "sample") {
    if (base::lower(name).find("node") != std::string::npos) return std::nullopt;
    return unit->per_gpu ? "throughput_per_gpu" : "throughput";
  }
  const auto share = share_of(name);
  const auto time = share ? parse_cell_unit(share->counted) : std::nullopt;
  if (!time || time->kind != UnitKind::time) return std::nullopt;
  const std::string thing = thing_of(share->unit);
  if (thing == "epoch") return "epoch_time";
  return thing == "step" ? std::optional<std::string>("step_time") : std::nullopt;
}

/// Returns the part of a name in front of its baseline: "Speedup" for "Speedup over baseline".
/// Returns an empty text if the name has no baseline or if the baseline is another program.
std::string_view without_baseline(std::string_view name) {
  const std::string text = base::lower(name);
  for (const std::string_view comparison : kComparisons) {
    const std::size_t at = text.find(comparison);
    if (at == text.npos) continue;
    const auto words = words_of(text.substr(at + comparison.size()));
    const bool is_count = std::all_of(words.begin(), words.end(), [](const std::string& word) {
      const bool is_number = word.find_first_not_of("0123456789x") == word.npos;
      return is_number || is_one_of(kBaselineWords, word);
    });
    if (is_count && !words.empty()) return name.substr(0, at);
  }
  return {};
}

bool is_claim(const std::optional<std::string>& quantity) {
  return quantity == "speedup" || quantity == "efficiency";
}

std::optional<std::string> without_qualifier(std::string_view name) {
  const auto [word, rest] = first_word_of(name);
  if (is_one_of(kQualifiers, word)) return known_quantity(rest);
  if (!is_one_of(kClaimQualifiers, word)) return std::nullopt;
  auto quantity = known_quantity(rest);
  return is_claim(quantity) ? quantity : std::nullopt;
}

/// Returns true for words such as "A100", "V100S" and "80GB" that describe the type of the counted
/// noun. Returns false for "8", which is a count.
bool is_kind(const std::string& word) {
  const bool has_digit = word.find_first_of("0123456789") != word.npos;
  const bool begins_with_digit = word.find_first_of("0123456789") == 0;
  return is_one_of(kKinds, word) || (has_digit && (!begins_with_digit || word.ends_with("gb")));
}

/// Returns the scaling axis that counts a noun. A plural such as "gpus" always counts. A singular
/// such as "gpu" counts only if `is_counted`, which means that other words of the heading mark it
/// as a count, as in "number of".
std::optional<std::string> counted_by(std::string word, bool is_counted) {
  for (const std::string_view mark : {"num", "n"}) {
    if (!word.starts_with(mark) || !counted_by(word.substr(mark.size()), true)) continue;
    return counted_by(word.substr(mark.size()), true);
  }
  const bool is_plural = word.ends_with('s') && word != "process";
  if (is_plural) word.pop_back();
  return is_plural || is_counted ? find_name(kCounted, word) : std::nullopt;
}

}  // namespace

std::optional<std::string> known_quantity(std::string_view name) {
  if (auto quantity = find_name(kNames, plain_name(name))) return quantity;
  if (auto quantity = quantity_of_unit(name)) return quantity;
  if (is_time_name(name)) return std::string(name);
  if (const auto share = share_of(name); share && thing_of(share->unit) == "gpu") {
    const bool is_rate = known_quantity(share->counted) == "throughput";
    return is_rate ? std::optional<std::string>("throughput_per_gpu") : std::nullopt;
  }
  if (const std::string_view claim = without_baseline(name); !claim.empty()) {
    auto quantity = known_quantity(claim);
    return is_claim(quantity) ? quantity : std::nullopt;
  }
  return without_qualifier(name);
}

bool is_speed_name(std::string_view name) {
  const auto [word, rest] = first_word_of(name);
  return is_one_of(kSpeeds, plain_name(name)) ||
         (is_one_of(kQualifiers, word) && is_speed_name(rest));
}

std::optional<std::string> known_scaling_axis(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  if (comparable(name) == "worldsize") return "ranks";
  if (words.empty() || comparable(name) == "numworkers") return std::nullopt;
  const auto is_count_word = [](const std::string& word) { return is_one_of(kCountWords, word); };
  const auto noun = std::find_if(words.rbegin(), words.rend(), std::not_fn(is_count_word));
  if (noun == words.rend()) return std::nullopt;
  const bool is_counted = std::any_of(words.begin(), words.end(), is_count_word);
  const bool is_of_gpu = words.front() == "gpu" && (*noun == "nodes" || *noun == "devices");
  const bool is_plain = std::all_of(std::next(noun), words.rend(), [&](const std::string& word) {
    return is_count_word(word) || is_kind(word) || (word == "gpu" && is_of_gpu);
  });
  return is_plain ? counted_by(*noun, is_counted) : std::nullopt;
}

bool is_usual_setting(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  const auto has_one_of = [&](const auto& list) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return is_one_of(list, word); });
  };
  const auto share = share_of(name);
  const bool is_count_per_count =
      share && !thing_of(share->counted).empty() && !thing_of(share->unit).empty();
  return (is_count_per_count || has_one_of(kSettings)) && !has_one_of(kMeasures);
}

bool is_ideal_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return !words.empty() && is_one_of(kIdeals, words.front());
}

bool is_time_name(std::string_view quantity) {
  return is_one_of(kTimeQuantities, plain_name(quantity)) || is_step_time_name(quantity);
}

bool is_step_time_name(std::string_view quantity) {
  return is_one_of(kStepTimes, plain_name(quantity));
}

bool is_rate_name(std::string_view quantity) {
  return quantity == "throughput";
}

bool is_gpu_rate_name(std::string_view quantity) {
  return quantity == "throughput_per_gpu";
}

std::string usual_unit(std::string_view quantity) {
  if (quantity == "speedup" || quantity == "efficiency") return "1";
  if (is_rate_name(quantity) || is_gpu_rate_name(quantity)) return "image/s";
  return is_time_name(quantity) ? "s" : "";
}

// The headings of published tables seldom use the names that the rules know. A heading that is not
// recognised is treated as an axis. If its column contains measurements, each row then lies on a
// separate curve and the rules cannot compare anything. Therefore a heading is split into its name,
// its unit and remarks in brackets. The lists above contain the known names, and
// reference_value.cpp contains the known units.

namespace {

struct Bracket {
  std::size_t begin = 0, end = 0;  ///< range in the text, which includes the brackets
  bool is_square = false;
  std::string text;  ///< text within the brackets
};

/// Returns the pairs of brackets in a heading from left to right. Ignores a bracket that is not
/// closed.
std::vector<Bracket> brackets_of(const std::string& text) {
  std::vector<Bracket> found;
  for (std::size_t at = text.find_first_of("[("); at != text.npos;) {
    const bool is_square = text[at] == '[';
    const std::size_t close = text.find(is_square ? ']' : ')', at);
    if (close == text.npos) break;
    found.push_back({at, close + 1, is_square,
                     std::string(base::trimmed(text.substr(at + 1, close - at - 1)))});
    at = text.find_first_of("[(", close);
  }
  return found;
}

/// Returns the heading without a pair of brackets and the text between them: "Throughput per GPU"
/// for "Throughput (img/s) per GPU".
std::string without(const std::string& text, const Bracket& bracket) {
  const std::string_view whole = text;
  return std::string(
      base::trimmed(fmt::format("{} {}", base::trimmed(whole.substr(0, bracket.begin)),
                                base::trimmed(whole.substr(bracket.end)))));
}

std::optional<std::string> quantity_of(std::string_view name) {
  return known_quantity(name.substr(0, name.find('@')));
}

/// Returns true if the text in round brackets is the unit of the named quantity. Returns false for
/// counts, because columns such as "Params (M)" and "Batch (images)" are settings. Returns false
/// for "Throughput (min)", where "min" means minimum and not minutes.
bool is_unit_of(const std::string& name, const std::string& text) {
  const auto unit = parse_unit(text);
  if (!unit) return false;
  if (unit->cell && unit->cell->kind == UnitKind::count) return false;
  const std::string usual = usual_unit(quantity_of(name).value_or(""));
  const bool is_ratio = unit->dimension == Dimension{};
  return usual.empty() || parse_unit(usual)->dimension == unit->dimension || is_ratio;
}

ColumnHeading measured_heading(const std::string& text, const std::string& unit) {
  ColumnHeading heading{.name = text.substr(0, text.find('@')), .unit = unit, .is_measured = true};
  if (const std::size_t at = text.find('@'); at != text.npos) {
    heading.statistic = text.substr(at + 1);
  }
  const auto found = parse_unit(unit);
  const CellUnit cell = found && found->cell ? *found->cell : CellUnit{};
  const bool is_rate = cell.kind == UnitKind::rate && cell.thing == "sample";
  if (const auto quantity = known_quantity(heading.name)) {
    heading.name = *quantity;
  } else if (is_rate && is_speed_name(heading.name)) {
    heading.name = "throughput";
  }
  if (heading.name == "throughput" && cell.per_gpu) {
    const bool is_node = unit.find("ode") != std::string::npos;
    heading.name = is_node ? "throughput_per_node" : "throughput_per_gpu";
  }
  return heading;
}

/// Reads a name that is followed by a unit without brackets: "Throughput" and "img/s" from
/// "Throughput, img/s", "throughput_img_per_s" or "Throughput in img/s".
std::optional<ColumnHeading> with_unit_behind(const std::string& text) {
  for (std::size_t at = text.find_first_of(" _,"); at != text.npos;
       at = text.find_first_of(" _,", at + 1)) {
    const std::string name(base::trimmed(text.substr(0, at)));
    std::string unit(base::trimmed(text.substr(at + 1)));
    std::replace(unit.begin(), unit.end(), '_', ' ');
    if (unit.starts_with("in ")) unit = base::trimmed(unit.substr(3));
    const bool has_unit = !usual_unit(quantity_of(name).value_or("")).empty();
    if (has_unit && is_unit_of(name, unit)) return measured_heading(name, unit);
  }
  return std::nullopt;
}

/// Reads the heading of a speed-up or an efficiency, which needs no unit. "Ideal speedup" keeps its
/// printed name, so that the rules do not check values that were not measured.
std::optional<ColumnHeading> read_ratio(const std::string& text) {
  const std::size_t behind = is_ideal_name(text) ? text.find_first_of(" _-") : text.npos;
  const std::string name = behind == text.npos ? text : text.substr(behind + 1);
  if (usual_unit(quantity_of(name).value_or("")) != "1") return std::nullopt;
  ColumnHeading heading = measured_heading(text, "1");
  heading.has_unit = false;
  return heading;
}

/// Reads a heading that has no unit in brackets. `text` is the heading without remarks in brackets,
/// and `whole` is the heading with these remarks.
ColumnHeading read_plain(const std::string& text, const std::string& whole) {
  std::string unit = text.substr(0, text.find('@'));
  std::replace(unit.begin(), unit.end(), '_', ' ');
  const auto quantity = quantity_of(text);
  if (quantity && parse_unit(unit)) return measured_heading(text, unit);
  if (auto heading = with_unit_behind(text)) return *heading;
  if (auto heading = read_ratio(text)) return *heading;
  ColumnHeading heading{.name = whole};
  if (const std::string usual = usual_unit(quantity.value_or("")); !usual.empty()) {
    heading.problem = fmt::format(
        "column \"{0}\" has no unit: write the unit in brackets, for example \"{0} [{1}]\"", whole,
        usual);
    return heading;
  }
  const auto axis = known_scaling_axis(text);
  if (axis && whole.find("per ") == whole.npos) heading.name = *axis;
  heading.is_guess = !axis && !is_usual_setting(text);
  return heading;
}

/// Removes the comment mark from the first heading of a header that was written as a comment: "#
/// model" becomes "model". Returns "# GPUs" unchanged, because its "#" means "number of".
std::string without_hash(const std::string& text) {
  if (!text.starts_with('#') || known_scaling_axis(text)) return text;
  const std::string name(base::trimmed(std::string_view(text).substr(1)));
  return name.starts_with("of ") || name.empty() ? text : name;
}

/// Returns the pair of brackets that contains the unit of a heading, or the end of the list if no
/// pair does.
std::vector<Bracket>::const_iterator unit_among(const std::vector<Bracket>& brackets,
                                                const std::string& text) {
  const auto square = std::find_if(brackets.begin(), brackets.end(),
                                   [](const Bracket& one) { return one.is_square; });
  if (square != brackets.end()) return square;
  return std::find_if(brackets.begin(), brackets.end(),
                      [&](const Bracket& one) { return is_unit_of(without(text, one), one.text); });
}

}  // namespace

ColumnHeading read_column_heading(const std::string& printed) {
  const std::string text = without_hash(printed);
  if (text.empty()) return {.problem = "the column has no name"};
  const std::size_t open = text.find(" [");
  if (open != text.npos && text.find(']', open) == text.npos) {
    return {.problem = fmt::format("\"{}\": ] is missing", text)};
  }
  const std::vector<Bracket> brackets = brackets_of(text);
  const auto unit = unit_among(brackets, text);
  const bool has_unit = unit != brackets.end();
  if (has_unit && !parse_unit(unit->text)) {
    return {.problem = fmt::format("unknown unit \"{}\"", unit->text)};
  }
  const std::string whole = has_unit ? without(text, *unit) : text;
  const std::vector<Bracket> remarks = brackets_of(whole);
  std::string name = whole, remark;
  if (!remarks.empty() && !is_ideal_name(remarks.back().text)) {
    name = without(whole, remarks.back());
    remark = remarks.back().text;
  }
  const bool is_known = quantity_of(name).has_value();
  ColumnHeading heading = !has_unit  ? read_plain(name, text)
                          : is_known ? measured_heading(name, unit->text)
                                     : measured_heading(whole, unit->text);
  if (heading.is_measured && is_known && heading.statistic.empty()) heading.statistic = remark;
  heading.heading = whole;
  return heading;
}

}  // namespace dlscale::analysis
