// SPDX-License-Identifier: Apache-2.0
// Entry point of `dlscale`. Runs the requested sub-command, and converts an error to one line of
// text and an exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/build_info.hpp"
#include "cli/command.hpp"
#include "contract/version.hpp"

namespace dlscale::cli {
namespace {

int fail(const char* message, int exit_code) {
  fmt::print(stderr, "dlscale: {}\n", message);
  return exit_code;
}

/// Returns the error in the command line as one line of text, with the command that prints the
/// help.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  if (!verbs.empty()) {
    return fmt::format("{}; see dlscale {} --help", error.what(), verbs[0]->get_name());
  }
  const std::vector<std::string> known = base::names(command_table());
  const std::vector<std::string> rest = app.remaining();
  if (rest.empty()) return fmt::format("a verb is required: {}", fmt::join(known, ", "));
  return base::unknown_name("verb", rest[0], known);
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Deep-learning scaling studies: from one TOML file to the tables of a paper."};
  app.set_version_flag("--version", fmt::format("dlscale {}\ncommit {}\nbuild {}",
                                                contract::version(), kCommit, kBuild));
  app.require_subcommand(1);
  app.footer("Start with: dlscale demo");
  int exit_code = kExitOk;
  for (const CommandEntry* entry : command_table()) {
    CLI::App* verb = app.add_subcommand(entry->name, entry->summary);
    verb->footer(fmt::format("Example:\n  {}", entry->example));
    verb->callback([&exit_code, action = entry->define(*verb)] { exit_code = action(); });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw base::UsageError(usage_error(app, error));
    app.exit(error);  // prints the text that --help or --version requests
  }
  return exit_code;
}

/// Makes malloc keep freed memory. A short program that uses much memory would otherwise spend a
/// third of its time requesting pages from the system and returning them.
void keep_freed_memory() {
  constexpr int kTopPad_bytes = 8 << 20, kMost_bytes = 1 << 30;
  ::mallopt(M_TOP_PAD, kTopPad_bytes);
  ::mallopt(M_MMAP_THRESHOLD, kMost_bytes);
  ::mallopt(M_TRIM_THRESHOLD, kMost_bytes);
}

/// Returns whether the program that reads standard output, for example `head`, has closed the pipe.
bool reader_has_gone() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/// Returns `exit_code`. Throws base::RunError if the command succeeded but its output could not be
/// written.
int told(int exit_code) {
  std::cout.flush();
  const bool whole = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (whole || exit_code != kExitOk || reader_has_gone()) return exit_code;
  throw base::RunError("cannot write to standard output");
}

}  // namespace
}  // namespace dlscale::cli

int main(int argc, char** argv) {
  using namespace dlscale;
  cli::keep_freed_memory();
  try {
    return cli::told(cli::dispatch(argc, argv));
  } catch (const base::Error& error) {
    return cli::fail(error.what(), error.exit_code());
  } catch (const std::exception& error) {
    return cli::fail(error.what(), 1);
  }
}
