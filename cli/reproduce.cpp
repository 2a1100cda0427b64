// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce: measures the tables and figures of a paper again, on what one can have.
#include "reproduce.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <clearance/mesh/read.h>

#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

struct StudyEntry {
  const char* name;
  const char* description;
  /// Names of the options it takes, besides FILE, --data, --quick, --csv and --json.
  std::vector<std::string> options;
  int (*run)(const ReproduceOptions& options);
};

const std::vector<StudyEntry>& studies() {
  static const std::vector<StudyEntry> all{
      {"inertia-fit",
       "bounding volume hierarchies for triangle meshes with mixed face sizes. Area, volume, build "
       "time and query work of trees by three fitters and by ours, on generated stand-ins at the "
       "paper's triangle counts and on meshes of your own, beside the paper's figures.",
       {"--out", "--no-generated", "--repeat", "--queries", "--threads"},
       reproduce_inertia_fit},
      {"chaintree",
       "maintenance and self-collision testing of kinematic chains. Time to update and to test a "
       "chain after a torsion, and box tests, for four chain trees and five rivals, on compact "
       "chains and proteins, beside the paper's figures; growth to a million links; the worst "
       "case.",
       {"--out", "--steps", "--seed"},
       reproduce_chaintree},
      {"contour-gpu",
       "proximity queries of contours against triangle meshes. Time of a query for 30 segments and "
       "up to 4 million triangles by the paper's brute force, SIMD, OpenCL, the paper's culling "
       "and ours; a catheter in an atrium and a hand in a hole, at rest and moving; how far the "
       "paper's distances are off.",
       {"--out", "--seed"},
       reproduce_contour_gpu},
      {"sphere-simplification",
       "bounding sphere models of CAD parts. Error, coverage and excess over the number of spheres "
       "for sphere packing, the paper's algorithm and ours; a pipe, a three-pipe section and an "
       "industrial robot as spheres that are proven to cover; a robot program checked on every "
       "representation, with what each misses and invents.",
       {"--out", "--seed", "--only"},
       reproduce_sphere_simplification},
      {"bin-picking",
       "two-fingered grasps of a con-rod and picks from piles of 25. Grasps sampled, feasible, "
       "stable and robust; candidates that can be picked with generated and with nominal grasps, "
       "with a paired t-test; how many of them are buried.",
       {"--out", "--seed"},
       reproduce_bin_picking}};
  return all;
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const StudyEntry& entry : studies()) names.emplace_back(entry.name);
  names.emplace_back("all");
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

/// Options that only some studies take, by name.
using StudyOptionMap = std::map<std::string, const CLI::Option*>;

int run(const std::string& name, const ReproduceOptions& options, const StudyOptionMap& special) {
  const std::vector<std::string> names = study_names();
  if (name.empty()) return fail_usage("reproduce", "which study? (" + joined(names) + ")");
  if (name == "all") {
    std::vector<StudyToRun> all;
    for (const StudyEntry& study : studies()) {
      const bool draws =
          std::find(study.options.begin(), study.options.end(), "--out") != study.options.end();
      all.push_back({study.name, study.description, draws, study.run});
    }
    return reproduce_all(options, all);
  }
  const auto entry = std::find_if(studies().begin(), studies().end(),
                                  [&](const StudyEntry& study) { return study.name == name; });
  if (entry == studies().end()) {
    const std::string near = nearest(name, names);
    return fail_usage("reproduce", "there is no study '" + name + "'" +
                                       (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  for (const auto& [option_name, option] : special) {
    const bool takes = std::find(entry->options.begin(), entry->options.end(), option_name) !=
                       entry->options.end();
    if (option->count() > 0 && !takes) {
      std::string reason = name;
      reason.append(" has no use for ").append(option_name);
      return fail_usage("reproduce", reason);
    }
  }
  return entry->run(options);
}

}  // namespace

Verb add_reproduce(Program& program) {
  std::string description = "Measure the tables and figures of a paper again.";
  for (const StudyEntry& entry : studies())
    description += std::string("\n") + entry.name + ": " + entry.description;
  description +=
      "\nall: every study, and one HTML report with its tables, charts and claims (--out).";
  CLI::App* command = program.app.add_subcommand("reproduce", description);
  auto name = std::make_shared<std::string>();
  auto options = std::make_shared<ReproduceOptions>();
  auto special = std::make_shared<StudyOptionMap>();
  const auto only_some = [&](const std::string& option_name, const CLI::Option* option) {
    (*special)[option_name] = option;
  };

  CLI::Option* study = command->add_option("STUDY", *name, "Which study: " + joined(study_names()));
  program.hints[study] = {study_names(), {}};
  CLI::Option* files =
      command->add_option("FILE", options->paths, "Meshes or proteins to study as well");
  std::vector<std::string> extensions{"pdb", "cif"};
  for (const std::string& extension : readable_extensions())
    extensions.push_back(extension.substr(1));
  program.hints[files] = {{}, extensions};
  command
      ->add_option("--data", options->data,
                   "inertia-fit: study every readable mesh of 1,000 triangles or more below a "
                   "folder as well; chaintree: the folder with 1ckb.pdb, 1cms.pdb, 7ddo.pdb and "
                   "af_q9y223.pdb, which stand in for the paper's proteins (generated where "
                   "missing); contour-gpu: the folder with "
                   "anatomy/left_atrium_mri/segmentation_10k.stl and robots/atlas_description "
                   "(generated where missing); sphere-simplification: the folder with "
                   "robots/abb_irb4400_support (an arm of ours where missing)")
      ->option_text("DIR");
  command->add_flag("--quick", options->quick, "Small input: seconds instead of minutes");
  only_some("--no-generated", command->add_flag("--no-generated", options->no_generated,
                                                "Leave out the stand-ins (inertia-fit)"));
  only_some("--repeat", command
                            ->add_option("--repeat", options->repetitions,
                                         "Build each tree so often; the fastest counts (1; "
                                         "inertia-fit)")
                            ->option_text("N")
                            ->check(CLI::Range(1, 1000)));
  only_some("--queries", command
                             ->add_option("--queries", options->queries,
                                          "Distance queries whose work is counted on each tree "
                                          "(20; inertia-fit)")
                             ->option_text("N")
                             ->check(CLI::Range(1, 100000)));
  only_some(
      "--steps",
      command->add_option("--steps", options->steps, "Torsions of each chain (20,000; chaintree)")
          ->option_text("N")
          ->check(CLI::Range(1, 100'000'000)));
  only_some("--seed", command
                          ->add_option("--seed", options->seed,
                                       "Seed of what is random (1; chaintree, contour-gpu, "
                                       "sphere-simplification)")
                          ->option_text("S")
                          ->check(count_from(0)));
  only_some("--only",
            command
                ->add_option("--only", options->only,
                             "Only these parts, by commas (sphere-simplification: pipe, Figures 3, "
                             "4 and 6 to 8; unfilled, beside other programs; robot, Figure 5; "
                             "program, Table I; visual, Figure 5 on visual meshes)")
                ->option_text("PARTS")
                ->delimiter(',')
                ->check(CLI::IsMember({"pipe", "unfilled", "robot", "program", "visual"})));
  only_some("--out", command
                         ->add_option("--out", options->out,
                                      "Write the figures as SVG into a folder (chaintree, "
                                      "contour-gpu, sphere-simplification), with coloured maps "
                                      "(contour-gpu) or pictures (sphere-simplification)")
                         ->option_text("DIR"));
  only_some("--threads", add_threads_option(*command, options->threads,
                                            "Threads to build with; 0 is one per core, 1 by "
                                            "default (inertia-fit)"));
  CLI::Option* csv = command->add_option("--csv", options->csv, "Write every figure to a CSV file");
  csv->option_text("OUT.csv");
  program.hints[csv] = {{}, {"csv"}};
  command->add_flag("--json", options->json, "Result as JSON (schema/reproduce-STUDY.schema.json)");
  command->footer(
      "Exit status: 0 the study is done, whatever it found; 1 methods gave different answers, or\n"
      "a model that covers missed a collision;\n"
      "2 a file could not be read.\n"
      "\n"
      "Examples:\n"
      "  clearance reproduce all --quick --out report\n"
      "  clearance reproduce inertia-fit --quick\n"
      "  clearance reproduce inertia-fit --data cad/ --csv figures.csv\n"
      "  clearance reproduce inertia-fit bracket.stl --no-generated --json\n"
      "  clearance reproduce chaintree --data proteins/ --out figures/\n"
      "  clearance reproduce contour-gpu --quick --out figures/\n"
      "  clearance reproduce sphere-simplification --data shared/data --out figures/");
  return {command, [name, options, special] { return run(*name, *options, *special); }};
}

}  // namespace clearance::cli
