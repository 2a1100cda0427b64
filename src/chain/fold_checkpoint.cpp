// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints on disk. The file is JSON, so that people can look into it; the checksum is of the
// compact text of "run", which the writer and the reader produce alike.
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/chain/fold.h>

namespace clearance {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "clearance.fold-checkpoint";
constexpr int kVersion = 1;

std::string hexadecimal(std::uint64_t bits) {
  std::string text(16, '0');
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bits, 16).ptr;
  const auto count = static_cast<std::size_t>(end - digits.data());
  return text.replace(16 - count, count, digits.data(), count);
}

/// Throws nlohmann's type error, as its own conversions do, when the text is not 16 digits.
std::uint64_t from_hexadecimal(const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  std::uint64_t bits = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (text.size() != 16 || result.ec != std::errc() || result.ptr != text.data() + text.size())
    throw Json::type_error::create(302, "not 16 hexadecimal digits: " + text, &json);
  return bits;
}

Json exact(double value) { return hexadecimal(std::bit_cast<std::uint64_t>(value)); }
double exact(const Json& json) { return std::bit_cast<double>(from_hexadecimal(json)); }

Json to_json(const FoldCounts& counts) {
  return {{"steps", counts.steps},
          {"accepted", counts.accepted},
          {"clashed", counts.clashed},
          {"forbidden", counts.forbidden},
          {"refused", counts.refused}};
}

FoldCounts counts_from(const Json& json) {
  return {json.at("steps"), json.at("accepted"), json.at("clashed"), json.at("forbidden"),
          json.at("refused")};
}

Json run_json(const FoldCheckpoint& checkpoint) {
  Json identity = Json::array();
  for (const auto& [name, value] : checkpoint.identity) identity.push_back({name, value});
  Json angles = Json::array();
  for (const double angle : checkpoint.state.angles) angles.push_back(exact(angle));
  Json remembered = Json::array();
  for (const LinkPair& pair : checkpoint.state.remembered) remembered.push_back({pair.a, pair.b});
  Json files = Json::array();
  for (const auto& [name, mark] : checkpoint.files)
    files.push_back({name, mark.bytes, hexadecimal(mark.checksum)});
  return {{"identity", std::move(identity)},
          {"counts", to_json(checkpoint.state.counts)},
          {"reported", to_json(checkpoint.reported)},
          {"energy_quanta", checkpoint.state.energy_quanta},
          {"contacts", checkpoint.state.contacts},
          {"audits", checkpoint.audits},
          {"worst_energy_drift", exact(checkpoint.worst_energy_drift)},
          {"worst_pose_drift", exact(checkpoint.worst_pose_drift)},
          {"files", std::move(files)},
          {"remembered", std::move(remembered)},
          {"angles", std::move(angles)}};
}

/// Throws nlohmann's errors; what is not asked for is ignored.
FoldCheckpoint checkpoint_from(const Json& run) {
  FoldCheckpoint checkpoint;
  for (const Json& entry : run.at("identity"))
    checkpoint.identity.emplace_back(entry.at(0), entry.at(1));
  for (const Json& angle : run.at("angles")) checkpoint.state.angles.push_back(exact(angle));
  for (const Json& pair : run.at("remembered"))
    checkpoint.state.remembered.push_back({pair.at(0), pair.at(1)});
  for (const Json& file : run.at("files")) {
    checkpoint.files.emplace_back(file.at(0),
                                  FoldFileMark{file.at(1), from_hexadecimal(file.at(2))});
  }
  checkpoint.state.counts = counts_from(run.at("counts"));
  checkpoint.reported = counts_from(run.at("reported"));
  checkpoint.state.energy_quanta = run.at("energy_quanta");
  checkpoint.state.contacts = run.at("contacts");
  checkpoint.audits = run.at("audits");
  checkpoint.worst_energy_drift = exact(run.at("worst_energy_drift"));
  checkpoint.worst_pose_drift = exact(run.at("worst_pose_drift"));
  return checkpoint;
}

std::string checksum_text(const Json& run) {
  Checksum checksum;
  checksum.add(run.dump());
  return hexadecimal(checksum.value());
}

void add_number(Checksum& checksum, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  checksum.add(&bits, sizeof bits);
}
void add_vector(Checksum& checksum, const Vec3& v) {
  for (std::size_t i = 0; i < 3; ++i) add_number(checksum, v[i]);
}
void add_count(Checksum& checksum, std::uint64_t value) { checksum.add(&value, sizeof value); }

void add_sphere(Checksum& checksum, const Sphere& sphere) {
  add_vector(checksum, sphere.center);
  add_number(checksum, sphere.radius);
}

void add_link(Checksum& checksum, const LinkShape& link) {
  add_count(checksum, link.index());
  if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
    add_count(checksum, spheres->size());
    for (const Sphere& sphere : *spheres) add_sphere(checksum, sphere);
  } else if (const auto* capsule = std::get_if<Capsule>(&link)) {
    add_vector(checksum, capsule->axis.a);
    add_vector(checksum, capsule->axis.b);
    add_number(checksum, capsule->radius);
  } else if (const auto* body = std::get_if<ConvexBody>(&link)) {
    for (const Vec3& corner : body->corners()) add_vector(checksum, corner);
  } else if (const auto* mesh = std::get_if<Bvh>(&link)) {
    for (const Vec3& vertex : mesh->vertices()) add_vector(checksum, vertex);
  }
}

}  // namespace

void Checksum::add(const void* data, std::size_t size) {
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t value = value_;
  for (std::size_t i = 0; i < size; ++i) value = (value ^ bytes[i]) * kPrime;
  value_ = value;
}

std::uint64_t checksum_of(const FoldModel& model) {
  Checksum checksum;
  for (const LinkShape& link : model.chain.links) add_link(checksum, link);
  for (const Pose& joint : model.chain.joints) {
    for (const Vec3& row : joint.rotation.rows) add_vector(checksum, row);
    add_vector(checksum, joint.translation);
  }
  add_count(checksum, model.chain.neighbours);
  for (const LinkPair& pair : model.chain.ignored) {
    add_count(checksum, pair.a);
    add_count(checksum, pair.b);
  }
  for (const FoldTorsion& torsion : model.torsions) {
    add_count(checksum, torsion.joint);
    add_vector(checksum, torsion.point);
    add_vector(checksum, torsion.unit_axis);
    add_number(checksum, torsion.lowest);
    add_number(checksum, torsion.highest);
    if (torsion.slides) add_count(checksum, 1);
  }
  for (const FoldRotor& rotor : model.rotors) {
    for (const std::uint32_t number : {rotor.link, rotor.from, rotor.to})
      add_count(checksum, number);
    for (const std::uint32_t number : rotor.moved) add_count(checksum, number);
  }
  for (const FoldAtom& atom : model.atoms) {
    for (const double number : {atom.radius, atom.depth, atom.mass}) add_number(checksum, number);
    add_count(checksum, atom.group);
    add_count(checksum, atom.contact ? 1 : 0);
  }
  return checksum.value();
}

std::string to_text(const FoldCheckpoint& checkpoint) {
  const Json run = run_json(checkpoint);
  const Json file{
      {"schema", kSchema}, {"version", kVersion}, {"checksum", checksum_text(run)}, {"run", run}};
  return file.dump(1) + '\n';
}

Status write_checkpoint(const std::string& path, const FoldCheckpoint& checkpoint) {
  return write_file(path, to_text(checkpoint));
}

Result<FoldCheckpoint> read_checkpoint(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const auto refuse = [&](const std::string& reason) {
    return Error{ErrorCode::Malformed, path, "", reason, ""};
  };
  // Deeper than any checkpoint is not kept: to write it out again for the checksum, the library
  // would call itself for each level.
  constexpr int kDeepest = 8;
  bool too_deep = false;
  const auto keep = [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  const Json json = Json::parse(file->text(), keep, false);
  if (too_deep) return refuse("is not a checkpoint of clearance fold");
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (!json.is_object() || schema == json.end() || *schema != kSchema)
    return refuse("is not a checkpoint of clearance fold");
  // The library throws on what is missing or of another type; that stays in here.
  try {
    if (json.at("version") != kVersion) {
      return Error{ErrorCode::Unsupported, path, "",
                   "is a checkpoint of version " + json.at("version").dump() +
                       ", this program reads " + std::to_string(kVersion),
                   "resume with the version of clearance that wrote it"};
    }
    if (json.at("checksum") != checksum_text(json.at("run")))
      return refuse("is damaged: its checksum does not fit");
    return checkpoint_from(json.at("run"));
  } catch (const Json::exception& error) {
    return refuse(std::string("is damaged: ") + error.what());
  }
}

Status check_identity(const FoldCheckpoint& checkpoint, const std::string& path,
                      std::span<const std::pair<std::string, std::string>> identity) {
  const auto refuse = [&](const std::string& name, const std::string& theirs,
                          const std::string& ours) {
    return Error{ErrorCode::Invalid, path, "",
                 "is of a run with another " + name + ": " + theirs + ", not " + ours,
                 "resume with the options of the run that wrote it"};
  };
  for (std::size_t i = 0; i < identity.size(); ++i) {
    const auto& [name, ours] = identity[i];
    if (i >= checkpoint.identity.size() || checkpoint.identity[i].first != name)
      return refuse(name, "none", ours);
    if (checkpoint.identity[i].second != ours)
      return refuse(name, checkpoint.identity[i].second, ours);
  }
  if (checkpoint.identity.size() > identity.size()) {
    const auto& [name, theirs] = checkpoint.identity[identity.size()];
    return refuse(name, theirs, "none");
  }
  return {};
}

}  // namespace clearance
