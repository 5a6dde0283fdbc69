// SPDX-License-Identifier: Apache-2.0
#include "planner/script/command_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "config/toml/fields.hpp"
#include "planner/script/file_text.hpp"
#include "planner/script/run_values.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCommandKey = "trainer.command";

/// Programs that start ranks.
constexpr std::string_view kRankStarters[] = {"torchrun",  "mpirun",     "mpiexec",   "srun",
                                              "deepspeed", "accelerate", "horovodrun"};
/// Further programs that start ranks on some clusters, or commands on several nodes or GPUs.
constexpr std::string_view kOtherStarters[] = {"aprun",    "jsrun", "ibrun", "flux", "colossalai",
                                               "composer", "pdsh",  "clush", "ssh",  "parallel"};
constexpr std::string_view kLauncherModules[] = {"torch.distributed.run",
                                                 "torch.distributed.launch"};
/// Names of values from which a command can learn how many ranks a run has.
constexpr const char* kRankNames[] = {
    "gpus", "ranks", "nodes", "ranks_per_node", "gpus_per_node", "master_address", "master_port"};
/// Words of the shell, and programs that start another program, before the name of a program.
constexpr std::string_view kBeforeProgram[] = {
    "exec", "env", "time", "nohup", "if", "then", "elif", "else", "do", "while", "until", "!", "{"};
/// Programs whose arguments may name files that do not exist before the command runs.
constexpr std::string_view kWithoutInput[] = {"tee",  "touch", "echo", "printf",
                                              "test", "[",     "[[",   "rm"};
/// Programs that change the working folder or add files, so that names of files cannot be checked.
constexpr std::string_view kFolderPrograms[] = {"cd",      "pushd", "cp",   "mv",     "ln",
                                                "install", "rsync", "scp",  "tar",    "unzip",
                                                "git",     "curl",  "wget", "docker", "podman"};
/// Options with which wrappers of a program change the working folder.
constexpr std::string_view kFolderOptions[] = {
    "--pwd", "--workdir", "--chdir", "--cwd", "--directory", "--container-workdir", "--wd"};
/// Variables and programs from which a command can learn which GPUs or nodes its job has.
constexpr std::string_view kJobWords[] = {"SLURM_", "OAR_", "CUDA_VISIBLE_DEVICES", "nvidia-smi"};

template <class Range, class Value>
bool holds(const Range& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

/// Word of a shell command, with its quotes.
struct Word {
  std::string_view text;
  bool starts_command = false;  ///< true for the word that names the program
  bool after_arrow = false;     ///< true for a file of a redirection
  std::string_view program;     ///< word that names the program to which the word belongs
};

/// Returns the number of characters of the word at the beginning of the text. Quoted parts and tags
/// {{name}} belong to the word.
std::size_t word_size(std::string_view text) {
  constexpr std::string_view kEnds = " \t\n;|&()<>";
  std::size_t i = 0;
  while (i < text.size()) {
    std::string_view close;
    if (text.substr(i).starts_with("{{")) {
      close = "}}";
    } else if (text[i] == '\'' || text[i] == '"') {
      close = text.substr(i, 1);
    } else if (kEnds.find(text[i]) != std::string_view::npos) {
      break;
    }
    if (close.empty()) {
      i += text[i] == '\\' ? 2 : 1;
      continue;
    }
    const std::size_t end = text.find(close, i + close.size());
    i = end == std::string_view::npos ? text.size() : end + close.size();
  }
  return std::min(i, text.size());
}

/// Returns whether the name of a program comes after this word. This is true for an assignment, for
/// a word of the shell such as "do", and for a program that starts another program.
bool precedes_program(std::string_view word) {
  if (holds(kBeforeProgram, word)) return true;
  const std::size_t name = word.find('=');
  return name != std::string_view::npos && config::is_identifier(word.substr(0, name));
}

/// Splits a shell command into words. Text in quotes is not split. Comments are left out.
std::vector<Word> words_of(std::string_view command) {
  std::vector<Word> words;
  bool starts = true;
  std::string_view program;
  char before = ' ';  // last character between two words that is not a blank
  while (!command.empty()) {
    constexpr std::string_view kContinuation = "\\\n";
    if (command.starts_with(kContinuation)) {
      command.remove_prefix(kContinuation.size());
      continue;
    }
    if (command.front() == '#') {  // a "#" inside a word is part of the word
      command.remove_prefix(std::min(command.find('\n'), command.size()));
      continue;
    }
    const std::size_t size = word_size(command);
    if (size == 0) {
      const char c = command.front();
      command.remove_prefix(1);
      if (c == ' ' || c == '\t') continue;
      before = c;
      if (c != '<' && c != '>') starts = true;
      continue;
    }
    const bool after_arrow = before == '>' || before == '<';
    const std::string_view text = command.substr(0, size);
    if (starts && !after_arrow) program = text;
    words.push_back({text, starts && !after_arrow, after_arrow, program});
    if (!after_arrow) starts = starts && precedes_program(words.back().text);
    before = ' ';
    command.remove_prefix(size);
  }
  return words;
}

/// Returns the name of the program that a word names, without its folder.
std::string_view program_name(std::string_view word) {
  return word.substr(word.rfind('/') + 1);  // without a slash, npos + 1 is 0
}

/// Returns whether the word is a Python program: python, python3, python3.11.
bool is_python(std::string_view word) {
  const std::string_view name = program_name(word);
  constexpr std::string_view kPython = "python";
  return name.starts_with(kPython) &&
         name.substr(kPython.size()).find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_launcher(const Word& word) {
  return (word.starts_command && holds(kRankStarters, program_name(word.text))) ||
         holds(kLauncherModules, word.text);
}

/// Returns whether the word contains the name of a program that starts ranks, anywhere in the word.
/// The word may be the argument of a wrapper: "uv run torchrun", or bash -c "torchrun …".
bool names_starter(const Word& word) {
  const auto continues_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  };
  const auto is_in_word = [&](std::string_view name) {
    for (std::size_t at = word.text.find(name); at != std::string_view::npos;
         at = word.text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool begins = at == 0 || !continues_name(word.text[at - 1]);
      if (begins && (end == word.text.size() || !continues_name(word.text[end]))) return true;
    }
    return false;
  };
  return std::any_of(std::begin(kRankStarters), std::end(kRankStarters), is_in_word) ||
         std::any_of(std::begin(kOtherStarters), std::end(kOtherStarters), is_in_word) ||
         std::any_of(std::begin(kLauncherModules), std::end(kLauncherModules), is_in_word);
}

/// Study with the words of its command. Each check_…() function appends a warning for each mistake
/// that the function finds.
struct CommandCheck {
  const Study& study;
  const std::vector<Point>& points;
  std::vector<Word> words = words_of(study.trainer.command);
  std::vector<std::string> warnings = {};

  void warn(const base::Location& where, const std::string& key, const std::string& text) {
    std::string warning = base::SpecError(where, key, text).what();
    if (!holds(warnings, warning)) warnings.push_back(std::move(warning));
  }
  void warn(const std::string& text) { warn(study.command_where, kCommandKey, text); }

  void check_axes();
  void check_ranks();
  void check_launcher();
  void check_braces();
  void check_quotes();
  void check_files();

 private:
  std::optional<std::vector<std::string>> texts() const;
  void check_factor(std::uint32_t matrix, const Factor& factor,
                    const std::vector<std::string>& texts);
  bool parameter_follows_gpus() const;
};

/// Returns for each point the text of everything that its run gets from dlscale: the command, the
/// configuration files and the environment variables. The texts of all points contain the same run
/// id and the same folders, so that texts do not differ in these names. Returns nothing if a text
/// has an error, which job_script() reports.
std::optional<std::vector<std::string>> CommandCheck::texts() const {
  const RunPlace place{.study_folder = study.folder(), .plan_folder = "/plan"};
  std::vector<std::string> texts;
  try {
    ExternalCommand command(study.trainer, study.command_where, {});
    const RunFiles files(study);
    for (const Point& point : points) {
      contract::RunSpec run = point.run;
      run.run_id = "run";
      std::string text = command.of(run, place);
      for (const std::string& file : files.texts(run, place, study.matrices[point.matrix])) {
        text += '\0' + file;
      }
      for (const auto& [name, value] : run.environment) text += '\0' + name + "=" + value;
      texts.push_back(std::move(text));
    }
  } catch (const base::SpecError&) {
    return std::nullopt;
  }
  return texts;
}

/// Returns whether check_axes() checks the axis: the axis has several values, and the axis is
/// neither the number of GPUs nor a parameter.
bool is_compared(const StudyAxis& axis) {
  return axis.texts.size() > 1 && axis.name() != "gpus" && !axis.name().starts_with("parameters.");
}

/// Checks the axes of a factor. Points that agree in all other axes form a group. An axis has no
/// effect if a group contains several of its values, but the texts in each group are equal.
void CommandCheck::check_factor(std::uint32_t matrix, const Factor& factor,
                                const std::vector<std::string>& texts) {
  const std::vector<StudyAxis>& axes = study.matrices[matrix].axes;
  struct Group {
    const std::string* text;
    const Point* first;
  };
  std::map<std::vector<std::uint32_t>, Group> groups;
  std::set<std::size_t> differing;  // axes of the factor that have several values in a group
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].matrix != matrix) continue;
    std::vector<std::uint32_t> others = points[i].values;
    for (const std::size_t axis : factor.axes) others[axis] = 0;
    const auto [group, is_new] = groups.emplace(std::move(others), Group{&texts[i], &points[i]});
    if (*group->second.text != texts[i]) return;
    for (const std::size_t axis : factor.axes) {
      if (points[i].values[axis] != group->second.first->values[axis]) differing.insert(axis);
    }
  }
  for (const std::size_t axis : differing) {
    if (!is_compared(axes[axis])) continue;
    warn(axes[axis].where, axes[axis].key,
         fmt::format("runs with different values of this axis have the same command{}, so the axis "
                     "has no effect; write {{{{{}}}}} in the command",
                     study.files.empty() ? "" : " and the same files", axes[axis].name()));
  }
}

void CommandCheck::check_axes() {
  // A command that reads run.json can use the values of all axes, because run.json contains them.
  if (study.trainer.command.find("run.json") != std::string::npos) return;
  // Most studies vary only the number of ranks, so most commands need not be compared.
  const bool has_axis =
      std::any_of(study.matrices.begin(), study.matrices.end(), [](const Matrix& matrix) {
        return std::any_of(matrix.axes.begin(), matrix.axes.end(), is_compared);
      });
  if (!has_axis) return;
  const auto all = texts();
  if (!all) return;
  for (std::uint32_t matrix = 0; matrix < study.matrices.size(); ++matrix) {
    for (const Factor& factor : study.matrices[matrix].blocks.front()) {
      check_factor(matrix, factor, *all);
    }
  }
}

/// Returns whether a parameter or an environment variable varies together with the number of GPUs.
/// The command may take the number of ranks from this value.
bool CommandCheck::parameter_follows_gpus() const {
  for (const Matrix& matrix : study.matrices) {
    for (const Factor& factor : matrix.blocks.front()) {
      bool has_gpus = false, has_free = false;
      for (const std::size_t axis : factor.axes) {
        const std::string& name = matrix.axes[axis].name();
        has_gpus |= name == "gpus";
        has_free |= name.starts_with("parameters.") || name.starts_with("environment.");
      }
      if (has_gpus && has_free) return true;
    }
  }
  return false;
}

void CommandCheck::check_ranks() {
  const bool several = std::any_of(points.begin(), points.end(),
                                   [](const Point& point) { return point.run.gpus > 1; });
  if (!several || !study.trainer.launcher.empty() || parameter_follows_gpus()) return;
  const std::string& command = study.trainer.command;
  const bool knows_ranks =
      std::any_of(std::begin(kRankNames), std::end(kRankNames),
                  [&](const char* name) { return names_value(study, name); }) ||
      std::any_of(std::begin(kJobWords), std::end(kJobWords),
                  [&](std::string_view word) { return command.find(word) != std::string::npos; });
  if (knows_ranks || std::any_of(words.begin(), words.end(), names_starter)) return;
  warn(
      "the study sets no launcher and the command does not contain {{ranks}}, so runs with several "
      "GPUs start the command only once; set launcher = \"torchrun\" or \"ranks\", or \"plain\" if "
      "the command starts its ranks itself");
}

void CommandCheck::check_launcher() {
  const std::string& launcher = study.trainer.launcher;
  if (launcher == "torchrun" && !words.empty()) {
    const std::string_view first = words.front().text;
    if (!is_python(first) && !is_launcher(words.front())) return;
    warn(
        fmt::format("launcher = \"torchrun\" starts Python itself and takes \"{0}\" as the name of "
                    "the Python script; remove \"{0}\" from the command",
                    first));
  }
  if (launcher != "ranks") return;
  for (const Word& word : words) {
    if (!is_launcher(word)) continue;
    warn(
        fmt::format("launcher = \"ranks\" starts the command once per rank, so each rank would "
                    "start \"{0}\"; remove \"{0}\" from the command, or set launcher = \"plain\"",
                    word.text));
    return;
  }
}

/// Returns all names that the command may use.
std::set<std::string> names_in_commands(const Study& study) {
  std::set<std::string> names;
  for (const ScriptName& row : run_value_names()) names.insert(row.name);
  for (const ScriptName& row : command_names()) names.insert(row.name);
  constexpr std::string_view kPrefix = "parameters.";
  const auto add = [&](const std::string& name) {
    names.insert(name);
    if (name.starts_with(kPrefix)) names.insert(name.substr(kPrefix.size()));
  };
  for (const Matrix& matrix : study.matrices) {
    for (const StudyAxis& axis : matrix.axes) add(axis.name());
    for (const auto& [name, where] : matrix.given) {
      if (name.starts_with(kPrefix)) add(name);
    }
  }
  return names;
}

void CommandCheck::check_braces() {
  const std::string_view command = study.trainer.command;
  const std::set<std::string> names = names_in_commands(study);
  for (std::size_t at = command.find('{'); at != std::string_view::npos;
       at = command.find('{', at + 1)) {
    if (command.substr(at).starts_with("{{")) {
      at = std::min(command.find("}}", at), command.size() - 1);
      continue;
    }
    const std::size_t end = command.find('}', at);
    if (end == std::string_view::npos || (at > 0 && command[at - 1] == '$')) continue;
    const std::string name(base::trimmed(command.substr(at + 1, end - at - 1)));
    if (!names.contains(name)) continue;
    warn(fmt::format(
        "{{{0}}} has single braces, so it is not replaced by a value; write {{{{{0}}}}}", name));
  }
}

void CommandCheck::check_quotes() {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    const bool quoted = text.size() > 3 && (text[0] == '"' || text[0] == '\'') && text[1] == '-' &&
                        text.back() == text[0];
    const std::size_t blank = text.find(' ');
    const bool has_value =
        blank != std::string_view::npos && text.find("{{", blank) != std::string_view::npos;
    // After an option such as --args, the quoted text is the value of this option.
    const bool is_value = i > 0 && words[i - 1].text.starts_with("-");
    if (!quoted || !has_value || is_value || text.find('=') < blank) continue;
    warn(
        fmt::format("the quotes around {} join the option and its value to one word, which the "
                    "program does not recognise as an option; remove the quotes",
                    text));
  }
}

/// Returns the names of the files in the folder with this extension.
std::vector<std::string> scripts_in_folder(const fs::path& folder, const fs::path& extension) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (fs::directory_iterator file(folder, unreadable), end; !unreadable && file != end;
       file.increment(unreadable)) {
    if (file->path().extension() == extension) names.push_back(file->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns whether the word is a relative path of a Python or shell script without quotes,
/// variables and other characters with a meaning in the shell.
bool is_script_path(const Word& word) {
  const std::string_view text = word.text;
  const bool is_script = text.ends_with(".py") || text.ends_with(".sh");
  const bool is_plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || std::string_view("_./-+@,").find(static_cast<char>(c)) !=
                                              std::string_view::npos);
  });
  return is_script && is_plain && !word.after_arrow && text[0] != '-' && text[0] != '/';
}

/// Returns whether the names of files in the command may mean files outside the study folder, or
/// files that the command creates under names that this check does not know.
bool changes_folder(const Word& word) {
  if (word.starts_command) return holds(kFolderPrograms, program_name(word.text));
  return holds(kFolderOptions, word.text.substr(0, word.text.find('=')));
}

void CommandCheck::check_files() {
  if (std::any_of(words.begin(), words.end(), changes_folder)) return;
  std::set<fs::path> exempt;  // files that need not exist before the command runs
  for (const Word& word : words) {
    if (word.after_arrow || holds(kWithoutInput, program_name(word.program))) {
      exempt.insert(fs::path(word.text).lexically_normal());
    }
  }
  const fs::path folder = folder_of(study.command_where, study.file);
  for (const Word& word : words) {
    if (!is_script_path(word)) continue;
    const fs::path path = fs::path(word.text).lexically_normal();
    const bool is_written =
        exempt.contains(path) ||
        std::any_of(study.trainer.files.begin(), study.trainer.files.end(),
                    [&](const contract::TrainerFile& file) { return path == file.to; });
    std::error_code unreadable;
    const bool exists = fs::is_regular_file(folder / path, unreadable);
    if (*path.begin() == "..") {
      // The path may lead from the launch folder to a file.
      if (!exists) continue;
      const fs::path file = (folder / path).lexically_normal();
      warn(
          fmt::format("the command runs in its launch folder, so \"{}\" does not name {}; write {}",
                      word.text, file.string(),
                      folder == study.folder() ? fmt::format("{{{{study_folder}}}}/{}", word.text)
                                               : file.string()));
      continue;
    }
    if (is_written || exists) continue;
    const fs::path file = folder / path;
    const std::string meant = base::nearest(
        file.filename().string(), scripts_in_folder(file.parent_path(), file.extension()));
    warn(fmt::format("{}: no such file{}", file.string(),
                     meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant)));
  }
}

}  // namespace

std::vector<std::string> command_warnings(const Study& study, const std::vector<Point>& points) {
  if (study.trainer.command.empty()) return {};
  CommandCheck check{study, points};
  check.check_files();
  check.check_launcher();
  check.check_ranks();
  check.check_braces();
  check.check_quotes();
  check.check_axes();
  return std::move(check.warnings);
}

}  // namespace dlscale::planner
