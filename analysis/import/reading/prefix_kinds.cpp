// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/prefix_kinds.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::size_t kLongestPrefix = 200;  // bytes; a fully qualified host name and a time fit

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_of_host(char c) {
  return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_';
}

/// Reads a prefix from left to right. Each step returns false, and moves nothing, if the text does
/// not continue as asked.
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
  /// Skips between `least` and `most` digits, all there are.
  bool digits(std::size_t least, std::size_t most) {
    const std::size_t count = run_of(&is_digit);
    if (count < least || count > most) return false;
    at_ += count;
    return true;
  }
  bool number(int& value) {
    const std::string_view from = text_.substr(at_, run_of(&is_digit));
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

/// The rank of "[1,3]", "[prterun-host-7@1,3]" or "[3]"; -1 for other brackets, such as those of a
/// time or of "[host:pid]".
int rank_in_brackets(std::string_view inside) {
  const std::size_t comma = inside.rfind(',');
  if (comma != inside.npos) inside.remove_prefix(comma + 1);
  return base::number_of<int>(inside).value_or(-1);
}

/// Open MPI 4 --tag-output "[1,0]<stdout>:" (orte/mca/iof); Open MPI 5, PRRTE and PMIx --output
/// tag, tag-detailed, tag-fullname, rank and timestamp "[TIME][JOB,0][HOST:PID]<stdout>: "
/// (pmix/src/common/pmix_iof.c); horovodrun "[0]<stdout>:" (horovod/runner/common/util/
/// safe_shell_exec.py). Open MPI 4 and horovodrun write no blank behind the colon. With
/// --timestamp-output alone "<stdout>:" stands behind the time.
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

/// torchrun --tee and --redirects "[default0]:", "[ROLE + local rank]:" (torch/distributed/elastic/
/// multiprocessing/tail_log.py); PyTorch's own lines "[rank0]:[W…", with the global rank. A
/// template of the user (TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE) may end with a blank.
LauncherPrefix find_role_tag(std::string_view line) {
  Cursor c(line);
  if (!c.skip("[")) return {};
  const std::string_view role =
      c.word([](char ch) { return is_letter(ch) || is_digit(ch) || ch == '_' || ch == '-'; });
  if (role.empty() || !is_letter(role[0]) || !c.skip("]:")) return {};
  const std::size_t digits = role.find_last_not_of("0123456789") + 1;
  LauncherPrefix prefix{.size = c.at(), .rank = rank_in_brackets(role.substr(digits))};
  if (prefix.rank < 0) return {};
  const std::string_view name = role.substr(0, digits);
  prefix.is_sure = name == "default" || name == "rank";
  prefix.ends_at_blank = c.skip(" ");
  return prefix;
}

/// kubectl logs --prefix: "[pod/NAME/CONTAINER] ".
LauncherPrefix find_pod(std::string_view line) {
  Cursor c(line);
  if (!c.skip("[pod/")) return {};
  const std::string_view name = c.word([](char ch) { return is_of_host(ch) || ch == '/'; });
  if (name.empty() || !c.skip("] ")) return {};
  return {.size = c.at(), .host = name, .is_sure = true};
}

/// Ray: "(RayTrainWorker pid=4123, ip=10.0.0.1) ", in colour on a terminal.
LauncherPrefix find_actor(std::string_view line) {
  Cursor c(line);
  const auto skip_colour = [&] {
    if (c.skip("\x1b[")) {
      c.word([](char ch) { return is_digit(ch) || ch == ';'; });
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
  if (!c.skip_any_of("+-")) return true;  // there is none
  return c.digits(4, 4) || (c.digits(2, 2) && c.skip(":") && c.digits(2, 2));
}

bool skip_name_of(Cursor& c, std::string_view names) {
  for (std::size_t i = 0; i + 3 <= names.size(); i += 3) {
    if (c.skip(names.substr(i, 3))) return true;
  }
  return false;
}

/// "Thu May 21 07:15:51 2020" of ctime, "May 21 07:15:51" of syslog and ts.
bool skip_named_day(Cursor& c) {
  const bool has_weekday = skip_name_of(c, "MonTueWedThuFriSatSun");
  if (has_weekday && !c.skip(" ")) return false;
  if (!skip_name_of(c, "JanFebMarAprMayJunJulAugSepOctNovDec") || !c.skip(" ")) return false;
  c.skip_blanks();
  if (!c.digits(1, 2) || !c.skip(" ") || !skip_clock(c)) return false;
  return !has_weekday || (c.skip(" ") && c.digits(4, 4));
}

/// "2024-01-01T12:00:00.123456789Z" of kubectl and docker --timestamps, "2024-01-01 12:00:00".
bool skip_dated(Cursor& c) {
  if (!c.digits(4, 4) || !c.skip_any_of("-/") || !c.digits(2, 2) || !c.skip_any_of("-/") ||
      !c.digits(2, 2) || !c.skip_any_of("T ")) {
    return false;
  }
  return skip_clock(c) && skip_zone(c);
}

/// "1589991234.123456" of ts %.s.
bool skip_unix_time(Cursor& c) {
  return c.digits(10, 10) && c.skip(".") && c.digits(1, 9);
}

/// A time, with or without brackets. Times with a comma are those of Python's logging: a program's.
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

/// syslog and journalctl, behind the time: "node12 trainer[4123]: ".
LauncherPrefix find_syslog(std::string_view line) {
  Cursor c(line);
  const std::string_view host = c.word(&is_of_host);
  if (host.empty() || !c.skip(" ")) return {};
  const std::string_view program = c.word([](char ch) { return is_of_host(ch) || ch == '/'; });
  if (program.empty() || !c.skip("[") || !c.digits(1, 10) || !c.skip("]: ")) return {};
  return {.size = c.at(), .host = host};
}

/// srun --label "0: ", padded to one width by blanks or zeros (slurm/src/common/
/// write_labelled_message.c); with several heterogeneous groups "P1 0: ".
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

/// mpiexec -prepend-rank of MPICH, mpirun -l of Intel MPI: "[0] "; "[rank 0] ".
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

/// "node12", "10.0.0.7", "worker-0.example.org", and of clush "node[1-4,7]".
std::string_view host_at(Cursor& c, std::string_view line) {
  const std::size_t from = c.at();
  c.word(&is_of_host);
  if (c.at() > from && c.skip("[")) {
    c.word([](char ch) { return is_digit(ch) || ch == '-' || ch == ','; });
    if (!c.skip("]")) return {};
    c.word(&is_of_host);
  }
  const std::string_view name = line.substr(from, c.at() - from);
  const bool has_letter = std::any_of(name.begin(), name.end(), &is_letter);
  const bool is_address = std::count(name.begin(), name.end(), '.') == 3;
  return has_letter || is_address ? name : std::string_view();
}

/// mpiexec --label of Cray's PALS: "x3005c0s7b0n0 12: ".
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

/// pdsh and clush "node12: ", as DeepSpeed's launcher on several nodes.
LauncherPrefix find_host(std::string_view line) {
  Cursor c(line);
  const std::string_view host = host_at(c, line);
  if (host.empty()) return {};
  if (!c.skip(": ") && !(c.skip(":") && c.rest().empty())) return {};
  return {.size = c.at(), .host = host};
}

/// docker compose "trainer-1  | ".
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

}  // namespace dlscale::analysis
