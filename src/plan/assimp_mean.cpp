// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/assimp_mean.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <clearance/base/file.h>

#include "mesh/dae_document.h"

namespace clearance::detail {
namespace {

/// Normals, texture coordinates and colours closer than this are joined, in the unit of the file.
constexpr double kJoined = 1e-5;
/// Vertices at one place that a new one is compared with. Real files have some dozen; a file that
/// is built to have more must not take forever.
constexpr std::size_t kMostCompared = 256;

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

/// All that tells vertices at one place from each other: normal, texture coordinates, colour.
using Attributes = std::vector<Vec3>;

/// Sum and number of different vertices.
class VertexSum {
 public:
  void add(const Vec3& position, const Attributes& attributes) {
    // Single precision, as the library keeps it; -0 is 0.
    std::array<float, 3> narrow{};
    for (std::size_t i = 0; i < 3; ++i) narrow[i] = static_cast<float>(position[i]) + 0.0F;
    std::vector<Attributes>& here =
        seen_[std::string(reinterpret_cast<const char*>(narrow.data()), sizeof narrow)];
    const std::size_t first = here.size() - std::min(here.size(), kMostCompared);
    for (std::size_t i = first; i < here.size(); ++i)
      if (is_same(here[i], attributes)) return;
    here.push_back(attributes);
    sum_ += position;
    ++count_;
  }
  /// What comes next is another list of triangles or lines.
  void next_list() { seen_.clear(); }
  [[nodiscard]] const Vec3& sum() const { return sum_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  static bool is_same(const Attributes& a, const Attributes& b) {
    return std::ranges::equal(a, b,
                              [](const Vec3& x, const Vec3& y) { return norm(x - y) <= kJoined; });
  }

  std::unordered_map<std::string, std::vector<Attributes>> seen_;  // by the bytes of the place
  Vec3 sum_;
  std::size_t count_ = 0;
};

/// The vertices of a COLLADA file, as assimp makes them.
class DaeVertices {
 public:
  explicit DaeVertices(const DaeDocument& document) : document_(document) {}

  /// The sum of positions of one geometry, in its own frame.
  Result<VertexSum> read(pugi::xml_node geometry) {
    VertexSum sum;
    const pugi::xml_node mesh =
        geometry.child("mesh") ? geometry.child("mesh") : geometry.child("convex_mesh");
    for (const pugi::xml_node element : mesh.children()) {
      const std::string_view tag = element.name();
      const bool is_lines = tag == "lines" || tag == "linestrips";
      if (!is_lines && tag != "triangles" && tag != "polylist" && tag != "polygons" &&
          tag != "trifans" && tag != "tristrips")
        continue;
      sum.next_list();
      if (Status status = add_list(element, is_lines, sum); !status) return status.error();
    }
    return sum;
  }

 private:
  struct Source {
    std::vector<double> numbers;
    std::size_t stride = 1;
    std::size_t offset = 0;
    std::size_t width = 0;  // numbers of an element that count
    [[nodiscard]] std::optional<std::span<const double>> at(std::size_t i) const {
      const std::size_t first = offset + i * stride;
      if (i > numbers.size() || first + width > numbers.size()) return std::nullopt;
      return std::span(numbers).subspan(first, width);
    }
  };
  struct Input {
    const Source* source = nullptr;
    std::size_t offset = 0;
  };
  struct Layout {
    std::vector<Input> inputs;  // the first is the position
    std::size_t stride = 1;
    bool has_normals = false;
  };

  static std::size_t whole(pugi::xml_node element, const char* attribute, std::size_t absent) {
    const std::string_view text = element.attribute(attribute).value();
    std::size_t value = absent;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  Result<const Source*> source_of(pugi::xml_node input) {
    const Result<pugi::xml_node> element = document_.referred(input, "source", "source");
    if (!element) return element.error();
    const auto known = sources_.find(element->hash_value());
    if (known != sources_.end()) return &known->second;
    const pugi::xml_node accessor = element->child("technique_common").child("accessor");
    const Result<pugi::xml_node> array = document_.referred(accessor, "source", "float_array");
    if (!array) return array.error();
    Result<std::vector<double>> numbers = document_.numbers(*array);
    if (!numbers) return numbers.error();
    Source source{std::move(*numbers), whole(accessor, "stride", 1), whole(accessor, "offset", 0),
                  0};
    if (source.stride == 0 || source.stride > kMostStride || source.offset > source.numbers.size())
      return document_.malformed(accessor, "its stride or offset is out of range");
    source.width = std::min<std::size_t>(source.stride, 3);
    return &sources_.emplace(element->hash_value(), std::move(source)).first->second;
  }

  /// The inputs of a list of primitives, those of <vertices> among them.
  Result<Layout> layout_of(pugi::xml_node element) {
    Layout layout;
    std::vector<Input> others;
    const auto add = [&](pugi::xml_node input, std::size_t offset) -> Status {
      const std::string_view semantic = input.attribute("semantic").value();
      const Result<const Source*> source = source_of(input);
      if (!source) return source.error();
      if (semantic == "POSITION")
        layout.inputs.push_back({*source, offset});
      else
        others.push_back({*source, offset});
      layout.has_normals = layout.has_normals || semantic == "NORMAL";
      return {};
    };
    for (const pugi::xml_node input : element.children("input")) {
      const std::size_t offset = whole(input, "offset", 0);
      if (offset >= kMostStride) return document_.malformed(input, "its offset is out of range");
      layout.stride = std::max(layout.stride, offset + 1);
      const std::string_view semantic = input.attribute("semantic").value();
      if (semantic == "VERTEX") {
        const Result<pugi::xml_node> vertices = document_.referred(input, "source", "vertices");
        if (!vertices) return vertices.error();
        for (const pugi::xml_node own : vertices->children("input"))
          if (Status status = add(own, offset); !status) return status.error();
      } else if (semantic == "NORMAL" || semantic == "TEXCOORD" || semantic == "COLOR") {
        if (Status status = add(input, offset); !status) return status.error();
      }
    }
    if (layout.inputs.size() != 1) return document_.malformed(element, "has no POSITION");
    layout.inputs.insert(layout.inputs.end(), others.begin(), others.end());
    if (layout.inputs.front().source->width != 3)
      return document_.malformed(element, "its positions are not three numbers");
    return layout;
  }

  Status add_list(pugi::xml_node element, bool is_lines, VertexSum& sum) {
    if (!element.child("p")) return {};
    const Result<Layout> layout = layout_of(element);
    if (!layout) return layout.error();
    const bool flat = !is_lines && !layout->has_normals;
    const Result<std::vector<std::uint32_t>> counts = corner_counts(element);
    if (!counts) return counts.error();
    std::size_t polygon = 0;
    for (const pugi::xml_node p : element.children("p")) {
      const Result<std::vector<std::uint32_t>> indices = document_.indices(p);
      if (!indices) return indices.error();
      const std::size_t corners = indices->size() / layout->stride;
      if (!flat) {
        for (std::size_t i = 0; i < corners; ++i)
          if (!add_corner(*layout, *indices, i, nullptr, sum))
            return document_.malformed(p, "uses a number that is not there");
        continue;
      }
      for (std::size_t first = 0; first < corners;) {
        const std::size_t count =
            polygon < counts->size() ? (*counts)[polygon] : fixed(element, corners);
        ++polygon;
        if (count > corners - first) return document_.malformed(p, "ends inside a polygon");
        if (count == 0) continue;
        if (!add_flat(*layout, *indices, first, count, sum))
          return document_.malformed(p, "uses a number that is not there");
        first += count;
      }
    }
    return {};
  }

  /// <vcount> of a polylist; nothing for others.
  [[nodiscard]] Result<std::vector<std::uint32_t>> corner_counts(pugi::xml_node element) const {
    if (!element.child("vcount")) return std::vector<std::uint32_t>();
    return document_.indices(element.child("vcount"));
  }
  /// Corners of a polygon where none are counted. Strips and fans are taken as one polygon.
  static std::size_t fixed(pugi::xml_node element, std::size_t corners) {
    return std::string_view(element.name()) == "triangles" ? 3 : corners;
  }

  static std::optional<Vec3> position(const Layout& layout,
                                      const std::vector<std::uint32_t>& indices,
                                      std::size_t corner) {
    const Input& input = layout.inputs.front();
    const auto numbers = input.source->at(indices[corner * layout.stride + input.offset]);
    if (!numbers) return std::nullopt;
    return Vec3{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
  }

  static bool add_corner(const Layout& layout, const std::vector<std::uint32_t>& indices,
                         std::size_t corner, const Vec3* normal, VertexSum& sum) {
    const std::optional<Vec3> place = position(layout, indices, corner);
    if (!place) return false;
    Attributes attributes;
    for (const Input& input : std::span(layout.inputs).subspan(1)) {
      const auto numbers = input.source->at(indices[corner * layout.stride + input.offset]);
      if (!numbers) return false;
      Vec3 attribute;
      for (std::size_t i = 0; i < numbers->size(); ++i) attribute[i] = (*numbers)[i];
      attributes.push_back(attribute);
    }
    if (normal != nullptr) attributes.push_back(*normal);
    sum.add(*place, attributes);
    return true;
  }

  /// The corners of a polygon with the normal of its plane.
  static bool add_flat(const Layout& layout, const std::vector<std::uint32_t>& indices,
                       std::size_t first, std::size_t count, VertexSum& sum) {
    Vec3 normal;
    const std::optional<Vec3> a = position(layout, indices, first);
    for (std::size_t i = 1; i + 1 < count; ++i) {
      const std::optional<Vec3> b = position(layout, indices, first + i);
      const std::optional<Vec3> c = position(layout, indices, first + i + 1);
      if (!a || !b || !c) return false;
      normal += cross(*b - *a, *c - *a);
    }
    normal = normalized(normal);
    for (std::size_t i = 0; i < count; ++i)
      if (!add_corner(layout, indices, first + i, &normal, sum)) return false;
    return true;
  }

  static constexpr std::size_t kMostStride = 1000;

  const DaeDocument& document_;
  std::unordered_map<std::size_t, Source> sources_;  // by <source> element
};

/// Formats whose normals we do not read: as if there were none.
Result<AssimpMean> mean_of_others(const std::string& path) {
  ReadOptions options;
  options.metres_per_unit = 1.0;
  const Result<LoadedAssembly> loaded = read_assembly(path, options);
  if (!loaded) return loaded.error();
  VertexSum sum;
  for (const AssemblyPart& part : loaded->assembly.parts) {
    sum.next_list();
    const Mesh mesh = transformed(part.mesh, part.world_from_part);
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
      const Triangle triangle = mesh.triangle(i);
      const Vec3 normal = normalized(cross(triangle.b - triangle.a, triangle.c - triangle.a));
      for (const Vec3& corner : {triangle.a, triangle.b, triangle.c}) sum.add(corner, {normal});
    }
  }
  return AssimpMean{(1.0 / static_cast<double>(sum.count())) * sum.sum(), sum.count(), true};
}

}  // namespace

Result<AssimpMean> assimp_mean_of_dae(std::string_view bytes, const std::string& path) {
  DaeDocument document;
  if (Status status = document.open(bytes, path); !status) return status.error();
  DaeVertices vertices(document);
  std::unordered_map<std::size_t, std::pair<Vec3, std::size_t>> known;  // by <geometry> element
  Vec3 sum;
  std::size_t count = 0;
  std::vector<std::string> warnings;
  Ignored ignored;
  const Status walked = walk_dae(
      document, {},
      [&](pugi::xml_node, pugi::xml_node geometry, const Affine& world_from_shape) -> Status {
        auto found = known.find(geometry.hash_value());
        if (found == known.end()) {
          const Result<VertexSum> own = vertices.read(geometry);
          if (!own) return own.error();
          found = known.emplace(geometry.hash_value(), std::pair(own->sum(), own->count())).first;
        }
        const auto& [local, number] = found->second;
        sum += world_from_shape.linear * local +
               static_cast<double>(number) * world_from_shape.translation;
        count += number;
        return {};
      },
      warnings, ignored);
  if (!walked) return walked.error();
  if (count == 0) return Error{ErrorCode::Malformed, path, "", "has no vertices", ""};
  return AssimpMean{(1.0 / static_cast<double>(count)) * sum, count, false};
}

Result<AssimpMean> assimp_mean(const std::string& path) {
  if (lower_extension(path) != ".dae") return mean_of_others(path);
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return assimp_mean_of_dae(file->text(), path);
}

Result<Mat3> assimp_turn(const std::string& path) {
  const Mat3 y_up_from_z_up = Mat3::from_columns({1, 0, 0}, {0, 0, -1}, {0, 1, 0});
  const std::string extension = lower_extension(path);
  // Our reader turned these to Z up; assimp leaves them Y up.
  if (extension == ".gltf" || extension == ".glb") return y_up_from_z_up;
  if (extension != ".dae") return Mat3::identity();
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  DaeDocument document;
  if (Status status = document.open(file->text(), path); !status) return status.error();
  const std::string up_axis = document.root().child("asset").child("up_axis").child_value();
  if (up_axis.find("Z_UP") != std::string::npos) return y_up_from_z_up;
  if (up_axis.find("X_UP") != std::string::npos)
    return Mat3::from_columns({0, 1, 0}, {-1, 0, 0}, {0, 0, 1});
  return Mat3::identity();
}

}  // namespace clearance::detail
