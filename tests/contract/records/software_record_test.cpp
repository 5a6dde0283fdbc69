// SPDX-License-Identifier: Apache-2.0
#include "contract/records/software_record.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;
using contract::code_version;
using contract::conditions_of;
using contract::SoftwareRecord;

namespace {

SoftwareRecord committed() {
  return {.repository = "/home/u/net",
          .commit = "3f2a9c1d5e6b7a8091a2b3c4d5e6f70819283746",
          .script = "/home/u/net/train.py",
          .script_digest = "aaaaaaaaaaaa",
          .python = "3.11.7",
          .python_path = "/opt/env/bin/python",
          .packages = "bbbbbbbbbbbb",
          .torch = "2.11.0"};
}

}  // namespace

TEST_CASE("the version of the code is the commit, with a digest of later changes") {
  SoftwareRecord record = committed();
  CHECK(code_version(record) == "3f2a9c1d5e6b");
  record.difference = "0123456789ab";
  CHECK(code_version(record) == "3f2a9c1d5e6b with changes 0123456789ab");
}

TEST_CASE("without a repository the version of the code is the digest of the script") {
  SoftwareRecord record = committed();
  record.commit = "";
  CHECK(code_version(record) == "train.py aaaaaaaaaaaa");
  CHECK(code_version({}).empty());
}

TEST_CASE("conditions contain the known values only") {
  CHECK(conditions_of(committed()) ==
        std::map<std::string, std::string>{{"code", "3f2a9c1d5e6b"},
                                           {"packages", "bbbbbbbbbbbb"},
                                           {"python", "3.11.7"},
                                           {"torch", "2.11.0"}});
  CHECK(conditions_of({}).empty());
}

TEST_CASE("a change of the code or of the packages of the same Python is reported") {
  const SoftwareRecord before = committed();
  SoftwareRecord after = before;
  CHECK(change_of(before, after).empty());
  after.modules = "cuda/12.4";
  CHECK(change_of(before, after).empty());
  after.packages = "cccccccccccc";
  CHECK(change_of(before, after) ==
        "the packages of /opt/env/bin/python changed: compare software/packages-bbbbbbbbbbbb.txt "
        "with software/packages-cccccccccccc.txt");
  after.difference = "0123456789ab";
  CHECK(change_of(before, after) ==
        "the code changed from 3f2a9c1d5e6b to 3f2a9c1d5e6b with changes 0123456789ab");
  CHECK_THAT(change_of(before, after, "net.py"), Catch::EndsWith("0123456789ab (net.py)"));
}

TEST_CASE("packages of different Python programs and unknown versions are not compared") {
  SoftwareRecord other = committed();
  other.python_path = "/usr/bin/python3";
  other.packages = "cccccccccccc";
  CHECK(change_of(committed(), other).empty());
  CHECK(change_of(committed(), {}).empty());
  CHECK(change_of({}, committed()).empty());
}

TEST_CASE("packages are not compared if variables change where Python finds them") {
  SoftwareRecord other = committed();
  other.packages = "cccccccccccc";
  other.python_variables = "PYTHONPATH=/home/u/lib";
  CHECK(change_of(committed(), other).empty());
  CHECK(change_of(other, committed()).empty());
  SoftwareRecord same = committed();
  same.python_variables = other.python_variables;
  CHECK_THAT(change_of(same, other), Catch::StartsWith("the packages of /opt/env/bin/python"));
}

TEST_CASE("files differ if their digests differ or if only one version lists them") {
  using contract::differing_files;
  using Names = std::vector<std::string>;
  CHECK(differing_files("1  a.py\n2  b c.py\n", "1  a.py\n3  b c.py\n") == Names{"b c.py"});
  CHECK(differing_files("", "1  a.py\n") == Names{"a.py"});
  CHECK(differing_files("1  a.py\n", "2  b.py\n") == Names{"a.py", "b.py"});
  CHECK(differing_files("1  a.py\nno digest\n", "1  a.py\n").empty());
}

TEST_CASE("the difference of two lists names the packages with their versions") {
  const auto shown = [](std::string_view first, std::string_view second) {
    const contract::PackageDifference found = contract::difference_of_packages(first, second);
    return found.first + " | " + found.second;
  };
  CHECK(shown("numpy==1.26\ntorch==2.4\n", "numpy==2.0\ntorch==2.4\n") == "numpy 1.26 | numpy 2.0");
  CHECK(shown("a==1\nb==2\n", "b==2") == "a 1 | no a");
  CHECK(shown("", "b==2\n") == "no b | b 2");
  CHECK(shown("a==1\na==2\n", "a==2\n") == "a 1 and 2 | a 2");
  CHECK(shown("a==1\nb==1\nc==1\nd==1\ne==1\n", "a==2\nb==2\nc==2\nd==2\n") ==
        "a 1, b 1, c 1 and 2 other packages | a 2, b 2, c 2 and 2 other packages");
  CHECK(shown("a==1\nno version\n", "a==1\n") == " | ");
}

TEST_CASE("a description is read with unknown keys, and a broken one is an error") {
  const SoftwareRecord record = contract::software_from_json(
      R"({"commit":"3f2a","python":"3.11.7","later":"key"})", "a.json");
  CHECK(record.commit == "3f2a");
  CHECK(record.python == "3.11.7");
  CHECK_THROWS_AS(contract::software_from_json("{", "a.json"), base::SpecError);
}
