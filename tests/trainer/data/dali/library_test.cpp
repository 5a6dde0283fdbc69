// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/library.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
namespace dali = trainer::dali;
namespace fs = std::filesystem;

namespace {

/// Returns a lookup in an environment that contains only these variables.
trainer::VariableLookup with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

void touch(const fs::path& path) {
  fs::create_directories(path.parent_path());
  base::write_file_atomically(path, "no library\n");
}

std::string why_missing(const std::string& named) {
  const auto found = dali::find_library(with({{"DLSCALE_DALI_LIBRARY", named}}));
  REQUIRE(std::holds_alternative<dali::Missing>(found));
  return std::get<dali::Missing>(found).why;
}

}  // namespace

TEST_CASE("DALI is searched for in the cache, in Python's packages and by the dynamic loader") {
  const test::TempDir dir;
  const fs::path venv = dir.path() / "venv", python = dir.path() / "python";
  const char* const wheel = "nvidia/dali/libdali.so";
  touch(venv / "lib/python3.11/site-packages" / wheel);
  touch(python / "lib/python3.12/dist-packages" / wheel);
  touch(python / "bin/python3");
  const auto places = dali::places(with({{"XDG_CACHE_HOME", "/cache"},
                                         {"VIRTUAL_ENV", venv.string()},
                                         {"PATH", "/nowhere:" + (python / "bin").string()}}));
  REQUIRE(places.size() == 4);
  CHECK_THAT(places[0], Catch::StartsWith("/cache/dlscale/dali-") &&
                            Catch::EndsWith("/nvidia/dali/libdali.so"));
  CHECK(places[1] == (venv / "lib/python3.11/site-packages" / wheel).string());
  CHECK(places[2] == (python / "lib/python3.12/dist-packages" / wheel).string());
  CHECK(places[3] == "libdali.so");
}

TEST_CASE("without XDG_CACHE_HOME the cache of tools/setup is in the home folder") {
  CHECK_THAT(dali::places(with({{"HOME", "/home/me"}})).front(),
             Catch::StartsWith("/home/me/.cache/dlscale/dali-"));
  CHECK(dali::places(with({})) == std::vector<std::string>{"libdali.so"});
}

TEST_CASE("DLSCALE_DALI_LIBRARY overrides all other places and may name a folder") {
  const test::TempDir dir;
  const auto in = [](const std::string& named) {
    return dali::places(with({{"DLSCALE_DALI_LIBRARY", named}, {"HOME", "/home/me"}}));
  };
  CHECK(in("/opt/libdali.so") == std::vector<std::string>{"/opt/libdali.so"});
  CHECK(in(dir.path().string()) == std::vector<std::string>{(dir.path() / "libdali.so").string()});
}

TEST_CASE("a file that cannot be loaded is named with the system's error and the remedy") {
  const test::TempDir dir;
  touch(dir.path() / "libdali.so");
  CHECK_THAT(why_missing(dir.path().string()),
             Catch::Contains((dir.path() / "libdali.so").string()) &&
                 Catch::Contains("tools/setup --dali") && Catch::Contains("DLSCALE_DALI_LIBRARY"));
  CHECK_THAT(why_missing("/nowhere/libdali.so"),
             Catch::Contains("/nowhere/libdali.so: cannot open shared object file"));
}

TEST_CASE("a library other than DALI is rejected") {
  CHECK_THAT(why_missing("libm.so.6"), Catch::Contains("libm.so.6: is not a libdali"));
}

TEST_CASE("an unknown DALI version is rejected with the known versions") {
  CHECK_THAT(why_missing(DLSCALE_OTHER_DALI),
             Catch::Contains("is DALI 9.9.9, whose C API this dlscale does not support") &&
                 Catch::Contains("(" + dali::known_versions().front()));
}

TEST_CASE("a missing DALI library is an error of the run description") {
  try {
    dali::open_library(with({{"DLSCALE_DALI_LIBRARY", "/nowhere/libdali.so"}}));
    FAIL("nothing was thrown");
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitBadRunDescription);
  }
}
