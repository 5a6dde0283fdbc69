// SPDX-License-Identifier: Apache-2.0
// Checks distinct job scripts with bash and shellcheck.
#pragma once

#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"
#include "tests/planner/bash_run.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::test {

/// Set of distinct job scripts. Tests of scripts spend most of their time on starting bash and
/// shellcheck. Scripts that differ only in comments and in the names of their job and folder are
/// checked once by bash. Scripts that also differ in numbers are checked once by shellcheck.
class JudgedScripts {
 public:
  /// Adds the job scripts of a plan in `folder` or below, and the file that they read. Messages
  /// about these scripts begin with `form`.
  void take(const contract::PlanDir& plan, const std::filesystem::path& folder,
            const std::string& form) {
    for (const auto& entry : std::filesystem::directory_iterator(plan.jobs())) {
      if (entry.path().extension() == ".sh") add(entry.path(), folder, form);
    }
    add(plan.inherited_variables(), folder, form);
  }
  /// Checks that bash -n and, if it is installed, shellcheck accept the scripts.
  void check() const {
    REQUIRE_FALSE(different_.empty());
    check("for f in ./*.sh; do bash -n \"$f\" || exit; done");
    if (run_bash("command -v shellcheck").exit_code != 0) {
      test::skip("no shellcheck on PATH");
      return;
    }
    std::string files;
    for (const auto& [shape, file] : shapes_) files += " " + planner::shell_quote("./" + file);
    check("shellcheck -S warning" + files);
  }

 private:
  void add(const std::filesystem::path& script, const std::filesystem::path& folder,
           const std::string& form) {
    const std::string text = base::read_file(script), job = script.stem();
    const std::string file = form + job + ".sh", code = code_of(text, job, folder.string());
    if (!different_.emplace(code, file).second) return;
    base::write_file_atomically(dir_ / file, text);
    shapes_.emplace(without_numbers(code), file);
  }
  void check(const std::string& command) const {
    const std::string here = planner::shell_quote(dir_.path().string());
    const ShellResult result = run_bash("cd " + here + " && " + command);
    INFO(result.out);
    CHECK(result.exit_code == 0);
  }

  static std::string replaced(std::string text, const std::string& old, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += with.size()) {
      text.replace(at, old.size(), with);
    }
    return text;
  }
  /// Returns the script without comments, except for comments that control shellcheck.
  static std::string code_of(const std::string& text, const std::string& job,
                             const std::string& folder) {
    std::istringstream lines(replaced(replaced(text, folder, "FOLDER"), job, "JOB"));
    std::string code;
    for (std::string line; std::getline(lines, line);) {
      const bool comment = line.starts_with("#") && line.find("shellcheck") == std::string::npos;
      if (!comment) code += line + "\n";
    }
    return code;
  }
  /// Replaces numbers by 0, except for file descriptors: 2>, &1.
  static std::string without_numbers(const std::string& code) {
    std::string shape;
    for (std::size_t i = 0; i < code.size();) {
      std::size_t end = i;
      while (end < code.size() && std::isdigit(static_cast<unsigned char>(code[end])) != 0) ++end;
      const bool of_file = code.compare(end, 1, ">") == 0 || shape.ends_with('&');
      if (end == i) {
        shape += code[end++];
      } else {
        shape += of_file ? code.substr(i, end - i) : "0";
      }
      i = end;
    }
    return shape;
  }

  TempDir dir_;
  std::map<std::string, std::string> different_;  ///< file name of a script by its text
  /// File name of a script by its text with all numbers replaced.
  std::map<std::string, std::string> shapes_;
};

}  // namespace dlscale::test
