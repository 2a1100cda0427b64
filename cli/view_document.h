// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What there is to see of a result: things in space, how they move, and the numbers beside them.
// Every kind of result becomes one (view_<kind>.cpp); the page in the browser (view_page.h) and the
// pictures of `clearance render` (render_picture.h) show it, and so show the same. Lengths are in
// the unit of the document, metres but for molecules; poses are world_from_item.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>
#include <clearance/picture/picture.h>
#include <clearance/picture/plot.h>

namespace clearance::cli {

/// How good something is. Each has a colour of its own on page and picture.
enum class ViewState : std::uint8_t { Bad, Warning, Allowed, Good, Neutral };
[[nodiscard]] const char* name_of(ViewState state);
[[nodiscard]] Colour colour_of(ViewState state);
/// Of a robot inside a mesh coloured by a scale: none of the scale, and told from light and dark
/// backgrounds.
inline constexpr Colour kProbeColour{0.64, 0.34, 0.78};

/// How an item moves over the timeline. Between two moments poses turn at a constant rate while the
/// pivot goes straight, and points go straight.
struct ViewMotion {
  std::vector<double> times;  ///< ascending
  std::vector<Pose> poses;    ///< of the whole item, one a moment; or
  Vec3 pivot;                 ///< item frame: what goes straight
  /// Centres of the spheres, or both ends of each line, all of one moment after the other.
  std::vector<Vec3> points;
  bool steps = false;  ///< jumps from moment to moment instead
};

struct ViewSpan {
  double from = 0.0;
  double to = 0.0;
};

enum class ViewShape : std::uint8_t { Mesh, Spheres, Lines };

/// One line of the list of items.
struct ViewItem {
  std::string name;
  std::string group;  ///< heading in the list; may be empty
  ViewShape shape = ViewShape::Mesh;
  Mesh mesh;  ///< items that share a mesh share its memory on the page
  std::vector<Sphere> spheres;
  std::vector<Segment> lines;

  Pose world_from_item;
  Colour colour{0.62, 0.68, 0.75};
  double opacity = 1.0;
  double width = 2.0;    ///< of lines [pixels]
  bool visible = true;   ///< at first
  bool explodes = true;  ///< moves aside with the explode slider
  bool outlined = true;  ///< the sharp edges of a mesh are drawn
  /// One for each vertex, sphere or line; then `legend` tells the colours.
  std::vector<float> values;
  std::optional<std::size_t> legend;
  /// One for each vertex, sphere or line, instead of `colour`; or empty.
  std::vector<Colour> colours;
  std::optional<int> level;  ///< shown when the level slider is there
  /// Goes where this item goes, and is hidden with it: the boxes around a mesh that moves.
  std::optional<std::size_t> owner;
  std::optional<ViewMotion> motion;
  std::optional<ViewSpan> shown;  ///< of the timeline; always when absent
};

/// Numbers as colours, as colour_scale.h has them: low is warm, beyond high is grey.
struct ViewLegend {
  std::string title;  ///< with the unit: "distance [mm]"
  double low = 0.0;
  double high = 1.0;
  double units_per_one = 1.0;  ///< a label is the value times this
  bool high_is_warm = false;   ///< the other way round: for qualities
};

/// Where to look, and at what: the camera flies there, other items fade.
struct ViewFocus {
  std::string label;
  Vec3 point;
  double radius = 0.0;             ///< of what is to be seen there
  std::optional<Segment> line;     ///< drawn, with its length
  std::vector<std::size_t> items;  ///< stay as they are; all when empty
  std::optional<double> time;      ///< the slider goes there
  std::vector<std::size_t> show;   ///< shown only while this is looked at: the gripper of a pick
};

/// All pairs of some items.
struct ViewMatrix {
  struct Cell {
    std::size_t row = 0;
    std::size_t column = 0;
    ViewState state = ViewState::Neutral;
    std::string text;   ///< short: fits a cell
    std::string words;  ///< long: beside the pointer
    std::optional<std::size_t> focus;
  };
  std::string title;
  std::vector<std::string> labels;
  std::vector<std::size_t> items;  ///< of the labels
  std::vector<Cell> cells;
};

struct ViewTable {
  struct Row {
    std::vector<std::string> cells;
    ViewState state = ViewState::Neutral;
    std::optional<std::size_t> focus;
  };
  std::string title;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

struct ViewSeries {
  std::string name;
  std::vector<PlotPoint> points;  ///< x ascending; a NaN breaks the line
  bool dashed = false;
};

/// A chart below the view. Its x is the timeline's.
struct ViewPlot {
  std::string title;  ///< with the unit: "clearance [mm]"
  std::vector<ViewSeries> series;
  std::optional<double> limit;  ///< a line across: what is asked for
};

struct ViewMark {
  ViewSpan span;
  ViewState state = ViewState::Bad;
  std::string label;
  std::optional<std::size_t> focus;
};

struct ViewTimeline {
  std::string label;  ///< "time", "pose"
  std::string unit;   ///< "s"; may be empty
  double low = 0.0;
  double high = 1.0;
  double start = 0.0;    ///< where the slider stands at first
  double seconds = 8.0;  ///< to play all of it
  std::vector<ViewMark> marks;
};

/// A slider that leaves out lines and spheres of an item whose value is below. They come best
/// first.
struct ViewFilter {
  std::string label;
  std::vector<std::size_t> items;
  double low = 0.0;
  double high = 1.0;
};

struct ViewMessage {
  ViewState state = ViewState::Warning;
  std::string text;
};

/// Everything about one result.
struct ViewDocument {
  std::string kind;  ///< "clash", "plan", "mesh", ...; "error": only messages
  std::string title;
  std::string summary;
  ViewState state = ViewState::Neutral;  ///< of the summary
  std::string unit = "m";
  std::vector<std::array<std::string, 2>> facts;  ///< name and value
  std::vector<ViewMessage> messages;
  Vec3 towards_eye{1.0, -1.4, 0.9};
  std::optional<Box> region;  ///< what the camera shows at first; all that is visible when absent

  std::vector<ViewItem> items;
  std::vector<ViewLegend> legends;
  std::vector<ViewFocus> focuses;
  std::optional<std::size_t> first_focus;
  std::optional<ViewMatrix> matrix;
  std::vector<ViewTable> tables;
  std::vector<ViewPlot> plots;
  std::optional<ViewTimeline> timeline;
  std::optional<ViewFilter> filter;
  std::vector<std::string> levels;  ///< names, by the levels of the items
  std::size_t first_level = 0;
  bool live = false;  ///< follows what the server publishes (view_server.h)

  void warn(std::string text) { messages.push_back({ViewState::Warning, std::move(text)}); }
  std::size_t add(ViewItem item) {
    items.push_back(std::move(item));
    return items.size() - 1;
  }
};

/// A document that tells of an error and shows nothing.
[[nodiscard]] ViewDocument error_document(const std::string& title, const std::string& text);

/// A document as it goes to the page: JSON, and the arrays it points into (little-endian float32,
/// uint32 and int8, each at a multiple of four bytes).
struct ViewFiles {
  std::string json;
  std::string buffer;
};
[[nodiscard]] ViewFiles view_files(const ViewDocument& document);

}  // namespace clearance::cli
