// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/launcher_prefix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/import/reading/log_format.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::size_t kLongestPrefix = 200;  // in bytes; enough for a full host name and a time

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_of_host(char c) {
  return base::is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_';
}

/// Reads a prefix from left to right. Each function returns false without moving if the text does
/// not continue as requested.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : text_(line.substr(0, kLongestPrefix)) {}

  bool skip(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  bool skip_any_of(std::string_view characters) {
    if (at_ >= text_.size() || characters.find(text_[at_]) == text_.npos) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  /// Skips all digits at the current position if their number is between `least` and `most`.
  bool digits(std::size_t least, std::size_t most) {
    const std::size_t count = run_of(&base::is_digit);
    if (count < least || count > most) return false;
    at_ += count;
    return true;
  }
  bool number(int& value) {
    const std::string_view from = text_.substr(at_, run_of(&base::is_digit));
    if (from.empty() || from.size() > 7) return false;
    value = base::leading_number<int>(from);
    at_ += from.size();
    return true;
  }
  template <class IsPart>
  std::string_view word(IsPart is_part) {
    const std::string_view found = text_.substr(at_, run_of(is_part));
    at_ += found.size();
    return found;
  }
  std::size_t at() const { return at_; }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  template <class IsPart>
  std::size_t run_of(IsPart is_part) const {
    std::size_t end = at_;
    while (end < text_.size() && is_part(text_[end])) ++end;
    return end - at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Returns the rank 3 for the brackets "[1,3]", "[prterun-host-7@1,3]" and "[3]". Returns -1 for
/// other brackets, such as a time or "[host:pid]".
int rank_in_brackets(std::string_view inside) {
  const std::size_t comma = inside.rfind(',');
  if (comma != inside.npos) inside.remove_prefix(comma + 1);
  return base::number_of<int>(inside).value_or(-1);
}

/// Finds the stream tag of an MPI launcher or of horovodrun:
/// - Open MPI 4 --tag-output "[1,0]<stdout>:" (orte/mca/iof).
/// - Open MPI 5, PRRTE and PMIx --output tag, tag-detailed, tag-fullname, rank and timestamp
///   "[TIME][JOB,0][HOST:PID]<stdout>: " (pmix/src/common/pmix_iof.c).
/// - horovodrun "[0]<stdout>:" (horovod/runner/common/util/safe_shell_exec.py).
/// Open MPI 4 and horovodrun do not write a blank after the colon. With --timestamp-output alone,
/// "<stdout>:" follows the time.
LauncherPrefix find_stream_tag(std::string_view line) {
  LauncherPrefix prefix{.is_sure = true};
  Cursor c(line);
  while (c.skip("[")) {
    const std::string_view inside = c.word([](char ch) { return ch != ']'; });
    if (!c.skip("]")) return {};
    if (prefix.rank < 0) prefix.rank = rank_in_brackets(inside);
  }
  if (!c.skip("<stdout>:") && !c.skip("<stderr>:") && !c.skip("<stddiag>:")) return {};
  prefix.size = c.at();
  prefix.ends_at_blank = c.skip(" ");
  return prefix;
}

/// Finds a tag with a role or a rank:
/// - torchrun --tee and --redirects write "[default0]:", which consists of the role and the local
///   rank (torch/distributed/elastic/multiprocessing/tail_log.py).
/// - PyTorch writes "[rank0]:[W…" with the global rank in front of its own messages.
/// A prefix template that the user sets (TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE) may end with a
/// blank.
LauncherPrefix find_role_tag(std::string_view line) {
  Cursor c(line);
  if (!c.skip("[")) return {};
  const std::string_view role =
      c.word([](char ch) { return is_letter(ch) || base::is_digit(ch) || ch == '_' || ch == '-'; });
  if (role.empty() || !is_letter(role[0]) || !c.skip("]:")) return {};
  const std::size_t digits = role.find_last_not_of("0123456789") + 1;
  LauncherPrefix prefix{.size = c.at(), .rank = rank_in_brackets(role.substr(digits))};
  if (prefix.rank < 0) return {};
  const std::string_view name = role.substr(0, digits);
  prefix.is_sure = name == "default" || name == "rank";
  prefix.ends_at_blank = c.skip(" ");
  return prefix;
}

/// Finds the prefix of kubectl logs --prefix: "[pod/NAME/CONTAINER] ".
LauncherPrefix find_pod(std::string_view line) {
  Cursor c(line);
  if (!c.skip("[pod/")) return {};
  const std::string_view name = c.word([](char ch) { return is_of_host(ch) || ch == '/'; });
  if (name.empty() || !c.skip("] ")) return {};
  return {.size = c.at(), .host = name, .is_sure = true};
}

/// Finds the prefix of Ray: "(RayTrainWorker pid=4123, ip=10.0.0.1) ". Ray colours this prefix on a
/// terminal.
LauncherPrefix find_actor(std::string_view line) {
  Cursor c(line);
  const auto skip_colour = [&] {
    if (c.skip("\x1b[")) {
      c.word([](char ch) { return base::is_digit(ch) || ch == ';'; });
      c.skip("m");
    }
  };
  skip_colour();
  if (!c.skip("(")) return {};
  c.word([](char ch) { return ch != '=' && ch != ')' && ch != '('; });
  const std::size_t from = c.at();
  if (!c.skip("=") || !line.substr(0, from).ends_with(" pid")) return {};
  const std::string_view inside = c.word([](char ch) { return ch != ')'; });
  if (!c.skip(")")) return {};
  skip_colour();
  if (!c.skip(" ")) return {};
  return {.size = c.at(), .host = inside, .is_sure = true};
}

bool skip_clock(Cursor& c) {
  if (!c.digits(1, 2) || !c.skip(":") || !c.digits(2, 2) || !c.skip(":") || !c.digits(2, 2)) {
    return false;
  }
  return !c.skip(".") || c.digits(1, 9);
}

bool skip_zone(Cursor& c) {
  if (c.skip("Z")) return true;
  if (!c.skip_any_of("+-")) return true;  // the time zone is optional
  return c.digits(4, 4) || (c.digits(2, 2) && c.skip(":") && c.digits(2, 2));
}

bool skip_name_of(Cursor& c, std::string_view names) {
  for (std::size_t i = 0; i + 3 <= names.size(); i += 3) {
    if (c.skip(names.substr(i, 3))) return true;
  }
  return false;
}

/// Skips "Thu May 21 07:15:51 2020" of ctime and "May 21 07:15:51" of syslog and ts.
bool skip_named_day(Cursor& c) {
  const bool has_weekday = skip_name_of(c, "MonTueWedThuFriSatSun");
  if (has_weekday && !c.skip(" ")) return false;
  if (!skip_name_of(c, "JanFebMarAprMayJunJulAugSepOctNovDec") || !c.skip(" ")) return false;
  c.skip_blanks();
  if (!c.digits(1, 2) || !c.skip(" ") || !skip_clock(c)) return false;
  return !has_weekday || (c.skip(" ") && c.digits(4, 4));
}

/// Skips "2024-01-01T12:00:00.123456789Z" of kubectl and docker --timestamps, and
/// "2024-01-01 12:00:00".
bool skip_dated(Cursor& c) {
  if (!c.digits(4, 4) || !c.skip_any_of("-/") || !c.digits(2, 2) || !c.skip_any_of("-/") ||
      !c.digits(2, 2) || !c.skip_any_of("T ")) {
    return false;
  }
  return skip_clock(c) && skip_zone(c);
}

/// Skips "1589991234.123456", the time that the command ts %.s writes.
bool skip_unix_time(Cursor& c) {
  return c.digits(10, 10) && c.skip(".") && c.digits(1, 9);
}

/// Finds a time with or without brackets. A time with a comma is not a prefix, because Python's
/// logging module writes it as part of the program's output.
LauncherPrefix find_time(std::string_view line) {
  Cursor c(line);
  const bool in_brackets = c.skip("[");
  bool found = false;
  for (bool (*skip)(Cursor&) : {&skip_named_day, &skip_dated, &skip_unix_time, &skip_clock}) {
    Cursor ahead = c;
    found = skip(ahead);
    if (found) c = ahead;
    if (found) break;
  }
  if (!found || (in_brackets && !c.skip("]"))) return {};
  const bool is_before_tag = c.rest().starts_with('[') || c.rest().starts_with("<std");
  if (!c.skip(" ") && !is_before_tag && !c.rest().empty()) return {};
  return {.size = c.at()};
}

/// Finds the prefix of syslog and journalctl after the time: "node12 trainer[4123]: ".
LauncherPrefix find_syslog(std::string_view line) {
  Cursor c(line);
  const std::string_view host = c.word(&is_of_host);
  if (host.empty() || !c.skip(" ")) return {};
  const std::string_view program = c.word([](char ch) { return is_of_host(ch) || ch == '/'; });
  if (program.empty() || !c.skip("[") || !c.digits(1, 10) || !c.skip("]: ")) return {};
  return {.size = c.at(), .host = host};
}

/// Finds the label "0: " of srun --label. srun pads the label to a fixed width with blanks or zeros
/// (slurm/src/common/write_labelled_message.c). In a heterogeneous job the label also contains the
/// group: "P1 0: ".
LauncherPrefix find_label(std::string_view line) {
  Cursor c(line);
  LauncherPrefix prefix;
  const std::size_t group = c.skip("P") ? c.at() : 0;
  if (group > 0) {
    if (!c.digits(1, 3) || !c.skip(" ")) return {};
    prefix.host = line.substr(0, c.at() - 1);
  }
  c.skip_blanks();
  if (c.at() > 8 || !c.number(prefix.rank)) return {};
  if (!c.skip(": ") && !(c.skip(":") && c.rest().empty())) return {};
  prefix.size = c.at();
  return prefix;
}

/// Finds the prefixes "[0] ", which MPICH's mpiexec -prepend-rank and Intel MPI's mpirun -l write,
/// and "[rank 0] ".
LauncherPrefix find_bracketed_rank(std::string_view line) {
  Cursor c(line);
  LauncherPrefix prefix;
  if (!c.skip("[")) return {};
  if (c.skip("rank") || c.skip("Rank") || c.skip("RANK")) c.skip_any_of(" :=");
  c.skip_blanks();
  if (!c.number(prefix.rank) || !c.skip("]")) return {};
  if (c.skip(":") || c.rest().empty()) return {.size = c.at(), .rank = prefix.rank};
  if (!c.skip(" ")) return {};
  prefix.size = c.at();
  return prefix;
}

/// Reads a host such as "node12", "10.0.0.7", "worker-0.example.org", or clush's "node[1-4,7]".
std::string_view host_at(Cursor& c, std::string_view line) {
  const std::size_t from = c.at();
  c.word(&is_of_host);
  if (c.at() > from && c.skip("[")) {
    c.word([](char ch) { return base::is_digit(ch) || ch == '-' || ch == ','; });
    if (!c.skip("]")) return {};
    c.word(&is_of_host);
  }
  const std::string_view name = line.substr(from, c.at() - from);
  const bool has_letter = std::any_of(name.begin(), name.end(), &is_letter);
  const bool is_address = std::count(name.begin(), name.end(), '.') == 3;
  return has_letter || is_address ? name : std::string_view();
}

/// Finds the label "x3005c0s7b0n0 12: ", which mpiexec --label of Cray's PALS writes.
LauncherPrefix find_host_and_rank(std::string_view line) {
  Cursor c(line);
  LauncherPrefix prefix;
  prefix.host = host_at(c, line);
  if (prefix.host.empty() || !c.skip(" ")) return {};
  c.skip_blanks();
  if (!c.number(prefix.rank) || !c.skip(": ")) return {};
  prefix.size = c.at();
  return prefix;
}

/// Finds the prefix "node12: " of pdsh and clush, which DeepSpeed's launcher uses on several nodes.
LauncherPrefix find_host(std::string_view line) {
  Cursor c(line);
  const std::string_view host = host_at(c, line);
  if (host.empty()) return {};
  if (!c.skip(": ") && !(c.skip(":") && c.rest().empty())) return {};
  return {.size = c.at(), .host = host};
}

/// Finds the prefix of docker compose: "trainer-1  | ".
LauncherPrefix find_service(std::string_view line) {
  Cursor c(line);
  const std::string_view service = host_at(c, line);
  if (service.empty() || !c.skip(" ")) return {};
  c.skip_blanks();
  if (!c.skip("| ") && !(c.skip("|") && c.rest().empty())) return {};
  return {.size = c.at(), .host = service};
}

}  // namespace

std::span<const PrefixKind> prefix_kinds() {
  static constexpr std::array<PrefixKind, 11> kKinds{{
      {"stream tag", &find_stream_tag, true},
      {"role and local rank", &find_role_tag, true},
      {"pod", &find_pod, true},
      {"actor", &find_actor, true},
      {"time", &find_time},
      {"label", &find_label},
      {"rank in brackets", &find_bracketed_rank},
      {"host and program", &find_syslog},
      {"host and rank", &find_host_and_rank},
      {"host", &find_host},
      {"service", &find_service},
  }};
  return kKinds;
}

namespace {

constexpr std::size_t kMostLayers = 4;  // a line may begin with a time, a host, a tag and a rank
constexpr std::size_t kEnoughLines = 20;
constexpr int kFewestRanks = 3;

/// Words that programs write before a colon. They are not host names.
constexpr std::string_view kProgramWords[] = {
    "acc",   "accuracy", "average", "avg",    "batch",   "critical",  "debug",      "epoch",
    "error", "eval",     "fold",    "info",   "iter",    "iteration", "iterations", "layer",
    "loss",  "lr",       "mean",    "median", "model",   "note",      "rank",       "run",
    "step",  "steps",    "test",    "time",   "top",     "total",     "train",      "training",
    "trial", "val",      "valid",   "warn",   "warning", "validation"};

/// Kind of prefix in front of the lines of a log. A line may have several prefixes, one after
/// another, and each layer describes one of them.
struct Layer {
  const PrefixKind* kind = nullptr;
  bool only_sure = false;    ///< true if only prefixes with is_sure are removed
  bool takes_blank = false;  ///< true if the launcher writes the blank after the prefix
  std::set<std::string, std::less<>> shapes;  ///< shapes of host names, digits replaced by '#'
};

std::string shape_of(std::string_view host) {
  std::string shape;
  for (const char c : host) {
    const bool digit = base::is_digit(c);
    if (!digit || !shape.ends_with('#')) shape += digit ? '#' : c;
  }
  return shape;
}

bool is_program_word(std::string_view name) {
  name = name.substr(0, name.find_last_not_of("0123456789-_.") + 1);
  const std::string word = base::lower(name);
  return std::find(std::begin(kProgramWords), std::end(kProgramWords), word) !=
         std::end(kProgramWords);
}

/// Returns true for names with digits, dots or hyphens, as machine names have: node12,
/// gpu-a.example.org.
bool looks_like_host(std::string_view name) {
  return name == "localhost" || name.find_first_of("0123456789-.") != name.npos;
}

/// Occurrences of one kind of prefix in the sampled lines.
struct Candidate {
  const PrefixKind* kind;
  std::vector<LauncherPrefix> found;  ///< prefix of each line
  std::size_t first = 0;              ///< first line from which on nearly all lines have the prefix
  bool is_sure = false;
  bool is_consistent = false;
  int ranks = 0;  ///< number of lines whose prefix is only a rank
  bool takes_blank = false;
};

/// Returns true if a prefix on `lines` of the `all` lines is enough to determine the prefixes of a
/// log.
bool are_enough(std::size_t lines, std::size_t all) {
  return lines * 5 >= all * 4 || (lines >= 5 && lines * 2 >= all) || lines >= kEnoughLines;
}

/// Finds the first line from which on at least four of five lines have the prefix.
void find_consistent_part(const std::vector<std::string_view>& lines, Candidate& candidate) {
  std::size_t all = 0, with = 0, total = 0;
  for (const std::string_view line : lines) total += line.empty() ? 0 : 1;
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (lines[i].empty()) continue;
    ++all;
    if (candidate.found[i].size == 0) continue;
    ++with;
    if (with * 5 < all * 4 || !are_enough(all, total)) continue;
    candidate.first = i;
    candidate.is_consistent = true;
  }
}

Candidate look_for(const PrefixKind& kind, const std::vector<std::string_view>& lines) {
  Candidate candidate{.kind = &kind};
  std::size_t texts = 0, texts_behind_blank = 0;
  for (const std::string_view line : lines) {
    const LauncherPrefix prefix = kind.find(line);
    candidate.found.push_back(prefix);
    if (prefix.size == 0) continue;
    candidate.is_sure = candidate.is_sure || prefix.is_sure;
    texts += line.size() > prefix.size ? 1 : 0;
    texts_behind_blank += prefix.ends_at_blank ? 1 : 0;
    if (prefix.rank >= 0 && prefix.host.empty()) ++candidate.ranks;
  }
  // Programs indent some of their lines (in a JSON document, nearly all lines), but never every
  // line. If a blank follows every prefix, the launcher writes the blank.
  candidate.takes_blank = texts > 0 && texts_behind_blank == texts;
  find_consistent_part(lines, candidate);
  return candidate;
}

/// Returns true for numbers that only increase, as step and epoch numbers do.
bool counts_up(const std::vector<int>& numbers) {
  const std::size_t distinct = std::set<int>(numbers.begin(), numbers.end()).size();
  const bool each_once = distinct == numbers.size() && distinct >= 2;
  return std::is_sorted(numbers.begin(), numbers.end()) && (each_once || distinct >= 3);
}

/// Likelihood that a consistent prefix comes from a launcher, before the log formats are consulted.
enum class Likelihood { unlikely, possible, likely };

Likelihood likelihood_of_hosts(const std::vector<std::string_view>& names) {
  const std::set<std::string_view> distinct(names.begin(), names.end());
  const bool each_once = distinct.size() == names.size() && names.size() >= 2;
  if (each_once || std::any_of(distinct.begin(), distinct.end(), &is_program_word)) {
    return Likelihood::unlikely;  // a name before a value, as in "loss: 6.9"
  }
  const bool all_look_so = std::all_of(distinct.begin(), distinct.end(), &looks_like_host);
  return all_look_so ? Likelihood::likely : Likelihood::possible;
}

Likelihood likelihood_of(const Candidate& candidate) {
  std::vector<int> ranks;
  std::vector<std::string_view> hosts;
  for (std::size_t i = candidate.first; i < candidate.found.size(); ++i) {
    if (candidate.found[i].rank >= 0) ranks.push_back(candidate.found[i].rank);
    if (!candidate.found[i].host.empty()) hosts.push_back(candidate.found[i].host);
  }
  if (!ranks.empty() && counts_up(ranks)) return Likelihood::unlikely;
  if (!candidate.is_consistent) return Likelihood::possible;
  return hosts.empty() ? Likelihood::likely : likelihood_of_hosts(hosts);
}

std::string joined(const std::vector<std::string_view>& lines) {
  std::string text;
  for (const std::string_view line : lines) text.append(line).append("\n");
  return text;
}

Layer layer_of(const Candidate& candidate, bool only_sure) {
  Layer layer{candidate.kind, only_sure, candidate.takes_blank, {}};
  for (std::size_t i = candidate.first; i < candidate.found.size() && !only_sure; ++i) {
    const LauncherPrefix& prefix = candidate.found[i];
    if (!prefix.host.empty()) layer.shapes.insert(shape_of(prefix.host));
  }
  return layer;
}

/// Returns true if a name is a host in a log with host prefixes: its shape occurs in the sample, or
/// it looks like the name of a machine. The second test recognises a host that wrote no line of the
/// sample.
bool is_host_of(const Layer& layer, std::string_view name) {
  if (layer.shapes.contains(shape_of(name))) return true;
  return looks_like_host(name) && !is_program_word(name);
}

/// Returns the number of bytes of a layer's prefix at the start of a line, or 0 if there is none.
std::size_t size_in(const Layer& layer, const LauncherPrefix& prefix) {
  if (prefix.size == 0 || (layer.only_sure && !prefix.is_sure)) return 0;
  if (!prefix.is_sure && !prefix.host.empty() && !is_host_of(layer, prefix.host)) return 0;
  return prefix.size + (layer.takes_blank && prefix.ends_at_blank ? 1 : 0);
}

/// Returns the lines without the prefixes of a layer.
std::vector<std::string_view> behind(const Layer& layer, const Candidate& candidate,
                                     std::vector<std::string_view> lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].remove_prefix(size_in(layer, candidate.found[i]));
  }
  return lines;
}

/// Returns the lines that have the prefix.
std::vector<std::string_view> those_with(const Candidate& candidate,
                                         const std::vector<std::string_view>& lines) {
  std::vector<std::string_view> with;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (candidate.found[i].size > 0) with.push_back(lines[i]);
  }
  return with;
}

/// Returns true if a prefix comes from a launcher. A log that is recognised with the prefix must
/// still be recognised after the prefix is removed. If the prefix has Likelihood::possible, the
/// lines without the prefix must be a recognised log. If the prefix has Likelihood::unlikely, the
/// lines with the prefix must in addition not be a recognised log.
bool is_of_launcher(const std::vector<std::string_view>& lines, const Candidate& candidate,
                    const std::vector<std::string_view>& without, const IsKnownLog& is_known) {
  if (candidate.is_sure) return true;
  switch (likelihood_of(candidate)) {
    case Likelihood::likely:
      return is_known(joined(without)) || !is_known(joined(lines));
    case Likelihood::possible:
      return is_known(joined(those_with(candidate, without)));
    case Likelihood::unlikely:
      return !is_known(joined(lines)) && is_known(joined(those_with(candidate, without)));
  }
  return false;
}

/// Removes the first kind of prefix that the lines have. Returns the layer of this prefix.
std::optional<Layer> next_layer(std::vector<std::string_view>& lines, const IsKnownLog& is_known) {
  for (const PrefixKind& kind : prefix_kinds()) {
    const Candidate candidate = look_for(kind, lines);
    // Programs such as GNMT write the rank only in front of the first line of a message, so the
    // prefix is frequent, but not consistent.
    const bool is_frequent = candidate.ranks >= kFewestRanks;
    if (!candidate.is_sure && !candidate.is_consistent && !is_frequent) continue;
    Layer layer = layer_of(candidate, candidate.is_sure && !candidate.is_consistent);
    std::vector<std::string_view> without = behind(layer, candidate, lines);
    if (!is_of_launcher(lines, candidate, without, is_known)) continue;
    lines = std::move(without);
    return layer;
  }
  return std::nullopt;
}

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Calls `visit` with each line, including the end of the line, until `visit` returns false.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t size = newline == text.npos ? text.size() : newline + 1;
    if (!visit(text.substr(0, size))) return;
    text.remove_prefix(size);
  }
}

/// Returns the complete lines at the beginning of the text, or the first bytes of the text if it
/// has no complete line.
std::vector<std::string_view> sample_of(std::string_view text) {
  std::vector<std::string_view> lines;
  each_line(text.substr(0, kSampledBytes), [&](std::string_view line) {
    if (line.ends_with('\n') || lines.empty()) lines.push_back(without_end(line));
    return true;
  });
  return lines;
}

/// Finds all layers of prefixes in the lines and removes them.
std::vector<Layer> take_layers(std::vector<std::string_view>& lines, const IsKnownLog& is_known) {
  std::vector<Layer> layers;
  while (layers.size() < kMostLayers) {
    auto layer = next_layer(lines, is_known);
    if (!layer) break;
    layers.push_back(std::move(*layer));
  }
  return layers;
}

std::vector<Layer> layers_of(std::string_view text, const IsKnownLog& is_known) {
  std::vector<std::string_view> lines = sample_of(text);
  return take_layers(lines, is_known);
}

/// Finds the layers of a log that begins with unprefixed lines of other programs. Examines one
/// sample of the text after another. The layers come from the first sample that is recognised as a
/// known log or from the next sample, because the first recognised sample may contain few lines
/// with a prefix.
std::vector<Layer> later_layers(std::string_view text, const IsKnownLog& is_known) {
  text = text.substr(0, kSearchedBytes);
  for (int recognised = 0; !text.empty() && recognised < 2;) {
    const std::size_t end = std::min(text.find('\n', kSampledBytes), text.size() - 1) + 1;
    std::vector<std::string_view> lines = sample_of(text.substr(0, end));
    // An empty line comes first, because no line of a later sample is the first line of the log.
    lines.insert(lines.begin(), "");
    if (recognised > 0 || is_known(joined(lines))) ++recognised;
    std::vector<Layer> layers = take_layers(lines, is_known);
    if (!layers.empty() && is_known(joined(lines))) return layers;
    text.remove_prefix(end);
  }
  return {};
}

/// Returns the position of the first line whose prefix is unmistakable (is_sure), or npos if there
/// is none. The output of a job may begin with many lines of its script.
std::size_t first_sure(std::string_view text) {
  std::size_t at = text.npos;
  each_line(text, [&](std::string_view line) {
    if (line[0] != '[' && line[0] != '(' && line[0] != '\x1b') return true;
    for (const PrefixKind& kind : prefix_kinds()) {
      if (!kind.can_be_sure || !kind.find(without_end(line)).is_sure) continue;
      at = static_cast<std::size_t>(line.data() - text.data());
      return false;
    }
    return true;
  });
  return at;
}

/// Process that wrote a line.
struct Process {
  int rank = -1;
  std::string host;
  bool operator==(const Process&) const = default;
};

/// Removes the prefixes of all layers from a line and stores the process that wrote the line.
std::string_view without(const std::vector<Layer>& layers, std::string_view line,
                         Process& process) {
  process.rank = -1;
  process.host.clear();
  for (const Layer& layer : layers) {
    const LauncherPrefix prefix = layer.kind->find(without_end(line));
    const std::size_t size = size_in(layer, prefix);
    if (size == 0) continue;
    const auto add = [&](std::string_view part) {
      process.host.append(process.host.empty() ? "" : "/").append(part);
    };
    if (!prefix.host.empty()) add(prefix.host);
    // If a line has several ranks, the last one is the rank of the process. An earlier rank comes
    // from an outer launcher and becomes part of the host name.
    if (prefix.rank >= 0 && process.rank >= 0) add(std::to_string(process.rank));
    if (prefix.rank >= 0) process.rank = prefix.rank;
    line.remove_prefix(size);
  }
  return line;
}

/// Returns the text without the prefixes. If `is_marked`, each line whose prefix names a process
/// gets a process mark. Returns nothing if the lines come from several processes and `is_marked` is
/// false.
std::optional<std::string> rewritten(std::string_view text, const std::vector<Layer>& layers,
                                     bool is_marked) {
  std::string result;
  result.reserve(text.size());
  std::optional<Process> only;
  bool is_one = true;
  Process process;
  each_line(text, [&](std::string_view line) {
    const std::string_view rest = without(layers, line, process);
    const bool has_process = process.rank >= 0 || !process.host.empty();
    if (has_process && !only) only = process;
    if (has_process && is_marked) {
      append_process_mark(process.rank, process.host, result);
    } else if (has_process && process != *only) {
      is_one = false;
    }
    result.append(rest);
    return is_one;
  });
  return is_one ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace

std::string without_launcher_prefixes(std::string text, const IsKnownLog& is_known) {
  const std::string_view all = text;
  std::vector<Layer> layers = layers_of(all, is_known);
  if (layers.empty()) {
    const std::size_t sure = first_sure(all);
    layers = sure != all.npos                         ? layers_of(all.substr(sure), is_known)
             : is_known(all.substr(0, kSampledBytes)) ? std::vector<Layer>()
                                                      : later_layers(all, is_known);
  }
  if (layers.empty()) return text;
  auto result = rewritten(all, layers, false);
  return result ? std::move(*result) : *rewritten(all, layers, true);
}

std::string without_launcher_prefixes(std::string text) {
  return without_launcher_prefixes(
      std::move(text), [](std::string_view head) { return format_of_beginning(head) != nullptr; });
}

}  // namespace dlscale::analysis
