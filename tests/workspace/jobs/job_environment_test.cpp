// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/job_environment.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using runner::Environment;
namespace fs = std::filesystem;

namespace {

/// Folder of programs with an mpirun, and a folder with an MPI library.
struct Installation {
  Installation() {
    fs::create_directories(programs());
    fs::create_directories(libraries());
    base::write_file_atomically(programs() / "mpirun", "");
    base::write_file_atomically(libraries() / "libmpi.so.40", "");
  }
  fs::path programs() const { return folder.path() / "bin"; }
  fs::path libraries() const { return folder.path() / "module"; }
  test::TempDir folder;
};

}  // namespace

TEST_CASE("jobs find the mpirun that was installed with the trainer first") {
  const Installation here;
  Environment variables{{"PATH", "/usr/bin"}, {"LD_LIBRARY_PATH", "/opt/none:"}};
  workspace::use_mpirun_of_trainer(variables, here.programs());
  CHECK(variables["PATH"] == here.programs().string() + ":/usr/bin");
}

TEST_CASE("an MPI library in LD_LIBRARY_PATH keeps the mpirun of the user's PATH") {
  const Installation here;
  Environment variables{{"PATH", "/usr/bin"},
                        {"LD_LIBRARY_PATH", "/opt/none:" + here.libraries().string()}};
  workspace::use_mpirun_of_trainer(variables, here.programs());
  CHECK(variables["PATH"] == "/usr/bin");
}

TEST_CASE("a trainer without an mpirun next to it keeps the user's PATH") {
  const Installation here;
  Environment variables{{"PATH", "/usr/bin"}};
  workspace::use_mpirun_of_trainer(variables, here.libraries());
  CHECK(variables["PATH"] == "/usr/bin");
}
