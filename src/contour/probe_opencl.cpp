// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The host's side of kernels/probe.cl: what is sent to the device, in which order the kernels run,
// and measuring the candidates they leave.
//
// A query for the closest pair takes, for every PROBE_BATCH segments,
//
//   seed      bounds of every kSeedStride-th triangle: a first limit
//   list      (culled) the blocks of triangles within the limit
//   bound     of all triangles, or of those blocks: candidates, and the last limit
//   measure   the candidates within the last limit, here, in double precision
//
// A map takes the smallest upper bound for each triangle first, then lists the candidates by it.
#include "contour/probe_opencl.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include <clearance/base/parallel.h>
#include <clearance/contour/segment_distance.h>

#include "contour/probe_opencl_frame.h"
#include "contour/probe_opencl_order.h"
#include "contour/prober_base.h"

namespace clearance::detail {
namespace {

// One of so many triangles gives the first limit. Few make it loose, many are work done twice.
constexpr std::size_t kSeedStride = 256;
// Candidates that are read together with the counters; most queries have fewer.
constexpr std::size_t kReadAhead = 256;
// Triangles, or vertices, a map lists candidates of at a time.
constexpr std::size_t kMapBlocks = 2048;
// Triangles or vertices a task rounds to single precision.
constexpr std::size_t kPerTask = 16384;

// Indices into arrays of three times as many fit in 32 bits.
constexpr std::size_t kMostTriangles = std::size_t{1} << 29;

std::size_t parts_of(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

struct Candidate {
  float lower;  // in units of the device
  std::uint32_t segment;
  std::uint32_t triangle;
};

class DeviceProber final : public ProberBase {
 public:
  DeviceProber(const ProberOptions& options, std::unique_ptr<KernelDevice> device,
               const CandidateRoom& room)
      : ProberBase(options),
        device_(std::move(device)),
        culled_(options.method != ProbeMethod::OpenCl),
        capacity_(room.first),
        most_capacity_(room.most) {
    CLEARANCE_ASSERT(room.first >= PROBE_BLOCK * PROBE_BATCH && room.most >= room.first);
  }

  [[nodiscard]] std::string description() const override {
    return device_->description() + (culled_ ? ", culled" : "");
  }

 protected:
  Status prepare(const ProbeMesh& mesh, Change change) override;
  Status find(Contest& contest) override;
  Status map_triangles(const ProbeQuery& query, std::span<double> distances,
                       ProbeWork& work) override {
    return map(query, false, distances, work);
  }
  Status map_vertices(const ProbeQuery& query, std::span<double> distances,
                      ProbeWork& work) override {
    return map(query, true, distances, work);
  }

 private:
  Status upload(const ProbeMesh& mesh, Change change);
  Status bring_back();
  Status after(Status status);

  Status find_on_device(Contest& contest);
  Status find_batch(Contest& contest);
  Status map(const ProbeQuery& query, bool points, std::span<double> distances, ProbeWork& work);
  Status map_on_device(const ProbeQuery& query, bool points, std::span<double> distances,
                       ProbeWork& work);
  template <class Consume>
  Status search(ProbeParameters parameters, ProbeWork& work, const Consume& consume);

  std::size_t take_batch(std::span<const ContourSegment> segments, std::size_t first);
  Status write_segments();
  Status write_state(std::size_t words);
  void take_hints(Contest& contest) const;
  void keep_hints(const Contest& contest);
  void measure(Contest& contest, std::size_t count);
  void measure_map(const ProbeQuery& query, bool points, std::span<double> distances,
                   std::size_t count, ProbeWork& work);
  [[nodiscard]] std::size_t group_count(std::size_t blocks) const {
    return std::min(blocks, device_->group_count());
  }
  [[nodiscard]] ProbeParameters parameters(std::size_t count) const;

  std::unique_ptr<KernelDevice> device_;
  bool culled_;

  // The mesh as the device has it.
  bool failed_ = false;  // what it has is not known
  DeviceFrame frame_;
  std::vector<std::uint32_t> order_;  // culled: which triangle is where
  std::size_t pitch_ = 0;
  std::size_t blocks_ = 0;

  // The batch, and what is known about it.
  std::vector<std::uint32_t> batch_;  // numbers of its segments
  std::vector<ProbeSegment> packed_;
  std::vector<float> limits_;  // in units of the device: one, or one for each
  float slack_ = 0.0F;
  std::size_t capacity_;
  std::size_t most_capacity_;

  // Memory kept from query to query.
  std::vector<std::uint32_t> state_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> runs_;
  std::vector<std::uint64_t> counts_;
  std::vector<float> floats_;
  std::vector<Face> faces_;
  // The last hits: good first guesses, when little has moved.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> hints_;
};

// ------------------------------------------------------------------------------------ the mesh

Status DeviceProber::prepare(const ProbeMesh& mesh, Change change) {
  if (failed_) {
    if (Status status = device_->restart(); !status) return status;
    failed_ = false;
    change = Change::Everything;
  }
  if (change == Change::Everything) hints_.clear();
  return after(upload(mesh, change));
}

// The device again has mesh(), after a failure.
Status DeviceProber::bring_back() {
  if (!failed_) return {};
  return prepare(mesh(), Change::Everything);
}

// After a failure nothing on the device is relied on.
Status DeviceProber::after(Status status) {
  if (!status) failed_ = true;
  return status;
}

Status DeviceProber::upload(const ProbeMesh& mesh, Change change) {
  frame_ = DeviceFrame(mesh);
  const std::size_t count = mesh.faces.size();
  if (std::max(count, mesh.vertices.size()) > kMostTriangles)
    return Error{.code = ErrorCode::Unsupported,
                 .reason = std::to_string(count) + " triangles are too many for the kernels",
                 .advice = "use the tree"};
  blocks_ = parts_of(count, PROBE_BLOCK);
  pitch_ = blocks_ * PROBE_BLOCK;

  using enum KernelBuffer;
  if (change == Change::Everything) {
    std::span<const Face> faces = mesh.faces;
    if (culled_) {
      order_along_curve(mesh, threads(), order_);
      faces_.resize(count);
      for (std::size_t i = 0; i < count; ++i) faces_[i] = mesh.faces[order_[i]];
      faces = faces_;
    }
    const std::size_t state_words = PROBE_CANDIDATES + PROBE_CANDIDATE_WORDS * capacity_;
    for (const auto& [buffer, bytes] : {std::pair{Vertices, mesh.vertices.size() * 12},
                                        {Faces, count * 12},
                                        {Spheres, pitch_ * 16},
                                        {BlockSpheres, blocks_ * 16},
                                        {BlockList, blocks_ * 4},
                                        {Segments, PROBE_BATCH * sizeof(ProbeSegment)},
                                        {State, state_words * 4},
                                        {OfTriangle, 4 * std::max(count, mesh.vertices.size())}}) {
      if (Status status = device_->reserve(buffer, bytes); !status) return status;
    }
    if (Status status = device_->write(Faces, 0, std::as_bytes(faces)); !status) return status;
  }

  floats_.resize(3 * mesh.vertices.size());
  parallel_for(threads(), parts_of(mesh.vertices.size(), kPerTask), [&](std::size_t task) {
    const std::size_t end = std::min(mesh.vertices.size(), (task + 1) * kPerTask);
    for (std::size_t i = task * kPerTask; i < end; ++i) {
      const Vec3 p = frame_.point(mesh.vertices[i]);
      for (std::size_t k = 0; k < 3; ++k) floats_[3 * i + k] = static_cast<float>(p[k]);
    }
  });
  if (Status status = device_->write(Vertices, 0, std::as_bytes(std::span(floats_))); !status)
    return status;

  ProbeParameters p = parameters(count);
  p.end_block = static_cast<std::uint32_t>(blocks_);
  Status status =
      device_->run(ProbeKernel::BoundTriangles, parts_of(count, device_->group_size()), p);
  if (status && culled_)
    status = device_->run(ProbeKernel::BoundBlocks, parts_of(blocks_, device_->group_size()), p);
  return status;
}

ProbeParameters DeviceProber::parameters(std::size_t count) const {
  ProbeParameters p = {};
  p.count = static_cast<std::uint32_t>(count);
  p.pitch = static_cast<std::uint32_t>(pitch_);
  p.stride = 1;
  p.segment_count = static_cast<std::uint32_t>(batch_.size());
  p.each = limits_.size() > 1 ? 1 : 0;
  p.limits_at = PROBE_LIMITS;
  p.best_at = PROBE_BEST;
  p.slack = slack_;
  return p;
}

// ------------------------------------------------------------------------------------ the batch

// The next segments from `first` on; gives back where the batch after it begins. Those the device
// cannot hold are left out.
std::size_t DeviceProber::take_batch(std::span<const ContourSegment> segments, std::size_t first) {
  batch_.clear();
  packed_.clear();
  std::size_t next = first;
  for (; next < segments.size() && batch_.size() < PROBE_BATCH; ++next) {
    if (!frame_.holds(segments[next])) continue;
    batch_.push_back(static_cast<std::uint32_t>(next));
    packed_.push_back(frame_.segment(segments[next]));
  }
  return next;
}

Status DeviceProber::write_segments() {
  return device_->write(KernelBuffer::Segments, 0, std::as_bytes(std::span(packed_)));
}

// Limits to both places, and no candidates; with the words behind, also no blocks.
Status DeviceProber::write_state(std::size_t words) {
  for (std::size_t k = 0; k < limits_.size(); ++k)
    state_[PROBE_LIMITS + k] = state_[PROBE_BEST + k] = std::bit_cast<std::uint32_t>(limits_[k]);
  state_[PROBE_CANDIDATE_COUNT] = 0;
  state_[PROBE_NEAR_COUNT] = 0;
  return device_->write(KernelBuffer::State, 0, std::as_bytes(std::span(state_).first(words)));
}

// Runs BoundPairs with candidates, as often as it takes until they fit, and has them consumed:
// consume(count), state_ holds them and the counters.
template <class Consume>
Status DeviceProber::search(ProbeParameters p, ProbeWork& work, const Consume& consume) {
  p.flags |= PROBE_EMIT;
  p.capacity = static_cast<std::uint32_t>(capacity_);
  p.groups = static_cast<std::uint32_t>(group_count(p.end_block - p.first_block));
  if (Status status = device_->run(ProbeKernel::BoundPairs, p.groups, p); !status) return status;

  const auto read = [&](std::size_t first, std::size_t end) {
    return device_->read(KernelBuffer::State, 4 * first,
                         std::as_writable_bytes(std::span(state_).subspan(first, end - first)));
  };
  const auto words = [](std::size_t count) {
    return PROBE_CANDIDATES + PROBE_CANDIDATE_WORDS * count;
  };
  state_.resize(words(capacity_));
  if (Status status = read(0, words(kReadAhead)); !status) return status;
  const std::size_t count = state_[PROBE_CANDIDATE_COUNT];
  work.bounds += std::uint64_t{PROBE_BLOCK} * state_[PROBE_NEAR_COUNT];
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    for (const std::size_t at : {PROBE_LIMITS + k, PROBE_BEST + k})
      limits_[k] = std::min(limits_[k], std::bit_cast<float>(state_[at]));
  }
  if (count <= capacity_) {
    if (count > kReadAhead) {
      if (Status status = read(words(kReadAhead), words(count)); !status) return status;
    }
    consume(count);
    return {};
  }

  // Too many: with limits that are now known to be smaller, and more room.
  if (capacity_ < most_capacity_) {
    capacity_ = std::min(most_capacity_, std::bit_ceil(count));
    if (Status status = device_->reserve(KernelBuffer::State, 4 * words(capacity_)); !status)
      return status;
    if (Status status = write_state(PROBE_CANDIDATES); !status) return status;
    return search(p, work, consume);
  }
  // Still: in two halves. One block fits.
  const std::uint32_t end = (p.flags & PROBE_LISTED) != 0
                                ? std::min(p.end_block, state_[PROBE_BLOCK_COUNT])
                                : p.end_block;
  const std::uint32_t middle = p.first_block + (end - p.first_block) / 2;
  for (const auto& [first, last] : {std::pair{p.first_block, middle}, {middle, end}}) {
    if (Status status = write_state(PROBE_BLOCK_COUNT); !status) return status;
    p.first_block = first;
    p.end_block = last;
    if (Status status = search(p, work, consume); !status) return status;
  }
  return {};
}

// ------------------------------------------------------------------------------------ closest

Status DeviceProber::find(Contest& contest) {
  if (Status status = bring_back(); !status) return status;
  return after(find_on_device(contest));
}

Status DeviceProber::find_on_device(Contest& contest) {
  const ProbeQuery& query = contest.query();
  take_hints(contest);
  slack_ = frame_.slack(query);
  for (std::size_t next = 0; next < query.segments.size();) {
    next = take_batch(query.segments, next);
    if (batch_.empty()) continue;
    if (Status status = find_batch(contest); !status) return status;
  }
  for (std::size_t s = 0; s < query.segments.size(); ++s) {
    if (frame_.holds(query.segments[s])) continue;
    for (std::size_t t = 0; t < query.mesh.faces.size(); ++t)
      contest.measure(s, static_cast<std::uint32_t>(t));
  }
  keep_hints(contest);
  return {};
}

Status DeviceProber::find_batch(Contest& contest) {
  const bool each = contest.hits().size() > 1;
  limits_.resize(each ? batch_.size() : 1);
  for (std::size_t k = 0; k < limits_.size(); ++k)
    limits_[k] = frame_.length(contest.limit(batch_[k]));
  state_.resize(PROBE_CANDIDATES + PROBE_CANDIDATE_WORDS * capacity_);
  state_[PROBE_BLOCK_COUNT] = 0;
  if (Status status = write_segments(); !status) return status;
  if (Status status = write_state(PROBE_CANDIDATES); !status) return status;

  const std::size_t count = mesh().faces.size();
  ProbeParameters p = parameters(count);
  p.end_block = static_cast<std::uint32_t>(blocks_);

  // Seed: limits go where they are read, so that each group profits from those before it. What the
  // end is does not depend on their order: what is skipped would not have made a limit smaller.
  const std::size_t seeds = parts_of(count, kSeedStride);
  ProbeParameters seed = p;
  seed.stride = kSeedStride;
  seed.best_at = PROBE_LIMITS;
  seed.end_block = static_cast<std::uint32_t>(parts_of(seeds, PROBE_BLOCK));
  seed.groups = static_cast<std::uint32_t>(group_count(seed.end_block));
  if (Status status = device_->run(ProbeKernel::BoundPairs, seed.groups, seed); !status)
    return status;

  if (culled_) {
    p.flags |= PROBE_LISTED;
    if (Status status =
            device_->run(ProbeKernel::ListBlocks, parts_of(blocks_, device_->group_size()), p);
        !status)
      return status;
    contest.work.bounds += blocks_ * batch_.size();
  }
  return search(p, contest.work, [&](std::size_t candidates) { measure(contest, candidates); });
}

// Measures the candidates within the limits, from the lowest bound on: soon most are beyond.
void DeviceProber::measure(Contest& contest, std::size_t count) {
  candidates_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t* words = &state_[PROBE_CANDIDATES + PROBE_CANDIDATE_WORDS * i];
    const auto lower = std::bit_cast<float>(words[2]);
    if (lower > limits_[limits_.size() > 1 ? words[1] : 0]) continue;
    candidates_.push_back({lower, batch_[words[1]], culled_ ? order_[words[0]] : words[0]});
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.lower, a.segment, a.triangle) < std::tie(b.lower, b.segment, b.triangle);
  });
  for (const Candidate& c : candidates_) {
    if (static_cast<double>(c.lower) > frame_.scale * contest.limit(c.segment)) continue;
    contest.measure(c.segment, c.triangle);
  }
  for (std::size_t k = 0; k < limits_.size(); ++k)
    limits_[k] = std::min(limits_[k], frame_.length(contest.limit(batch_[k])));
}

void DeviceProber::take_hints(Contest& contest) const {
  // Any pair is better than none: bounds of all pairs are dear as long as there is no limit.
  const std::size_t count = contest.segment_count();
  if (count == 0) return;
  if (contest.hits().size() == 1) {
    const auto [segment, triangle] = hints_.empty() ? std::pair{0U, 0U} : hints_.front();
    contest.measure(std::min<std::size_t>(segment, count - 1), triangle);
    return;
  }
  for (std::size_t s = 0; s < count; ++s)
    contest.measure(s, s < hints_.size() ? hints_[s].second : 0);
}

void DeviceProber::keep_hints(const Contest& contest) {
  hints_.clear();
  for (const ProbeHit& hit : contest.hits()) {
    const bool found = hit.found();
    hints_.emplace_back(found ? hit.segment : 0, found ? hit.triangle : 0);
  }
}

// ------------------------------------------------------------------------------------ maps

Status DeviceProber::map(const ProbeQuery& query, bool points, std::span<double> distances,
                         ProbeWork& work) {
  if (Status status = bring_back(); !status) return status;
  return after(map_on_device(query, points, distances, work));
}

Status DeviceProber::map_on_device(const ProbeQuery& query, bool points,
                                   std::span<double> distances, ProbeWork& work) {
  slack_ = frame_.slack(query);
  limits_.clear();
  const float range = frame_.length(query.range + query.slack);
  if (Status status = device_->fill(KernelBuffer::OfTriangle, std::bit_cast<std::uint32_t>(range),
                                    distances.size());
      !status)
    return status;
  state_.resize(PROBE_CANDIDATES + PROBE_CANDIDATE_WORDS * capacity_);

  // The smallest upper bounds first, then the candidates within them.
  const auto blocks = static_cast<std::uint32_t>(parts_of(distances.size(), PROBE_BLOCK));
  for (const bool emit : {false, true}) {
    for (std::size_t next = 0; next < query.segments.size();) {
      next = take_batch(query.segments, next);
      if (batch_.empty()) continue;
      if (Status status = write_segments(); !status) return status;
      ProbeParameters p = parameters(distances.size());
      p.flags = PROBE_BY_TRIANGLE | (points ? PROBE_POINTS : 0U);
      p.end_block = blocks;
      if (!emit) {
        work.bounds += distances.size() * batch_.size();
        p.groups = static_cast<std::uint32_t>(group_count(blocks));
        if (Status status = device_->run(ProbeKernel::BoundPairs, p.groups, p); !status)
          return status;
        continue;
      }
      for (std::uint32_t first = 0; first < blocks; first += kMapBlocks) {
        if (Status status = write_state(PROBE_CANDIDATES); !status) return status;
        p.first_block = first;
        p.end_block = std::min<std::uint32_t>(blocks, first + kMapBlocks);
        Status status = search(p, work, [&](std::size_t candidates) {
          measure_map(query, points, distances, candidates, work);
        });
        if (!status) return status;
      }
    }
  }
  for (std::size_t s = 0; s < query.segments.size(); ++s) {
    if (frame_.holds(query.segments[s])) continue;
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const double d = points ? distance(query.segments[s], query.mesh.vertices[i]).distance
                              : distance(query.segments[s], query.mesh.triangle(i)).distance;
      if (d <= query.range) distances[i] = std::min(distances[i], d);
    }
    work.exact += distances.size();
  }
  return {};
}

void DeviceProber::measure_map(const ProbeQuery& query, bool points, std::span<double> distances,
                               std::size_t count, ProbeWork& work) {
  candidates_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t* words = &state_[PROBE_CANDIDATES + PROBE_CANDIDATE_WORDS * i];
    candidates_[i] = {std::bit_cast<float>(words[2]), batch_[words[1]],
                      culled_ && !points ? order_[words[0]] : words[0]};
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.triangle, a.lower, a.segment) < std::tie(b.triangle, b.lower, b.segment);
  });
  // The candidates of one triangle after the other, the nearest first.
  runs_.clear();
  for (std::size_t i = 0; i < count; ++i)
    if (i == 0 || candidates_[i].triangle != candidates_[i - 1].triangle) runs_.push_back(i);
  constexpr std::size_t kRunsPerTask = 64;
  counts_.assign(parts_of(runs_.size(), kRunsPerTask), 0);
  parallel_for(threads(), counts_.size(), [&](std::size_t task) {
    const std::size_t end = std::min(runs_.size(), (task + 1) * kRunsPerTask);
    for (std::size_t run = task * kRunsPerTask; run < end; ++run) {
      const std::size_t last = run + 1 < runs_.size() ? runs_[run + 1] : count;
      double& best = distances[candidates_[runs_[run]].triangle];
      for (std::size_t i = runs_[run]; i < last; ++i) {
        const Candidate& c = candidates_[i];
        if (static_cast<double>(c.lower) > frame_.scale * (best + query.slack)) break;
        ++counts_[task];
        const ContourSegment& segment = query.segments[c.segment];
        const double d = points ? distance(segment, query.mesh.vertices[c.triangle]).distance
                                : distance(segment, query.mesh.triangle(c.triangle)).distance;
        if (d <= query.range) best = std::min(best, d);
        if (best == 0.0) break;
      }
    }
  });
  for (const std::uint64_t measured : counts_) work.exact += measured;
}

}  // namespace

std::unique_ptr<Prober> make_device_prober(const ProberOptions& options,
                                           std::unique_ptr<KernelDevice> device,
                                           const CandidateRoom& room) {
  return std::make_unique<DeviceProber>(options, std::move(device), room);
}

Result<std::unique_ptr<Prober>> make_opencl_prober(const ProberOptions& options) {
  if (options.method == ProbeMethod::KernelOnCpu)
    return make_device_prober(options, make_cpu_device(options.threads));
  auto device = make_opencl_device(options.device);
  if (!device) return device.error();
  return make_device_prober(options, std::move(device.value()));
}

}  // namespace clearance::detail
