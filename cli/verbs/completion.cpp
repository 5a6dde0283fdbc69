// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale completion`, which prints completion scripts for shells. The scripts call
// dlscale for each word, so they always match the installed version.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/registry.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "workspace/resources.hpp"

namespace dlscale::cli {
namespace {

constexpr const char* kBash = R"bash(
# bash completion of dlscale; in ~/.bashrc: eval "$(dlscale completion bash)"
_dlscale() {
  local program=${COMP_WORDS[0]/#\~/$HOME} word=${COMP_WORDS[COMP_CWORD]}
  local -a answer=()
  mapfile -t answer < <(
    "$program" completion --answer -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
  [ "$word" != = ] || word=
  COMPREPLY=("${answer[@]:1}")
  case ${answer[0]-} in
    files) mapfile -t answer < <(compgen -f -- "$word") ;;
    folders) mapfile -t answer < <(compgen -d -- "$word") ;;
    tomls) mapfile -t answer < <(compgen -f -X '!*.toml' -- "$word"; compgen -d -- "$word") ;;
    *) return ;;
  esac
  compopt -o filenames 2> /dev/null
  COMPREPLY+=("${answer[@]}")
}
complete -F _dlscale dlscale
)bash";

constexpr const char* kZsh = R"zsh(
# zsh completion of dlscale; in ~/.zshrc, after compinit: source <(dlscale completion zsh)
_dlscale() {
  local -a answer
  answer=("${(@f)$("${words[1]/#\~/$HOME}" completion --answer -- \
    "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  (( $#answer > 1 )) && compadd -- "${(@)answer[2,-1]}"
  case $answer[1] in
    files) _files ;;
    folders) _files -/ ;;
    tomls) _files -g '*.toml' ;;
  esac
}
compdef _dlscale dlscale
)zsh";

constexpr const char* kFish = R"fish(
# fish completion of dlscale: dlscale completion fish > ~/.config/fish/completions/dlscale.fish
function __dlscale_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answer ($words[1] completion --answer -- $words[2..-1] 2> /dev/null)
    test (count $answer) -gt 1; and printf '%s\n' $answer[2..-1]
    switch "$answer[1]"
        case files tomls
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
    end
end
complete -c dlscale -f -a '(__dlscale_complete)'
)fish";

struct Shell {
  const char* name;
  const char* script;
};
constexpr Shell kShells[] = {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) names.emplace_back(shell.name);
  return names;
}

struct CompletionOptions {
  std::vector<std::string> words;
  bool answer = false;
};

/// Prints the kind of files that can complete the last word, then one line for each word that can
/// complete it.
int answer(const CLI::App& program, const CompletionOptions& options) {
  const Completion found = complete(program, options.words, workspace::share_folder());
  std::cout << found.files << '\n';
  for (const std::string& word : found.words) std::cout << word << '\n';
  return kExitOk;
}

int print_script(const CompletionOptions& options) {
  const std::string name = options.words.empty() ? "" : options.words.front();
  if (options.words.size() != 1)
    throw base::UsageError("completion: name one shell: bash, zsh or fish");
  for (const Shell& shell : kShells) {
    if (name != shell.name) continue;
    std::cout << shell.script + 1;  // The script begins with a line break, which is skipped.
    return kExitOk;
  }
  throw base::UsageError(base::unknown_name("shell", name, shell_names()));
}

Action define_completion(CLI::App& app) {
  const auto options = std::make_shared<CompletionOptions>();
  app.add_option("SHELL", options->words, "shell for which to print the script")
      ->type_name(one_of(shell_names()));
  // The completion scripts use this hidden option.
  app.add_flag("--answer", options->answer)->group("");
  return [options, &app] {
    return options->answer ? answer(*app.get_parent(), *options) : print_script(*options);
  };
}

}  // namespace

extern const CommandEntry completion_entry;
const CommandEntry completion_entry{
    .name = "completion",
    .summary = "Print a script that completes dlscale's command lines in a shell",
    .example =
        "dlscale completion bash\n"
        "  eval \"$(dlscale completion bash)\"    # in ~/.bashrc",
    .define = &define_completion,
};

}  // namespace dlscale::cli
