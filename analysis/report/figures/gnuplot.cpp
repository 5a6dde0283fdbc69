// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "analysis/report/figures/gnuplot_script.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Where the child works and what becomes of its outputs.
class SpawnActions {
 public:
  SpawnActions(const fs::path& folder, const fs::path& messages) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, messages.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::string first_message(const fs::path& messages) {
  const std::string text = base::read_file(messages);
  const std::size_t start = text.find_first_not_of(" \n\t");
  if (start == std::string::npos) return "no message";
  // gnuplot shows the offending line and a caret before it says what is wrong.
  const std::size_t line = text.find("line ", start);
  const std::size_t begin = line == std::string::npos ? start : line;
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// A folder beside the figures in which they are drawn: a gnuplot that is missing or fails leaves
/// the pictures of another time alone.
class DrawingFolder {
 public:
  explicit DrawingFolder(const fs::path& path) : path_(path) { base::make_directories(path_); }
  ~DrawingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  DrawingFolder(const DrawingFolder&) = delete;
  DrawingFolder& operator=(const DrawingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs `program script` in `folder`. Empty when it succeeded, else what went wrong.
std::string run(const std::string& program, const std::string& script, const fs::path& folder) {
  const fs::path messages = fs::absolute(folder / (script + ".messages"));
  const SpawnActions actions(folder, messages);
  std::string name = program;
  std::string argument = script;
  char* const arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), actions.get(), nullptr, arguments, environ);
  std::error_code ignored;
  if (error != 0) {
    fs::remove(messages, ignored);
    return error == ENOENT
               ? fmt::format("{} is not installed (Debian package gnuplot-nox)", program)
               : fmt::format("cannot start {}: {}", program, std::strerror(error));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string problem;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    problem = fmt::format("{} failed on {}: {}", program, script, first_message(messages));
  }
  fs::remove(messages, ignored);
  return problem;
}

/// Takes the time of drawing out of a PDF file, so that the same figure is the same file. The new
/// date is as long as the old one: PDF counts bytes.
void remove_date(const fs::path& pdf) {
  constexpr std::string_view kKey = "/CreationDate (D:";
  constexpr std::string_view kNoDate = "19700101000000";
  std::string content = base::read_file(pdf);
  const std::size_t found = content.find(kKey);
  if (found == std::string::npos) return;
  content.replace(found + kKey.size(), kNoDate.size(), kNoDate);
  base::write_file_atomically(pdf, content);
}

}  // namespace

const std::vector<std::string>& figure_formats() {
  static const std::vector<std::string> formats{"svg", "pdf", "png"};
  return formats;
}

Drawn write_figure(const Figure& figure, const fs::path& stem,
                   const std::vector<std::string>& formats, const std::string& program) {
  const std::string name = stem.filename().string();
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  base::make_directories(folder);
  Drawn drawn;
  const auto file = [&](const std::string& ending) { return folder / (name + "." + ending); };
  const std::string csv = figure_csv(figure);
  const std::string script = gnuplot_script(figure, name, formats);
  base::write_file_if_changed(file("csv"), csv);
  base::write_file_if_changed(file("gp"), script);
  drawn.files = {file("csv"), file("gp")};
  const DrawingFolder drawing(folder / fmt::format(".{}-{}", name, getpid()));
  base::write_file_atomically(drawing.path() / (name + ".csv"), csv);
  base::write_file_atomically(drawing.path() / (name + ".gp"), script);
  drawn.problem = run(program, name + ".gp", drawing.path());
  if (!drawn.problem.empty()) return drawn;
  for (const std::string& format : formats) {
    const fs::path picture = drawing.path() / (name + "." + format);
    if (format == "pdf") remove_date(picture);
    std::error_code error;
    fs::rename(picture, file(format), error);
    if (error) throw base::RunError(file(format).string() + ": " + error.message());
    drawn.files.push_back(file(format));
  }
  return drawn;
}

}  // namespace dlscale::analysis
