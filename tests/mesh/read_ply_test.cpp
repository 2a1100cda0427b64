// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/mesh/read.h>

namespace clearance {
namespace {

// Appends values to a binary file in either byte order.
class Bytes {
 public:
  explicit Bytes(bool big) : big_(big) {}
  template <class T>
  Bytes& put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (big_) std::reverse(raw, raw + sizeof(T));
    text_.append(raw, sizeof(T));
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  bool big_;
  std::string text_;
};

Result<LoadedAssembly> parse(const std::string& bytes) {
  ReadOptions options;
  options.weld = false;
  return parse_assembly(bytes, "x.ply", options);
}

std::string message(const Result<LoadedAssembly>& result) {
  return result.ok() ? "read" : result.error().message();
}

Mesh mesh_of(const std::string& bytes) {
  const Result<LoadedAssembly> loaded = parse(bytes);
  EXPECT_TRUE(loaded.ok()) << message(loaded);
  return loaded.ok() ? loaded->assembly.parts.at(0).mesh : Mesh();
}

std::string header(const std::string& format, std::uint64_t vertices, std::uint64_t faces) {
  return "ply\nformat " + format + " 1.0\ncomment x\nelement vertex " + std::to_string(vertices) +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
         std::to_string(faces) + "\nproperty list uchar int vertex_indices\nend_header\n";
}

const std::string kAscii = header("ascii", 4, 1) + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";

std::string binary(bool big, std::uint8_t face_size = 3, std::int32_t last = 2) {
  Bytes bytes(big);
  for (const int value : {0, 0, 0, 1, 0, 0, 0, 1, 0}) bytes.put(static_cast<float>(value));
  bytes.put(face_size);
  for (const std::int32_t index : {0, 1}) bytes.put(index);
  bytes.put(last);
  return header(big ? "binary_big_endian" : "binary_little_endian", 3, 1) + bytes.text();
}

TEST(ReadPly, ReadsTextAndBothByteOrders) {
  const Mesh text = mesh_of(kAscii);
  EXPECT_EQ(text.triangle_count(), 2u);
  EXPECT_EQ(text.faces()[1], (Face{0, 2, 3}));
  EXPECT_EQ(text.vertices()[2], (Vec3{1, 1, 0}));
  for (const bool big : {false, true}) {
    const Mesh mesh = mesh_of(binary(big));
    ASSERT_EQ(mesh.triangle_count(), 1u);
    EXPECT_EQ(mesh.faces()[0], (Face{0, 1, 2}));
    EXPECT_EQ(mesh.vertices()[2], (Vec3{0, 1, 0}));
  }
  EXPECT_EQ(parse(binary(true))->info.format, "binary big-endian PLY");
}

// Every type, properties in odd order, lists in vertices, elements before, between and after.
TEST(ReadPly, ReadsAnyOrderAndTypesAndSkipsOtherElements) {
  const std::string declarations =
      "obj_info odd\nelement camera 2\nproperty list ushort double views\nproperty short id\n"
      "element face 2\nproperty uchar red\nproperty list int ushort vertex_index\n"
      "property list char float texcoord\n"
      "element vertex 4\nproperty double z\nproperty list uchar uchar tags\nproperty int8 x\n"
      "property uint16 q\nproperty float32 y\nelement tail 1\nproperty int64_is_no_type t\n";
  const std::string good = declarations.substr(0, declarations.find("element tail")) +
                           "element edge 1\nproperty uint a\n";
  for (const bool big : {false, true}) {
    Bytes bytes(big);
    bytes.put<std::uint16_t>(2).put(1.5).put(2.5).put<std::int16_t>(-7);
    bytes.put<std::uint16_t>(0).put<std::int16_t>(9);
    bytes.put<std::uint8_t>(200).put<std::int32_t>(4);
    for (const int index : {0, 1, 2, 3}) bytes.put(static_cast<std::uint16_t>(index));
    bytes.put<std::int8_t>(2).put(0.5f).put(0.25f);
    bytes.put<std::uint8_t>(1).put<std::int32_t>(3);
    for (const int index : {3, 2, 0}) bytes.put(static_cast<std::uint16_t>(index));
    bytes.put<std::int8_t>(0);
    for (int i = 0; i < 4; ++i) {
      bytes.put(10.0 * i).put<std::uint8_t>(static_cast<std::uint8_t>(i));
      for (int tag = 0; tag < i; ++tag) bytes.put<std::uint8_t>(0);
      bytes.put<std::int8_t>(static_cast<std::int8_t>(-i)).put<std::uint16_t>(7).put(0.5f);
    }
    bytes.put<std::uint32_t>(1);
    const std::string format = big ? "binary_big_endian" : "binary_little_endian";
    const Mesh mesh =
        mesh_of("ply\r\nformat " + format + " 1.0\r\n" + good + "end_header\r\n" + bytes.text());
    ASSERT_EQ(mesh.triangle_count(), 3u);
    EXPECT_EQ(mesh.faces()[2], (Face{3, 2, 0}));
    EXPECT_EQ(mesh.vertices()[3], (Vec3{-3, 0.5, 30}));
  }
  const Mesh text =
      mesh_of("ply\nformat ascii 1.0\n" + good +
              "end_header\n2 1.5 2.5 -7\n0 9\n200 4 0 1 2 3 2 .5 .25\n1 3 3 2 0 0\n"
              "0 0 0 7 .5\n\n10 1 0 -1 7 .5\n20 2 0 0 -2 7 .5\n30 3 0 0 0 -3 7 .5\n1");
  ASSERT_EQ(text.triangle_count(), 3u);
  EXPECT_EQ(text.vertices()[3], (Vec3{-3, 0.5, 30}));
  EXPECT_NE(message(parse("ply\nformat ascii 1.0\n" + declarations + "end_header\n"))
                .find("line 18: unknown type 'int64_is_no_type'"),
            std::string::npos);
}

TEST(ReadPly, ReadsTriangleStrips) {
  const Mesh mesh = mesh_of(
      "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n"
      "property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n9 0 1 2 3 4 -1 2 1 0\n");
  const std::vector<Face> expected{Face{0, 1, 2}, Face{2, 1, 3}, Face{2, 3, 4}, Face{2, 1, 0}};
  EXPECT_EQ(std::vector<Face>(mesh.faces().begin(), mesh.faces().end()), expected);
}

TEST(ReadPly, ReadsHeadersWithBareCarriageReturns) {
  std::string head = header("binary_little_endian", 3, 1);
  std::replace(head.begin(), head.end(), '\n', '\r');
  // The first byte of data looks like the LF of a CR LF.
  Bytes bytes(false);
  const float odd = std::bit_cast<float>(0x3f80000au);
  for (const float value : {odd, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f}) bytes.put(value);
  bytes.put<std::uint8_t>(3);
  for (const std::int32_t index : {0, 1, 2}) bytes.put(index);
  EXPECT_EQ(mesh_of(head + bytes.text()).vertices()[0].x, odd);
}

TEST(ReadPly, WarnsOfBytesAfterTheLastElement) {
  const Result<LoadedAssembly> loaded = parse(binary(false) + "rest");
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->info.warnings.size(), 1u);
  EXPECT_NE(loaded->info.warnings[0].find("last 4 bytes"), std::string::npos);
}

TEST(ReadPly, RefusesWithPlaceAndReason) {
  const std::string little = binary(false);
  std::string not_finite = little;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::size_t data = header("binary_little_endian", 3, 1).size();
  std::memcpy(not_finite.data() + data + 16, &nan, 4);
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const struct {
    std::string bytes;
    std::string expected;
  } cases[] = {
      {replaced(little, "vertex 3", "vertex 4000000000"),
       "x.ply: line 4: promises 4000000000 of 'vertex'"},
      {replaced(little, "face 1", "face 18446744073709551615"),
       "an element needs a name and a count"},
      {replaced(little, "face 1", "face 9223372036854775807"), "line 8: promises"},
      {replaced(little, "face 1", "face -1"), "line 8: an element needs a name and a count"},
      {replaced(little, "face 1", "face 2"), "the file ends before"},
      {little.substr(0, little.size() - 1), "which the file cannot hold"},
      {binary(false, 2), "a face has at least three vertices, this one has 2"},
      {binary(false, 255), "byte " + std::to_string(data + 36) + ": a list of 255 values"},
      {binary(false, 3, 3), "uses vertex 3, but there are only 3"},
      {binary(true, 3, -1), "uses vertex -1, but there are only 3"},
      {not_finite,
       "byte " + std::to_string(data + 12) + ": a coordinate of vertex 1 is not finite"},
      {replaced(kAscii, "1 1 0", "1 1 nan"), "line 13: a coordinate of vertex 2 is not finite"},
      {replaced(kAscii, "1 1 0", "1 1 0 7"), "line 13: the line has more values"},
      {replaced(kAscii, "1 1 0", "1 1"), "line 13: the line has fewer values"},
      {replaced(kAscii, "1 1 0", "1 1 x"), "line 13: 'x' is not a number"},
      {replaced(kAscii, "4 0 1 2 3", "4 0 1 2 4"), "line 15: uses vertex 4, but there are only 4"},
      {replaced(kAscii, "4 0 1 2 3", "4 0 1 2 3.5"), "line 15: '3.5' is not a whole number"},
      {replaced(kAscii, "4 0 1 2 3", "-4 0 1 2 3"), "line 15: a list of -4 values"},
      {replaced(kAscii, "float z", "float w"), "the vertices have no property 'z'"},
      {replaced(kAscii, "vertex_indices", "indices"), "has no list 'vertex_indices'"},
      {replaced(kAscii, "property float z\n", "property float z\nproperty float z\n"),
       "line 8: a second property 'z'"},
      {replaced(kAscii, "ply", "plx"), "line 1: does not begin with 'ply'"},
      {replaced(kAscii, "end_header", "end_heade"), "is no PLY header line"},
      {replaced(kAscii, "ascii 1.0", "ascii 2.0"), "line 2: version '2.0' instead of 1.0"},
  };
  for (const auto& c : cases) {
    const std::string text = message(parse(c.bytes));
    EXPECT_NE(text.find(c.expected), std::string::npos) << text << "\nexpected " << c.expected;
  }
}

}  // namespace
}  // namespace clearance
