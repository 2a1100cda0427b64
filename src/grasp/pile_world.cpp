// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/pile_world.h"

#include <cmath>

#if CLEARANCE_WITH_BULLET
#include <btBulletDynamicsCommon.h>
#endif

namespace clearance::detail {

#if CLEARANCE_WITH_BULLET
namespace {

/// [s] in the simulation's time. A part that fell by half its diagonal goes 2 % of it in a step: as
/// far as Bullet looks for contacts ahead (gContactBreakingThreshold), so that it is slowed down
/// before it gets into another.
constexpr double kTimeStep = 1.0 / 160.0;
constexpr double kGravity = 9.81;  ///< [m/s²]
/// Slower than this, in diagonals and radians a second, counts as still...
constexpr double kStillSpeed = 0.01;
constexpr double kStillTurn = 0.03;
/// ...when it lasts for so many steps. Shorter, and a part at the top of its bounce would be still.
constexpr int kStillSteps = 12;
/// Speed lost in a second, as fractions. Parts of metal on metal come to rest this way or longer;
/// where they come to rest hardly depends on it.
constexpr double kLinearDamping = 0.1;
constexpr double kAngularDamping = 0.3;
/// Round parts would roll for ever.
constexpr double kRollingFriction = 0.002;
/// Of the solver: twice Bullet's own, since piles are stacks.
constexpr int kSolverIterations = 20;
/// How often cancellation is looked at [steps].
constexpr int kStepsBetweenLooks = 50;

btVector3 to_bullet(const Vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

struct PileWorld::State {
  // In the order in which they are made; Bullet's objects know each other by address.
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> fixed;
  std::vector<std::unique_ptr<btRigidBody>> parts;
  btCompoundShape* part_shape = nullptr;
  btVector3 inertia;
  double friction = 0.0;
  double unit = 1.0;  // metres in a length of the simulation
  double time = 0.0;  // of the simulation [s]

  template <class Shape, class... Arguments>
  Shape* make_shape(Arguments&&... arguments) {
    auto shape = std::make_unique<Shape>(std::forward<Arguments>(arguments)...);
    Shape* raw = shape.get();
    shapes.push_back(std::move(shape));
    return raw;
  }

  void add_fixed(btCollisionShape* shape, const btVector3& at) {
    btRigidBody::btRigidBodyConstructionInfo info(0.0, nullptr, shape);
    info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), at);
    info.m_friction = friction;
    fixed.push_back(std::make_unique<btRigidBody>(info));
    world.addRigidBody(fixed.back().get());
  }

  [[nodiscard]] bool is_still() const {
    for (const auto& part : parts) {
      if (!part->isActive()) continue;
      if (part->getLinearVelocity().length2() > kStillSpeed * kStillSpeed ||
          part->getAngularVelocity().length2() > kStillTurn * kStillTurn)
        return false;
    }
    return true;
  }
};

bool PileWorld::is_built_in() { return true; }

PileWorld::PileWorld(const FallingPart& part, std::span<const Box> walls)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.unit = part.diagonal;
  s.friction = part.friction;
  s.world.setGravity({0.0, 0.0, -kGravity});
  s.world.getDispatchInfo().m_deterministicOverlappingPairs = true;
  // Contacts are looked for as far ahead for small pieces as for large ones.
  s.dispatcher.setDispatcherFlags(
      s.dispatcher.getDispatcherFlags() &
      ~btCollisionDispatcher::CD_USE_RELATIVE_CONTACT_BREAKING_THRESHOLD);
  s.world.getSolverInfo().m_numIterations = kSolverIterations;
  const double margin = part.margin / s.unit;

  s.part_shape = s.make_shape<btCompoundShape>(true, static_cast<int>(part.pieces.size()));
  for (const std::vector<Vec3>& piece : part.pieces) {
    auto* hull = s.make_shape<btConvexHullShape>();
    for (const Vec3& corner : piece) hull->addPoint(to_bullet(corner / s.unit), false);
    hull->recalcLocalAabb();
    hull->setMargin(margin);
    s.part_shape->addChildShape(btTransform::getIdentity(), hull);
  }
  s.part_shape->setMargin(margin);
  s.inertia = to_bullet(part.inertia / (s.unit * s.unit));

  s.add_fixed(s.make_shape<btStaticPlaneShape>(btVector3(0.0, 0.0, 1.0), 0.0), {0.0, 0.0, 0.0});
  for (const Box& wall : walls) {
    auto* box = s.make_shape<btBoxShape>(to_bullet(0.5 * wall.size() / s.unit));
    box->setMargin(margin);
    s.add_fixed(box, to_bullet(wall.center() / s.unit));
  }
}

PileWorld::~PileWorld() {
  for (const auto& part : state_->parts) state_->world.removeRigidBody(part.get());
  for (const auto& body : state_->fixed) state_->world.removeRigidBody(body.get());
}

void PileWorld::add(const Pose& world_from_body) {
  State& s = *state_;
  const Quaternion q = quaternion_from(world_from_body.rotation);
  btRigidBody::btRigidBodyConstructionInfo info(1.0, nullptr, s.part_shape, s.inertia);
  info.m_startWorldTransform =
      btTransform({q.x, q.y, q.z, q.w}, to_bullet(world_from_body.translation / s.unit));
  info.m_friction = s.friction;
  info.m_rollingFriction = kRollingFriction;
  info.m_spinningFriction = kRollingFriction;
  info.m_linearDamping = kLinearDamping;
  info.m_angularDamping = kAngularDamping;
  s.parts.push_back(std::make_unique<btRigidBody>(info));
  s.world.addRigidBody(s.parts.back().get());
}

void PileWorld::remove(std::size_t body) {
  State& s = *state_;
  s.world.removeRigidBody(s.parts[body].get());
  s.parts.erase(s.parts.begin() + static_cast<std::ptrdiff_t>(body));
}

std::size_t PileWorld::size() const { return state_->parts.size(); }

Pose PileWorld::world_from_body(std::size_t body) const {
  const btTransform& t = state_->parts[body]->getWorldTransform();
  const btQuaternion q = t.getRotation();
  const btVector3& p = t.getOrigin();
  return {rotation_from({q.x(), q.y(), q.z(), q.w()}), state_->unit * Vec3{p.x(), p.y(), p.z()}};
}

bool PileWorld::settle(double longest, Monitor* monitor) {
  State& s = *state_;
  const int most = static_cast<int>(std::ceil(longest / kTimeStep));
  int still = 0;
  for (int step = 0; step < most; ++step) {
    if (step % kStepsBetweenLooks == 0 && is_cancelled(monitor)) return false;
    s.world.stepSimulation(kTimeStep, 0);
    s.time += kTimeStep;
    still = s.is_still() ? still + 1 : 0;
    if (still < kStillSteps) continue;
    // Bullet would wait two seconds before it lets them sleep; those that the next part hits wake.
    for (const auto& part : s.parts) {
      part->setLinearVelocity({0.0, 0.0, 0.0});
      part->setAngularVelocity({0.0, 0.0, 0.0});
      part->setActivationState(ISLAND_SLEEPING);
    }
    return true;
  }
  return false;
}

double PileWorld::time() const { return state_->time * std::sqrt(state_->unit); }

#else

struct PileWorld::State {};
bool PileWorld::is_built_in() { return false; }
PileWorld::PileWorld(const FallingPart& /*part*/, std::span<const Box> /*walls*/) {}
PileWorld::~PileWorld() = default;
void PileWorld::add(const Pose& /*world_from_body*/) {}
void PileWorld::remove(std::size_t /*body*/) {}
std::size_t PileWorld::size() const { return 0; }
Pose PileWorld::world_from_body(std::size_t /*body*/) const { return {}; }
bool PileWorld::settle(double /*longest*/, Monitor* /*monitor*/) { return false; }
double PileWorld::time() const { return 0.0; }

#endif

}  // namespace clearance::detail
