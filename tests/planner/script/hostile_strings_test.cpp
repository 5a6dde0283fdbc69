// SPDX-License-Identifier: Apache-2.0
// Tests that values cannot become code, with generated strings in scripts of each batch system.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/planner/bash_run.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

constexpr int kStrings = 1200;
/// Number of strings in one script.
constexpr int kChunk = 100;

/// Generator of strings from pieces with a meaning in bash, SLURM, OAR, SQL, TOML, mustache or
/// printf. Executed pieces create the file `canary` in the working directory or next to it.
class HostileStrings {
 public:
  explicit HostileStrings(unsigned seed) : random_(seed) {}

  std::string next(bool file_name = false) {
    static const std::vector<std::string> pieces{"$(touch canary)",
                                                 "`touch canary`",
                                                 "; touch canary;",
                                                 "' ; touch canary; '",
                                                 "\"; touch canary; \"",
                                                 "&& touch canary",
                                                 "| touch canary",
                                                 "$HOME",
                                                 "${IFS}",
                                                 "${x:-y}",
                                                 "$'\\n'",
                                                 "'",
                                                 "\"",
                                                 "\\",
                                                 "\\'",
                                                 "\n",
                                                 "\r\n",
                                                 "\t",
                                                 "\x1b[31m",
                                                 "\x7f",
                                                 "\x07",
                                                 " ",
                                                 "  ",
                                                 "*",
                                                 "?",
                                                 "[a-z]",
                                                 "{a,b}",
                                                 "~",
                                                 "!",
                                                 "!!",
                                                 "#",
                                                 "#SBATCH --wrap=id",
                                                 "#OAR -l x",
                                                 "\n#SBATCH --account=x",
                                                 "\n#OAR -t deploy",
                                                 "%j",
                                                 "%s",
                                                 "%%",
                                                 "$OAR_JOB_ID",
                                                 "{{job}}",
                                                 "{{{line}}}",
                                                 "{{#x}}",
                                                 "}}",
                                                 "<<EOF",
                                                 "\nEOF\n",
                                                 ">&2",
                                                 "> canary",
                                                 "(",
                                                 ")",
                                                 "()",
                                                 "{",
                                                 "}",
                                                 "-",
                                                 "--run",
                                                 "-x",
                                                 "=",
                                                 "a",
                                                 "Z9",
                                                 "é",
                                                 "漢字",
                                                 "🙂",
                                                 "\u202e",
                                                 "\u00a0",
                                                 "' OR 1=1 --",
                                                 "$",
                                                 "$$",
                                                 "$1",
                                                 "\\$(id)",
                                                 "\\",
                                                 "x=1",
                                                 "/",
                                                 "..",
                                                 ".",
                                                 ",",
                                                 ":",
                                                 "@",
                                                 "+",
                                                 "^",
                                                 ";",
                                                 "&",
                                                 "|",
                                                 "<",
                                                 ">"};
    std::string text;
    for (int i = pick(0, 6); i > 0; --i)
      text += pieces[pick(0, static_cast<int>(pieces.size()) - 1)];
    if (!file_name) return text;
    std::replace(text.begin(), text.end(), '/', '_');
    std::erase_if(text, [](char c) { return c == ':' || c == ','; });  // invalid in mounts
    return "f" + text;  // name other than "", "." and ".."
  }

 private:
  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  std::mt19937 random_;
};

std::string toml(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += std::string("\\") + c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string toml(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() > 1 ? ", " : "") + toml(text);
  return list + "]";
}

void write_program(const fs::path& path, const std::string& body) {
  base::write_file_atomically(path, "#!/bin/bash\n" + body + "\n");
  fs::permissions(path, fs::perms::owner_all);
}

std::vector<std::string> read_argv(const fs::path& file) {
  std::vector<std::string> words;
  if (!fs::exists(file)) return words;
  const std::string text = base::read_file(file);
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    words.push_back(text.c_str() + at);
  }
  return words;
}

bool holds_in_order(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  return std::search(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
}

/// Cluster with the given scheduler. Its launchers record their arguments and start no programs.
struct Cluster {
  std::string scheduler;
  test::TempDir dir = {};

  /// Returns the folder of the plan. The path is plain if directives of batch systems contain the
  /// path.
  fs::path folder(const std::string& hostile) const {
    return dir / (scheduler == "local" ? hostile : "plan");
  }

  std::string site(const std::string& rest) const {
    const std::string launcher = scheduler == "slurm" ? "srun"
                                 : scheduler == "oar" ? "oarsh"
                                                      : "mpirun";
    std::string text =
        fmt::format("scheduler = \"{}\"\nlauncher = \"{}\"\nwalltime = \"00:10:00\"\n{}\n",
                    scheduler, launcher, rest);
    text += "environment = " +
            toml({"PATH=" + planner::shell_quote((dir / "bin").string()) + ":$PATH"});
    if (scheduler != "local") text += "\n[[partitions]]\nname = \"p\"\ncores_per_node = 8\n";
    return text;
  }
  void make_programs() const {
    fs::create_directories(dir / "bin");
    const std::string note =
        "printf '%s\\0' \"$@\" > " + planner::shell_quote((dir / "argv").string());
    for (const char* name : {"srun", "mpirun", "singularity", "program"})
      write_program(dir / "bin" / name, note);
  }
  /// Plans the study on this cluster into a folder and runs the script of the first job there.
  planner::Planning run(const std::string& study, const std::string& site_rest,
                        const fs::path& out) const {
    make_programs();
    base::write_file_atomically(dir / "study.toml", study);
    base::write_file_atomically(dir / "site.toml", site(site_rest));
    auto planning = planner::make_plan({dir / "study.toml", (dir / "site.toml").string(), {}},
                                       test::shipped_resources());
    const contract::PlanDir plan(out);
    planner::write_plan(planning, test::shipped_resources(), plan);
    const std::string script = plan.job_script(planning.plan.jobs.front().name).string();
    const auto result = test::run_bash(
        "export OAR_NODEFILE=/dev/null OAR_JOB_ID=7 SLURM_JOB_ID=7; cd " +
        planner::shell_quote(dir.path().string()) + "; bash " + planner::shell_quote(script));
    INFO(result.out);
    CHECK(result.exit_code == 0);
    return planning;
  }
  bool canary() const {
    const auto files = fs::recursive_directory_iterator(dir.path());
    return std::any_of(begin(files), end(files),
                       [](const auto& entry) { return entry.path().filename() == "canary"; });
  }
};

const std::string kStudy =
    "[study]\nname = \"s\"\n[matrix]\nmodel = \"mlp\"\ngpus = 2\nbatch_per_gpu = 8\n"
    "[training]\nlr = { base = 0.1 }\n";

}  // namespace

TEST_CASE("a thousand hostile strings reach the launcher unchanged under each batch system") {
  for (const std::string scheduler : {"slurm", "oar", "local"}) {
    HostileStrings hostile(1);
    for (int chunk = 0; chunk < kStrings / kChunk; ++chunk) {
      const Cluster cluster{scheduler};
      std::vector<std::string> arguments;
      for (int i = 0; i < kChunk; ++i) arguments.push_back(hostile.next());
      const fs::path trainer = cluster.dir / hostile.next(true);
      write_program(trainer, "");
      const fs::path image = cluster.dir / hostile.next(true);
      base::write_file_atomically(image, "");
      const std::vector<std::string> options{hostile.next(), hostile.next(), image.string()};
      cluster.run(kStudy,
                  "trainer = " + toml(trainer.string()) + "\nlauncher_args = " + toml(arguments) +
                      "\ncontainer = { kind = \"singularity\", image = " + toml(options[2]) +
                      ", args = " + toml({options[0], options[1]}) + " }",
                  cluster.folder(hostile.next(true)));
      const auto argv = read_argv(cluster.dir / "argv");
      CHECK(holds_in_order(argv, arguments));
      CHECK(holds_in_order(argv, options));
      CHECK(holds_in_order(argv, {trainer.string(), "--run"}));
      CHECK_FALSE(cluster.canary());
    }
  }
}

TEST_CASE("hostile values of the study reach the arguments of an external program unchanged") {
  for (const std::string scheduler : {"slurm", "oar", "local"}) {
    HostileStrings hostile(2);
    for (int chunk = 0; chunk < kStrings / kChunk; ++chunk) {
      const Cluster cluster{scheduler};
      std::vector<std::string> values;
      std::string command = "program", parameters;
      for (int i = 0; i < kChunk; ++i) {
        values.push_back(hostile.next());
        command += fmt::format(" {{{{p{}}}}}", i);
        parameters += fmt::format("parameters.p{} = {}\n", i, toml(values.back()));
      }
      const auto planning =
          cluster.run(kStudy + parameters +
                          "[trainer]\nlauncher = \"plain\"\ncommand = " + toml(command) + "\n",
                      "", cluster.folder(hostile.next(true)));
      CHECK(read_argv(cluster.dir / "argv") == values);
      CHECK(planning.run(0).parameters.at("p0") == values[0]);
      CHECK_FALSE(cluster.canary());
    }
  }
}

TEST_CASE("a hostile value in a directive is rejected or stays unchanged on its own line") {
  for (const std::string scheduler : {"slurm", "oar"}) {
    HostileStrings hostile(3);
    const Cluster cluster{scheduler};
    base::write_file_atomically(cluster.dir / "study.toml", kStudy);
    int refused = 0, taken = 0;
    for (int i = 0; i < kStrings; ++i) {
      const std::string value = hostile.next();
      if (value.empty()) continue;  // no account to set
      base::write_file_atomically(cluster.dir / "site.toml",
                                  cluster.site("trainer = \"t\"\naccount = " + toml(value)));
      std::string script;
      const std::string error = test::error_of([&] {
        const auto planning = planner::make_plan(
            {cluster.dir / "study.toml", (cluster.dir / "site.toml").string(), {}},
            test::shipped_resources());
        script = planner::job_script(planning, 0, test::shipped_resources(),
                                     contract::PlanDir(cluster.dir / "plan"));
      });
      const std::string line =
          (scheduler == "slurm" ? "\n#SBATCH --account=" : "\n#OAR --project ") + value + "\n";
      if (error.empty()) {
        ++taken;
        CHECK(script.find(line) != std::string::npos);
      } else {
        ++refused;
      }
      CHECK((error.empty() ||
             value.find_first_of("\n $`'\"\\;&|<>(){}*?[]!~#%\t\r") != std::string::npos ||
             std::any_of(value.begin(), value.end(), [](unsigned char c) {
               return c >= 0x7f || c < 0x20 || c == '^' || c == ',';
             })));
    }
    CHECK(refused > kStrings / 2);
    CHECK(taken > 20);
  }
}

TEST_CASE("hostile paths and environment values are unchanged in run.json") {
  HostileStrings hostile(4);
  test::TempDir dir;
  for (int i = 0; i < kStrings / kChunk; ++i) {
    std::string path = "/" + hostile.next(true), value = hostile.next();
    std::erase(path, '$');  // $ would start a variable
    base::write_file_atomically(
        dir / "study.toml",
        kStudy + "dataset = { kind = \"mnist\", path = " + toml("$V" + path) + " }\n");
    base::write_file_atomically(dir / "site.toml",
                                "scheduler = \"local\"\n[variables]\nV = " + toml(value) + "\n");
    const auto planning = planner::make_plan({dir / "study.toml", (dir / "site.toml").string(), {}},
                                             test::shipped_resources());
    const contract::PlanDir out(dir / std::to_string(i));
    planner::write_plan(planning, test::shipped_resources(), out);
    const auto file = out.run(planning.plan.runs[0].run_id).run_json();
    CHECK(contract::run_spec_from_json(base::read_file(file), "run.json").dataset.path ==
          value + path);
  }
}
