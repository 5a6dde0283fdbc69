// SPDX-License-Identifier: Apache-2.0
// Tests that run the program on every broken study and site of tests/data/broken. The first line of
// each file is `# expect: ` and the expected error message.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

const fs::path kBroken = DLSCALE_SOURCE_DIR "/tests/data/broken";
const std::string kStudy = DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml";

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
}

/// Returns the expected message of a file. @FILE@ and @FOLDER@ stand for the path of the file and
/// of its folder, @STUDY@ for the path of the demo study, @TEMPLATES@ for the folder of the bundled
/// templates.
std::string expected(const fs::path& file) {
  static const std::string kMark = "# expect: ";
  const std::string text = base::read_file(file);
  REQUIRE(text.rfind(kMark, 0) == 0);
  std::string line = text.substr(kMark.size(), text.find('\n') + 1 - kMark.size());
  replace_all(line, "@FILE@", file);
  replace_all(line, "@FOLDER@", file.parent_path());
  replace_all(line, "@STUDY@", kStudy);
  replace_all(line, "@TEMPLATES@", DLSCALE_BINARY_DIR "/share/dlscale/templates");
  return line;
}

int check_all(const std::string& folder, const std::vector<std::string>& before,
              const std::vector<std::string>& after) {
  int checked = 0;
  for (const auto& entry : fs::directory_iterator(kBroken / folder)) {
    if (entry.path().extension() != ".toml") continue;
    INFO(entry.path());
    test::DlscaleProgram program;
    std::vector<std::string> arguments = before;
    arguments.push_back(entry.path());
    arguments.insert(arguments.end(), after.begin(), after.end());
    const test::Ran ran = program.run(arguments);
    CHECK(ran.exit_code == 2);
    CHECK(ran.err == expected(entry.path()));
    CHECK(ran.out.empty());
    CHECK(fs::is_empty(program.folder.path()));
    ++checked;
  }
  return checked;
}

}  // namespace

TEST_CASE("each broken study and site is rejected with one line, and nothing is written") {
  CHECK(check_all("studies", {"plan"}, {"--site", "local"}) >= 60);
  CHECK(check_all("sites", {"plan", kStudy, "--site"}, {}) >= 12);
}

TEST_CASE("a plan folder that cannot be written is rejected with one line, and nothing is left") {
  test::DlscaleProgram program;
  base::write_file_atomically(program.folder / "file", "in the way\n");
  for (const std::string out : {"file", "file/plan"}) {
    for (const std::string dry : {"--dry-run", "--allow-empty"}) {
      const test::Ran ran = program.run({"plan", kStudy, "-o", out, dry});
      CHECK(ran.exit_code == 2);
      CHECK(ran.out.empty());
      CHECK(ran.err == "dlscale: cannot write the plan folder " + out + ": Not a directory\n");
    }
  }
  const test::Ran ran = program.run({"plan", kStudy, "-o", "/proc/nowhere"});
  CHECK(ran.exit_code == 2);
  CHECK(ran.err.rfind("dlscale: cannot ", 0) == 0);
  CHECK(ran.err.find("/proc/nowhere") != std::string::npos);
  CHECK(ran.err.find('\n') == ran.err.size() - 1);
  CHECK(base::read_file(program.folder / "file") == "in the way\n");
}

TEST_CASE("names too long for files are rejected before anything is written") {
  test::DlscaleProgram program;
  const test::Ran ran =
      program.run({"plan", kStudy, "-S", "study.name='" + std::string(161, 'n') + "'"});
  CHECK(ran.exit_code == 2);
  CHECK(ran.err.find("study: the study name has 161 characters, but names of files contain it; use "
                     "at most 160 characters\n") != std::string::npos);
  const test::Ran model = program.run({"plan", kStudy, "-S", "trainer.command='true'", "-S",
                                       "matrix.model=['" + std::string(400, 'm') + "']"});
  CHECK(model.exit_code == 2);
  CHECK(model.err.find("model: the combined name of framework, model and lr_schedule has") !=
        std::string::npos);
  CHECK(fs::is_empty(program.folder.path()));
}
