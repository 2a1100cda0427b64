// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <clearance/base/assert.h>
#include <clearance/base/file.h>
#include <clearance/chain/protein.h>

namespace clearance {
namespace {

/// A number in a field of `width` columns: decimal while it fits, then hybrid-36, that is, base 36
/// with a letter first, counted on from where decimals end. Nothing when that does not fit either.
std::optional<std::string> hybrid36(std::int64_t number, std::size_t width) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string text = std::to_string(number);
  if (text.size() <= width) return std::string(width - text.size(), ' ') + text;
  std::int64_t decimals = 1;
  std::int64_t last_place = 1;
  for (std::size_t i = 0; i < width; ++i) decimals *= 10;
  for (std::size_t i = 1; i < width; ++i) last_place *= 36;
  std::int64_t rest = number - decimals + 10 * last_place;
  if (number < 0 || rest >= 36 * last_place) return std::nullopt;
  text.assign(width, '0');
  for (std::size_t i = width; i-- > 0; rest /= 36) {
    text[i] = kDigits[static_cast<std::size_t>(rest % 36)];
  }
  return text;
}

/// Atom names start in the second column when the element has one letter and there is room.
std::string name_field(const ProteinAtom& atom) {
  std::string field = atom.element.size() < 2 && atom.name.size() < 4 ? " " : "";
  field += atom.name;
  field.resize(4, ' ');
  return field;
}

constexpr double kLowest = -999.9994;
constexpr double kHighest = 9999.9994;

bool fits(const Vec3& p) {
  return is_finite(p) && p.x > kLowest && p.y > kLowest && p.z > kLowest && p.x < kHighest &&
         p.y < kHighest && p.z < kHighest;
}

}  // namespace

Result<std::string> pdb_model(const Protein& protein, std::span<const Vec3> positions, int model) {
  CLEARANCE_ASSERT(positions.size() == protein.atoms.size());
  std::string chain = protein.chain_name.size() > 2 ? "A" : protein.chain_name;
  chain.insert(0, 2 - chain.size(), ' ');
  std::array<char, 128> line{};
  // Columns 11 to 14; longer numbers grow to the left.
  std::snprintf(line.data(), line.size(), "MODEL %8d\n", model);
  std::string text = line.data();
  text.reserve(81 * (positions.size() + 3));
  for (std::uint32_t link = 0; link + 1 < protein.first_atom.size(); ++link) {
    const ProteinResidue& residue = protein.residues[link / 3];
    const std::optional<std::string> number = hybrid36(residue.number, 4);
    if (!number) {
      return Error{ErrorCode::Unsupported, "", "residue " + residue_name(residue),
                   "its number does not fit the columns of a PDB file",
                   "number the residues from 1"};
    }
    for (std::uint32_t i = protein.first_atom[link]; i < protein.first_atom[link + 1]; ++i) {
      const ProteinAtom& atom = protein.atoms[i];
      const Vec3& p = positions[i];
      if (!fits(p)) {
        return Error{ErrorCode::Unsupported, "", atom.name + " of " + residue_name(residue),
                     "a coordinate does not fit the columns of a PDB file",
                     "move the protein to the origin"};
      }
      std::snprintf(line.data(), line.size(),
                    "ATOM  %s %s %3.3s%s%s%c   %8.3f%8.3f%8.3f  1.00  0.00          %2s  \n",
                    hybrid36(i + 1, 5).value_or("*****").c_str(), name_field(atom).c_str(),
                    residue.name.c_str(), chain.c_str(), number->c_str(), residue.insertion, p.x,
                    p.y, p.z, atom.element.c_str());
      text += line.data();
    }
  }
  text += "TER\nENDMDL\n";
  return text;
}

Status write_pdb(const std::string& path, const Protein& protein,
                 std::span<const std::vector<Vec3>> models) {
  // All text first: a model that cannot be written leaves no file behind.
  std::string text;
  for (std::size_t i = 0; i < models.size(); ++i) {
    Result<std::string> model = pdb_model(protein, models[i], static_cast<int>(i + 1));
    if (!model) {
      Error error = model.error();
      error.file = path;
      return error;
    }
    text += *model;
  }
  return write_file(path, text + "END\n");
}

}  // namespace clearance
