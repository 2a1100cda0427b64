// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of grasp files (docs/grasp.md): a header, then grasps, contacts and segments, as all
// sealed files have them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <clearance/grasp/grasp.h>

#include "base/sealed_file.h"

namespace clearance::detail {

inline constexpr std::array<char, 8> kGraspFileMagic{'C', 'L', 'E', 'A', 'R', 'G', 'R', 'P'};
/// Raise it with every change of this header or of what follows it.
inline constexpr std::uint32_t kGraspFileVersion = 2;

struct GraspFileHeader {
  FileSeal seal;
  std::uint64_t grasp_count = 0;
  std::uint64_t contact_count = 0;
  std::uint64_t segment_count = 0;
  std::uint64_t sampled = 0;
  std::uint64_t free = 0;
  std::uint64_t feasible = 0;
  std::uint64_t robust = 0;
  double step = 0.0;
  double theta_step = 0.0;
  double phi_step = 0.0;
  std::array<double, 3> mass_center{};
  double largest_radius = 0.0;
  std::uint64_t part_fingerprint = 0;
  std::uint64_t gripper_fingerprint = 0;
  /// Of a gripper of boxes: opening, width, thickness and length of the fingers, tip, palm; zeros
  /// for any other.
  std::array<double, 8> gripper_sizes{};
  std::array<std::uint64_t, 4> reserved{};
};
static_assert(sizeof(GraspFileHeader) == 256 && sizeof(GraspFileHeader) % kSectionAlignment == 0);
inline constexpr FileKind kGraspFile{kGraspFileMagic, kGraspFileVersion, sizeof(GraspFileHeader),
                                     "grasp file", "make it again with clearance grasp"};

struct GraspRecord {
  std::array<double, 9> rotation{};  // row after row
  std::array<double, 3> translation{};
  double width = 0.0;
  double stability = 0.0;
  double robustness = 0.0;
  double quality = 0.0;
  std::array<std::uint32_t, 4> sample{};  // segment, along, theta, phi
  std::uint32_t first_contact = 0;
  std::uint32_t contact_count = 0;
};
static_assert(sizeof(GraspRecord) == 152);

struct ContactRecord {
  std::array<double, 3> point{};
  std::array<double, 3> inward{};
  std::uint64_t finger = 0;
};
static_assert(sizeof(ContactRecord) == 56);

struct SegmentRecord {
  std::array<double, 6> ends{};
};
static_assert(sizeof(SegmentRecord) == 48);

}  // namespace clearance::detail
