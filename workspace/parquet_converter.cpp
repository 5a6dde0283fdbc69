// SPDX-License-Identifier: Apache-2.0
#include "workspace/parquet_converter.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"
#include "workspace/jobs/program_path.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

constexpr const char* kModule = "dlscale.parquet";
/// Time limits in seconds. Python reads its packages slowly from a parallel file system that has
/// not cached them.
constexpr double kCheckPatience_s = 120;
constexpr double kConvertPatience_s = 24 * 3600.0;
/// Working directory of Python. Python imports modules from its working directory, so this is a
/// folder to which only root can write.
constexpr const char* kSafeFolder = "/";
/// Exit code of the Python module dlscale.parquet if pyarrow cannot be imported.
constexpr int kNoPyarrow = 2;

/// Returns the last line that is not blank, in which Python states the error.
std::string last_line(std::string_view text) {
  std::string last;
  for (const std::string_view line : base::lines_of(text)) {
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) last = line;
  }
  return last;
}

[[noreturn]] void reject(const std::string& problem) {
  throw base::UsageError("--format parquet: " + problem);
}

}  // namespace

std::string python_program() {
  const char* chosen = std::getenv("DLSCALE_PYTHON");
  if (chosen != nullptr && *chosen != '\0') {
    const std::string name = chosen;
    // A name without a slash is searched in PATH.
    return name.find('/') == std::string::npos ? name : fs::absolute(name).string();
  }
  const fs::path beside = program_path().parent_path() / "python3";
  std::error_code ignored;
  return fs::exists(beside, ignored) ? beside.string() : "python3";
}

ParquetConverter::ParquetConverter()
    : python_(python_program()), commands_(runner::make_command_runner()) {
  runner::Answer answer;
  try {
    answer = commands_->run({{python_, "-m", kModule, "--check"}, kSafeFolder}, kCheckPatience_s);
  } catch (const base::RunError& error) {
    reject(fmt::format(
        "needs Python 3.9 or later ({}); set DLSCALE_PYTHON to the path of an interpreter",
        error.what()));
  }
  if (!answer.end) reject(fmt::format("{} did not answer in {} s", python_, kCheckPatience_s));
  if (answer.end == runner::ExitStatus{}) return;
  const std::string reason = last_line(answer.err);
  if (answer.end->exit_code == kNoPyarrow) reject(reason);
  reject(fmt::format(
      "the Python package dlscale cannot be used ({}); install the package from the checkout of "
      "dlscale: {} -m pip install './python[parquet]'; or set DLSCALE_PYTHON to an interpreter "
      "that has the package",
      reason, python_));
}

void ParquetConverter::convert(const fs::path& tables, const fs::path& folder) const {
  const runner::Answer answer = commands_->run(
      {{python_, "-m", kModule, fs::absolute(tables), fs::absolute(folder)}, kSafeFolder},
      kConvertPatience_s);
  if (answer.end == runner::ExitStatus{}) return;
  const std::string reason = last_line(answer.err);
  throw base::RunError(fmt::format("{} did not write the Parquet files: {}", python_,
                                   reason.empty() ? "no error message" : reason));
}

}  // namespace dlscale::workspace
