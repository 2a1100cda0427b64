// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/disassemble_bodies.h"

#include <algorithm>

#include "plan/look_at.h"

namespace clearance::detail {
namespace {

// Parts that touch are relieved by at least this part of their diagonal: 10 um for a part of 5 cm.
// A path through a gap g takes about (length) / g looks to prove, so the least relief that frees a
// part (1e-12, where faces coincide) could not be used.
constexpr double kUsefulRelief = 2e-4;
// ...and by this many times the least.
constexpr double kMoreThanLeast = 2.0;
// At most, unless the caller says: more is an overlap, not contact.
constexpr double kMostRelief = 0.01;

}  // namespace

Mesh together(std::span<const DisassemblyPart> parts, const PartSet& which) {
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
  for (const std::size_t i : which) {
    // Parts inside a part are of no interest here.
    const Mesh& mesh = parts[i].mesh;
    Result<Mesh> plain = Mesh::make({mesh.vertices().begin(), mesh.vertices().end()},
                                    {mesh.faces().begin(), mesh.faces().end()});
    meshes.push_back(plain.ok() ? std::move(plain).value() : mesh);
    names.push_back(parts[i].name);
  }
  Result<Mesh> all = merged(meshes, names);
  return all.ok() ? std::move(all).value() : Mesh();
}

Bodies::Bodies(std::span<const DisassemblyPart> parts, const DisassembleOptions& options)
    : parts_(parts), options_(options) {
  Box box;
  for (const DisassemblyPart& part : parts) box.include(part.mesh.bounds());
  size_ = box.diagonal();
}

Status Bodies::build() {
  for (const DisassemblyPart& part : parts_) {
    BvhOptions tree;
    tree.threads = options_.threads;
    Result<Model> model = Model::build(part.mesh, tree);
    if (!model) {
      Error error = model.error();
      error.place = "part '" + part.name + "'";
      return error;
    }
    standing_.push_back(std::move(model).value());
  }
  moving_.resize(parts_.size());
  parallel_for(options_.threads, parts_.size(), [&](std::size_t i) {
    PartSet others;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (k != i) others.push_back(k);
    }
    const Result<Model> obstacles = Model::build(together(parts_, others));
    if (obstacles.ok() && !is_cancelled(options_.monitor)) {
      moving_[i] = relieve(parts_[i].mesh, *obstacles);
    }
  });
  return {};
}

std::size_t Bodies::largest(const PartSet& parts) const {
  std::size_t best = parts.front();
  for (const std::size_t i : parts) {
    if (parts_[i].mesh.bounds().diagonal() > parts_[best].mesh.bounds().diagonal()) best = i;
  }
  return best;
}

PartSet Bodies::overlapped_by(std::size_t part, const PartSet& left) const {
  PartSet result;
  for (const std::size_t other : left) {
    if (other != part && collide(standing_[other], standing_[part], Pose::identity()).hit) {
      result.push_back(other);
    }
  }
  return result;
}

bool Bodies::near(std::size_t a, std::size_t b, double limit) const {
  return within(standing_[a], standing_[b], Pose::identity(), limit).within;
}

Bodies::Moving Bodies::relieve(const Mesh& mesh, const Model& obstacles) const {
  Moving result;
  const Result<Model> body = Model::build(mesh);
  if (!body.ok()) {
    result.overlaps = true;
    return result;
  }
  const PlanProblem problem{*body, obstacles, Pose::identity(), {}, {}, options_.clearance};
  const auto is_free = [&](const Model& model) {
    return !within(obstacles, model, problem.start, options_.clearance).within;
  };
  if (is_free(*body)) {
    result.body = *body;
    result.start.free = true;
    return result;
  }
  const double diagonal = mesh.bounds().diagonal();
  const double limit = options_.touching < 0.0 ? kMostRelief * diagonal + 2.0 * options_.clearance
                                               : options_.touching;
  Result<Relief> least = relieve_start(problem, limit);
  if (!least) {
    result.overlaps = true;
    result.start = look_at(problem, problem.start, {}, false);
    return result;
  }
  result.start = least->before;
  result.body = least->body;
  result.relief = least->depth;
  const double useful =
      std::min(limit, std::max(kMoreThanLeast * least->depth, kUsefulRelief * diagonal));
  const Result<Model> more = Model::build(relieved(mesh, useful));
  if (more.ok() && is_free(*more)) {
    result.body = *more;
    result.relief = useful;
  }
  return result;
}

Bodies::Moving Bodies::moving(const PartSet& parts) const {
  if (parts.size() == 1) return moving_[parts.front()];
  {
    const std::scoped_lock lock(mutex_);
    const auto known = groups_.find(parts);
    if (known != groups_.end()) return known->second;
  }
  // Relieved against everything else that ever stands around it.
  PartSet others;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (!std::binary_search(parts.begin(), parts.end(), k)) others.push_back(k);
  }
  Moving result;
  const Result<Model> obstacles = Model::build(together(parts_, others));
  if (obstacles.ok()) result = relieve(together(parts_, parts), *obstacles);
  const std::scoped_lock lock(mutex_);
  groups_.emplace(parts, result);
  return result;
}

std::optional<PlanProblem> Bodies::problem(const PartSet& parts, const PartSet& present) const {
  const Moving body = moving(parts);
  if (!body.body || body.overlaps || present.empty()) return std::nullopt;
  const Result<Model> obstacles = Model::build(together(parts_, present));
  if (!obstacles.ok()) return std::nullopt;
  return PlanProblem{*body.body, *obstacles, Pose::identity(), {}, {}, options_.clearance};
}

double Bodies::relief(const PartSet& parts) const { return moving(parts).relief; }

}  // namespace clearance::detail
