// SPDX-License-Identifier: Apache-2.0
// Runner of the built `dlscale` for tests of the command line.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "runner/batch/command_runner.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::test {

struct Ran {
  int exit_code = 0;
  std::string out, err;
};

/// Runs the program in a temporary folder, which is empty at first and keeps the files of the
/// program.
class DlscaleProgram {
 public:
  Ran run(std::vector<std::string> arguments,
          const std::map<std::string, std::string>& environment = {}) {
    arguments.insert(arguments.begin(), DLSCALE_BINARY_DIR "/bin/dlscale");
    const std::filesystem::path out = files_ / "out", err = files_ / "err";
    const auto process = commands_->start({arguments, folder.path(), out, err, environment});
    const auto status = commands_->wait(process, 60).value();
    return {status.exit_code, base::read_file(out), base::read_file(err)};
  }

  TempDir folder;

 private:
  TempDir files_;
  std::unique_ptr<runner::CommandRunner> commands_ = runner::make_command_runner();
};

}  // namespace dlscale::test
