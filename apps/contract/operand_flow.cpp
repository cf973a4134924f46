#include "operand_flow.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace contract {
namespace {

constexpr std::size_t kMostUnderWay = 8;  // blocks: enough to fill a link with a long delay

double waited_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

OperandFlow::~OperandFlow() {
  // What is still on its way (after an error) must not arrive in memory that is gone.
  for (Buffer& buffer : buffers_) (void)buffer.arrival.wait(polder::Completion::local, std::chrono::seconds(1));
  if (segment_.data != nullptr) (void)team_.runtime().delete_segment(segment_.id);
}

Status OperandFlow::prepare(std::uint64_t bytes) {
  Status status = find_neighbours();
  if (!status.ok()) return status;
  const IsNear is_near = [this](const BlockMatrix& matrix, polder::Rank owner) {
    return near_[&matrix == &product_.second][owner] != nullptr;
  };
  steps_ = plan_steps(product_, team_.rank(), team_.size(), is_near);
  look_ahead();
  return far_blocks_ == 0 ? Status() : make_buffers(bytes);
}

Status OperandFlow::find_neighbours() {
  for (const unsigned which : {0U, 1U}) {
    std::vector<std::byte*>& places = near_[which];
    places.assign(team_.size(), nullptr);
    const BlockMatrix& blocks = matrix(which);
    for (std::uint64_t block = 0; block < blocks.grid().blocks(); ++block) {
      const polder::GlobalAddress at = blocks.address(block);
      if (places[at.rank] != nullptr || !team_.runtime().same_node(at.rank)) continue;
      const Result<std::byte*> place = team_.runtime().direct_pointer({at.rank, at.segment, 0}, team_.patience());
      if (!place.ok()) return team_.named("looking for a neighbour's blocks", place.status());
      places[at.rank] = *place;
    }
  }
  return {};
}

void OperandFlow::look_ahead() {
  std::unordered_map<std::uint64_t, std::size_t> later;
  for (std::vector<std::size_t>& next : next_use_) next.assign(steps_.size(), kNever);
  for (std::size_t step = steps_.size(); step-- > 0;) {
    for (const unsigned which : {0U, 1U}) {
      const std::uint64_t id = id_of(steps_[step], which);
      if (near_block(which, id / 2) != nullptr) continue;
      const auto [found, first] = later.try_emplace(id, step);
      if (!first) next_use_[which][step] = std::exchange(found->second, step);
    }
  }
  far_blocks_ = later.size();
}

Status OperandFlow::make_buffers(std::uint64_t bytes) {
  for (const unsigned which : {0U, 1U}) {
    const std::uint64_t most = matrix(which).grid().most_elements() * apps::bytes_of(matrix(which).number());
    slot_bytes_ = std::max(slot_bytes_, (most + 63) / 64 * 64);
  }
  const std::uint64_t count = std::min(std::max(bytes / slot_bytes_, kFewestBuffers), far_blocks_);
  const Result<polder::Segment> segment =
      team_.runtime().create_segment({.size = count * slot_bytes_, .notifications = 0});
  if (!segment.ok()) {
    return {segment.status().code(), "cannot make " + std::to_string(count) + " buffers of " +
                                         std::to_string(slot_bytes_) + " bytes: " + segment.status().to_string()};
  }
  segment_ = *segment;
  buffers_.resize(count);
  return {};
}

// Null: it has to be fetched.
const std::byte* OperandFlow::near_block(unsigned which, std::uint64_t block) const {
  const polder::GlobalAddress at = matrix(which).address(block);
  const std::byte* place = near_[which][at.rank];
  return place == nullptr ? nullptr : place + at.offset;
}

Result<std::array<const std::byte*, 2>> OperandFlow::take(std::size_t step) {
  if (step > 0) leave(step - 1);
  Status status = fetch_ahead(step);
  if (!status.ok()) return status;
  std::array<const std::byte*, 2> blocks{};
  for (const unsigned which : {0U, 1U}) {
    const std::uint64_t id = id_of(steps_[step], which);
    blocks[which] = near_block(which, id / 2);
    if (blocks[which] != nullptr) continue;
    const Result<const std::byte*> place = arrived(id);
    if (!place.ok()) return place.status();
    blocks[which] = *place;
  }
  return blocks;
}

// As far as there is room, however far that is: while steps need nothing from afar, the links can be busy for later ones.
Status OperandFlow::fetch_ahead(std::size_t step) {
  if (ahead_ == steps_.size()) return {};
  Status status = settle();
  while (status.ok() && ahead_ < steps_.size() && (ahead_ <= step || under_way_.size() < kMostUnderWay)) {
    const Result<bool> wanted = want(ahead_);
    if (!wanted.ok()) return wanted.status();
    if (!*wanted) break;
    ++ahead_;
  }
  return status;
}

// Forgets what has arrived.
Status OperandFlow::settle() {
  std::vector<std::size_t> still;
  for (const std::size_t buffer : under_way_) {
    Status status = buffers_[buffer].arrival.wait(polder::Completion::local, polder::Timeout::test());
    if (status.timed_out()) still.push_back(buffer);
    if (!status.ok() && !status.timed_out()) return failed(buffer, status);
  }
  under_way_ = std::move(still);
  return {};
}

// False: there is no room yet.
Result<bool> OperandFlow::want(std::size_t step) {
  for (const unsigned which : {0U, 1U}) {
    const std::uint64_t id = id_of(steps_[step], which);
    if (near_block(which, id / 2) != nullptr) continue;
    if (holder_.contains(id)) continue;
    const std::size_t buffer = buffer_for(step);
    if (buffer == kNever) return false;
    Status status = fetch(buffer, id, step);
    if (!status.ok()) return status;
  }
  return true;
}

// One whose block is wanted latest of all, and later than this step. L. Belady, "A study of replacement algorithms", 1966:
// nobody keeps more, and here the future is known. O(buffers), beside the product of two blocks.
std::size_t OperandFlow::buffer_for(std::size_t step) const {
  std::size_t best = kNever;
  for (std::size_t buffer = 0; buffer < buffers_.size(); ++buffer) {
    if (buffers_[buffer].next_use <= step) continue;
    if (best == kNever || buffers_[buffer].next_use > buffers_[best].next_use) best = buffer;
    if (buffers_[buffer].next_use == kNever) break;
  }
  return best;
}

Status OperandFlow::fetch(std::size_t buffer, std::uint64_t id, std::size_t step) {
  Buffer& into = buffers_[buffer];
  holder_.erase(into.block);
  const BlockMatrix& from = matrix(unsigned(id & 1));
  const std::uint64_t bytes = from.bytes(id / 2);
  into.block = id;
  Status status =
      team_.runtime().get(memory(buffer), from.address(id / 2), bytes, polder::Post(into.arrival, team_.patience()));
  if (!status.ok()) return failed(buffer, status);
  under_way_.push_back(buffer);
  into.next_use = step;
  holder_[id] = buffer;
  ++numbers_.fetched_blocks;
  numbers_.fetched_bytes += bytes;
  return {};
}

Result<const std::byte*> OperandFlow::arrived(std::uint64_t id) {
  Buffer& buffer = buffers_[holder_.at(id)];
  const auto start = std::chrono::steady_clock::now();
  Status status = buffer.arrival.wait(polder::Completion::local, team_.patience());
  numbers_.waiting += waited_since(start);
  ++numbers_.far_reads;
  if (status.ok()) return memory(holder_.at(id));
  return failed(holder_.at(id), status);
}

Status OperandFlow::failed(std::size_t buffer, const Status& status) const {
  const std::uint64_t id = buffers_[buffer].block;
  const polder::Rank owner = matrix(unsigned(id & 1)).owner(id / 2);
  return team_.named(("get of a block of rank " + std::to_string(owner)).c_str(), status);
}

// Its blocks may go now, if nothing wants them soon.
void OperandFlow::leave(std::size_t step) {
  for (const unsigned which : {0U, 1U}) {
    const auto held = holder_.find(id_of(steps_[step], which));
    if (held != holder_.end()) buffers_[held->second].next_use = next_use_[which][step];
  }
}

}  // namespace contract
