// SPDX-License-Identifier: Apache-2.0
#include "planner/script/origin.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

const std::string kOriginSlurm =
    "scheduler = 'slurm'\ndevice = 'cuda'\nlauncher = 'srun'\nwalltime = '01:00:00'\n";
const std::string kOriginOar =
    "scheduler = 'oar'\ndevice = 'cuda'\nlauncher = 'oarsh'\nwalltime = '01:00:00'\n";
const std::string kOriginNodes = "[[partitions]]\ngpus_per_node = 4\ncores_per_node = 48\n";

/// Returns the reason why no script can be made, with {STUDY} and {SITE} in place of the two file
/// names.
std::string refusal(const std::string& resources, const std::string& site,
                    const std::string& rest = "") {
  const test::TempDir dir;
  const auto planning =
      test::plan_texts(test::StudyText{.resources = resources, .rest = rest}.text(), site, dir);
  std::string text = test::error_of([&] {
    planner::job_script(planning, 0, test::shipped_resources(), contract::PlanDir(dir / "out"));
  });
  for (const auto& [name, file] :
       {std::pair("{STUDY}", dir / "study.toml"), std::pair("{SITE}", dir / "site.toml")}) {
    if (text.rfind(file.string(), 0) == 0) text = name + text.substr(file.string().size());
  }
  return text;
}

bool starts(const std::string& text, const std::string& beginning) {
  INFO(text);
  CHECK(text.substr(0, beginning.size()) == beginning);
  return true;
}

}  // namespace

TEST_CASE("an invalid directive value of the study is reported at its key") {
  const std::string site = kOriginSlurm + kOriginNodes + "name = 'p'\n";
  CHECK(refusal("account = 'x; rm'", site) ==
        "{STUDY}:10:11: resources.account: the value 'x; rm' contains the character ;; values on "
        "this line cannot be quoted (#SBATCH --account)");
  starts(refusal("qos = 'a b'", site),
         "{STUDY}:10:7: resources.qos: the value 'a b' contains a space");
  starts(refusal("constraint = '$x'", site), "{STUDY}:10:14: resources.constraint: the value");
  starts(refusal("mail = { user = 'a b' }", site), "{STUDY}:10:17: resources.mail.user: the value");
  starts(refusal("gpu_type = '$x'", site), "{STUDY}:10:12: resources.gpu_type: the value");
  starts(refusal("", site, "[[substudy]]\nname = 'a'\nresources.account = 'x y'\n"),
         "{STUDY}:13:21: substudy[0].resources.account: the value");
}

TEST_CASE("an invalid directive value of the site is reported at its key") {
  starts(refusal("", "account = 'a b'\n" + kOriginSlurm + kOriginNodes + "name = 'p'\n"),
         "{SITE}:1:11: account: the value");
  starts(refusal("", "mail.user = 'a b'\n" + kOriginSlurm + kOriginNodes + "name = 'p'\n"),
         "{SITE}:1:13: mail.user: the value");
  const std::string p = kOriginSlurm + kOriginNodes;
  starts(refusal("", p + "name = '$p'\n"), "{SITE}:8:8: partitions[0].name: the value");
  starts(refusal("", p + "name = 'p'\nqueue = '$p'\n"),
         "{SITE}:9:9: partitions[0].queue: the value");
  starts(refusal("", p + "name = 'p'\nqos = '$p'\n"), "{SITE}:9:7: partitions[0].qos: the value");
}

TEST_CASE("invalid OAR types, resources, properties and projects are reported at their keys") {
  const std::string p = kOriginOar + kOriginNodes + "name = 'p'\n";
  starts(refusal("", p + "types = ['besteffort', 'a b']\n"), "{SITE}:9:9: partitions[0].types:");
  starts(refusal("", p + "properties = 'a; b'\n"), "{SITE}:9:14: partitions[0].properties:");
  starts(refusal("", p + "host_resource = 'a b'\n"), "{SITE}:9:17: partitions[0].host_resource:");
  starts(refusal("account = 'x; rm'", p), "{STUDY}:10:11: resources.account: the value 'x; rm'");
}

TEST_CASE("an invalid value without a key is reported with the template") {
  const test::TempDir dir;
  const auto planning =
      test::plan_texts(test::StudyText{}.text(), kOriginOar + kOriginNodes + "name = 'p'", dir);
  CHECK(test::error_of([&] {
          planner::job_script(planning, 0, test::shipped_resources(), contract::PlanDir("/a:b"));
        }).find("oar.sh.mustache: #OAR -O: the value") != std::string::npos);
}
