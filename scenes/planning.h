// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Planning problems by name, for tests, benchmarks and tuning: classics of our own making, easy to
// hard, and real ones where their files are present.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/plan/path.h>
#include <clearance/plan/problem.h>

namespace clearance::scenes {

struct PlanningScene {
  std::string name;
  PlanProblem problem;
  /// A path that is known to be free, where the construction gives one.
  std::optional<PlanPath> known;
};

struct PlanningSceneInfo {
  std::string name;
  std::string description;  ///< one line
  bool needs_data = false;  ///< reads files of the data folder
};

/// All scenes, generated ones first, from easy to hard.
[[nodiscard]] const std::vector<PlanningSceneInfo>& planning_scenes();

/// Makes or reads the scene of that name. `data`: the folder of real files (SOURCES.md describes
/// it), may be empty. Errors: NotFound for a name that is not in the list, or a file that is
/// absent.
[[nodiscard]] Result<PlanningScene> planning_scene(const std::string& name,
                                                   const std::filesystem::path& data = {});

// The generated ones, with how much room they leave. The same arguments give the same bits.

/// A stick in a box whose only way out is a square tube that reaches inward: `play` is what the
/// tube is wider than the stick (0.1 thick, 0.35 long) [m].
[[nodiscard]] PlanningScene bug_trap(double play);
/// A stick (0.1 x 0.1 x 0.5) through `plates` walls with a window each, never two in line; the
/// chambers between are 0.6 deep, so that the stick gets through one window before the next.
[[nodiscard]] PlanningScene maze_of_plates(int plates, double play);
/// A stick (0.15 x 0.15 x 1.3) through a tunnel of square cells, 1 m wide less what `narrower`
/// takes away on each side, that turns in all directions. At 0.22 it hardly gets round a corner.
[[nodiscard]] PlanningScene twisty_tunnel(int cells, double narrower);
/// An L of two arms (0.6 long, 0.1 thick) through a square window: must turn in it. `window`: side
/// as a multiple of the thickness; below 1.62, that is sqrt(2) and half of the wall's 0.4, there is
/// no way.
[[nodiscard]] PlanningScene l_through_window(double window);
/// An upright piano (1.5 x 0.65 x 1.2) from the living room through two doors of this width [m].
[[nodiscard]] PlanningScene piano_in_apartment(double door);
/// A ring off a pipe with several bends, standing on a wall; `play`: radius of the hole beyond that
/// of the pipe (0.05) [m].
[[nodiscard]] PlanningScene ring_on_pipe(double play);
/// A round peg (20 mm) out of its hole, 40 mm deep; `play` on the radius [m].
[[nodiscard]] PlanningScene peg_in_hole(double play);
/// A ring off a coil spring, threaded on its wire: only along the wire, turn by turn. `gap`: room
/// between the turns beyond the thickness of the ring [m]; the wire is 0.1 thick.
[[nodiscard]] PlanningScene ring_on_coil(double gap);
/// Two coils of two turns wound into each other: they part by turning only. `gap` between their
/// wires along the axis [m]; the wires are 0.1 thick.
[[nodiscard]] PlanningScene twin_coils(double gap);
/// A small L through a large window, past a pillar and a shelf: hardly a problem.
[[nodiscard]] PlanningScene wall_with_windows();
/// An L (1.4 and 0.9 long, 0.2 thick) from a cubicle of a large office to the one above it, by a
/// square hole in the other corner of the floor between; `opening`: its side [m].
[[nodiscard]] PlanningScene cubicles(double opening);
/// A table (1.2 x 0.8 x 0.75) from one furnished room to another, by a corridor; `door`: width [m].
/// Below 0.75 its legs must be threaded through.
[[nodiscard]] PlanningScene table_through_home(double door);
/// A crank (three arms, 0.1 thick) through a wall whose window shifts to the side and up inside it;
/// `window`: side as a multiple of the thickness.
[[nodiscard]] PlanningScene crank_through_wall(double window);
/// A bow of three bars (0.8 x 0.6) through a room full of pipes of this radius [m].
[[nodiscard]] PlanningScene bow_through_pipes(int pipes, double radius);
/// Six arms (0.35 long, 0.1 thick) through grids of bars at this spacing [m]: one arm after the
/// other.
[[nodiscard]] PlanningScene jack_through_grids(int grids, double spacing);
/// A grand piano (1.4 x 1.95 x 1.3) from the parlour of a flat to its music room: out into the
/// hall, round its corner and through the doors of other rooms; `door`: width [m].
[[nodiscard]] PlanningScene grand_piano_through_flat(double door);
/// A star of five bars that are in no plane (0.9 across) through a room (5 m) where so many boxes
/// and bars hang about, turned anyhow.
[[nodiscard]] PlanningScene star_through_clutter(int pieces);
/// A hook of four bars (0.5 long) through a room (3.6 m) of pipes with four to eight bends each;
/// `radius` of the pipes [m].
[[nodiscard]] PlanningScene hook_among_elbows(int pipes, double radius);
/// A ball (0.3) with a handle (1.3 long) out of a cage of bars 0.13 apart, through which the handle
/// stands at first: `gap`: the width of the only gap for the ball, on the other side [m].
[[nodiscard]] PlanningScene ball_out_of_cage(double gap);
/// A stick (1 long, 0.2 thick) through a slot in a wall (0.72 thick) of six slabs, each turned a
/// bit more than the one before; `slot`: its narrow side, the other is 0.7 [m].
[[nodiscard]] PlanningScene stick_through_winding_slot(double slot);
/// A hook through two wavy sheets without thickness, in a closed room without thickness: surfaces,
/// not solids, hundreds of metres large. `hole`: radius of their holes, in parts of 250 m; the hook
/// is 0.9 long.
[[nodiscard]] PlanningScene hook_through_sheets(double hole);
/// A stick into a ring: `play`: radius of the hole beyond the half diagonal of the stick [m].
[[nodiscard]] PlanningScene stick_in_ring(double play);

}  // namespace clearance::scenes
