#include "coll/consistent/call.hpp"

#include "core/group/group_state.hpp"
#include "util/random.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace polder::coll {
namespace {

std::string named(const Arguments& arguments) {
  return std::string(to_string(arguments.kind)) + ": ";
}

Status wrong(const Arguments& arguments, const std::string& what, Code code = Code::invalid_argument) {
  return {code, named(arguments) + what};
}

// Bytes that the two buffers hold at this member; nothing: a sum or product overflows.
struct Extents {
  std::size_t send = 0, receive = 0;
  bool fits = true;

  std::size_t product(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    if (__builtin_mul_overflow(a, b, &result) || result > std::size_t(std::numeric_limits<std::ptrdiff_t>::max()))
      fits = false;
    return fits ? result : 0;
  }
  std::size_t sum(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    if (__builtin_add_overflow(a, b, &result) || result > std::size_t(std::numeric_limits<std::ptrdiff_t>::max()))
      fits = false;
    return fits ? result : 0;
  }
  // Of the parts that have a byte: where others lie says nothing.
  std::size_t end_of(std::span<const Part> parts) {
    std::size_t end = 0;
    for (const Part& part : parts)
      if (part.size != 0) end = std::max(end, sum(part.offset, part.size));
    return end;
  }
};

Extents extents_of(const Group& group, const Arguments& a) {
  Extents e;
  const std::size_t element = a.spec.narrow_size != 0 ? a.spec.narrow_size : a.spec.element_size;
  const std::size_t vector = e.product(a.spec.count, element);
  e.product(a.spec.count, a.spec.element_size);
  const bool at_root = group.index() == a.root;
  std::size_t all = 0;
  for (const std::size_t part : a.parts) all = e.sum(all, part);
  const std::size_t mine = a.parts.size() > group.index() ? a.parts[group.index()] : 0;
  switch (a.kind) {
    case Kind::broadcast: e.receive = e.product(a.bytes, 1); break;
    case Kind::reduce: e.send = vector, e.receive = at_root ? vector : 0; break;
    case Kind::allreduce:
    case Kind::scan: e.send = e.receive = vector; break;
    case Kind::exscan: e.send = vector, e.receive = group.index() == 0 ? 0 : vector; break;
    case Kind::reduce_scatter: e.send = vector, e.receive = e.product(mine, element); break;
    case Kind::allgather: e.send = mine, e.receive = all; break;
    case Kind::gather: e.send = mine, e.receive = at_root ? all : 0; break;
    case Kind::scatter: e.send = at_root ? all : 0, e.receive = mine; break;
    case Kind::alltoall: e.send = e.receive = e.product(a.bytes, group.size()); break;
    default: break;
  }
  const bool in_parts = !a.sent.empty() || !a.received.empty();
  if (in_parts) {
    e.send = e.end_of(a.sent);
    e.receive = e.end_of(a.received);
  }
  // check_blocks() has found nothing wrong with these.
  if (!a.sent_blocks.empty()) e.send = BlockLayout::measure(a.sent_blocks)->extent;
  if (!a.received_blocks.empty()) e.receive = BlockLayout::measure(a.received_blocks)->extent;
  return e;
}

Status check_blocks(const Group& group, const Arguments& a) {
  if (a.kind == Kind::neighbours) return {};  // checked where they were made
  if (a.sent_blocks.size() != group.size() || a.received_blocks.size() != group.size())
    return wrong(a, std::to_string(a.sent_blocks.size()) + " blocks to send and " +
                        std::to_string(a.received_blocks.size()) + " to receive for " + std::to_string(group.size()) +
                        " members");
  for (const auto blocks : {a.sent_blocks, a.received_blocks})
    if (const auto extent = BlockLayout::measure(blocks); !extent)
      return wrong(a, std::string(extent.status().message()), extent.status().code());
  const std::size_t me = group.index();
  if (BlockLayout::measure(a.sent_blocks.subspan(me, 1))->bytes !=
      BlockLayout::measure(a.received_blocks.subspan(me, 1))->bytes)
    return wrong(a, "the block for this rank itself has two sizes");
  return {};
}

// Where one of no bytes lies says nothing, and need not be in the buffer.
Block block_of(const Part& part) {
  return {part.size == 0 ? 0 : part.offset, part.size};
}

bool overlap(const Arguments& a, const Extents& e) {
  const auto send = reinterpret_cast<std::uintptr_t>(a.send), receive = reinterpret_cast<std::uintptr_t>(a.receive);
  if (e.send == 0 || e.receive == 0 || send == receive) return false;
  return send < receive + e.receive && receive < send + e.send;
}

std::uint32_t hash_of(std::span<const std::size_t> begins) {
  std::uint64_t hash = 0;
  for (const std::size_t begin : begins) hash = util::mix(hash ^ begin);
  return std::uint32_t(hash >> 32);
}

std::uint64_t hash_of_blocks(const Arguments& a) {
  std::uint64_t hash = 0;
  const auto take = [&hash](std::uint64_t number) { hash = util::mix(hash ^ number); };
  for (const auto blocks : {a.sent_blocks, a.received_blocks}) {
    take(blocks.size());
    for (const StridedPart& part : blocks) {
      take(part.offset);
      take(part.blocks);
      take(part.size);
      take(part.stride);
    }
  }
  for (const auto counts : {a.sent_each, a.received_each})
    for (const std::uint32_t count : counts) take(count);
  return hash;
}

}  // namespace

Status Call::check(Group& group, const Arguments& a) {
  if (!group.committed()) return wrong(a, "the group has not been committed", Code::invalid_group);
  if (is_rooted(a.kind) && a.root >= group.size())
    return wrong(a, "root " + std::to_string(a.root) + " of a group of " + std::to_string(group.size()),
                 Code::invalid_rank);
  if (reduces(a.kind) && (a.spec.element_size == 0 || !a.spec.combine))
    return wrong(a, "elements of " + std::to_string(a.spec.element_size) + " bytes, or no function",
                 Code::invalid_size);
  if (reduces(a.kind) && a.spec.narrow_size != 0 && (a.spec.widen == nullptr || a.spec.narrow == nullptr))
    return wrong(a, "elements that are to be widened, and no function for it");
  if (has_parts(a.kind) && a.parts.size() != group.size())
    return wrong(a, std::to_string(a.parts.size()) + " parts for " + std::to_string(group.size()) + " members");
  if (a.in_parts && a.sent.empty() && a.received.empty() && a.sent_blocks.empty() && a.received_blocks.empty())
    return wrong(a, "no blocks for " + std::to_string(group.size()) + " members");
  const bool blocks = a.kind == Kind::alltoall && (!a.sent.empty() || !a.received.empty());
  if (blocks && (a.sent.size() != group.size() || a.received.size() != group.size()))
    return wrong(a, std::to_string(a.sent.size()) + " blocks to send and " + std::to_string(a.received.size()) +
                        " to receive for " + std::to_string(group.size()) + " members");
  if (blocks && a.sent[group.index()].size != a.received[group.index()].size)
    return wrong(a, "the block for this rank itself has two sizes");
  if (!a.sent_blocks.empty() || !a.received_blocks.empty())
    if (Status status = check_blocks(group, a); !status.ok()) return status;
  const Extents extents = extents_of(group, a);
  if (!extents.fits) return wrong(a, "a size that no memory has", Code::invalid_size);
  if (a.kind == Kind::reduce_scatter && std::accumulate(a.parts.begin(), a.parts.end(), std::size_t{0}) != a.spec.count)
    return wrong(a, "parts that do not make " + std::to_string(a.spec.count) + " elements", Code::invalid_size);
  if (extents.send != 0 && a.send == nullptr) return wrong(a, "the buffer to send is null");
  if (extents.receive != 0 && a.receive == nullptr) return wrong(a, "the buffer to receive is null");
  if (overlap(a, extents)) return wrong(a, "the buffers overlap");
  const bool moves = a.kind == Kind::alltoall || a.kind == Kind::neighbours || a.kind == Kind::allgather ||
                     a.kind == Kind::gather || a.kind == Kind::scatter;
  if (moves && extents.send != 0 && extents.receive != 0 && a.send == a.receive)
    return wrong(a, "the buffers are the same");
  return {};
}

void Call::prepare(Group& group, const Arguments& a) {
  POLDER_ASSERT(!under_way());
  group_ = &group;
  kind_ = a.kind;
  root_ = a.root;
  spec_ = a.spec;
  given_send_ = a.send;
  given_receive_ = a.receive;
  whole_send_ = static_cast<const std::byte*>(a.send);
  whole_receive_ = static_cast<std::byte*>(a.receive);
  send_blocks_.clear();
  receive_blocks_.clear();
  bytes_ = a.bytes;
  begins_.assign(1, 0);
  for (const std::size_t part : a.parts) begins_.push_back(begins_.back() + part);
  sent_.clear();
  received_.clear();
  for (const Part& part : a.sent) sent_.push_back(block_of(part));
  for (const Part& part : a.received) received_.push_back(block_of(part));
  if (!a.sent_blocks.empty()) place_sent_blocks(a);
  if (!a.received_blocks.empty()) place_received_blocks(a);
  if (kind_ == Kind::alltoall && sent_.empty())
    for (Rank member = 0; member < group.size(); ++member) sent_.push_back({member * bytes_, bytes_});
  if (received_.empty()) received_ = sent_;
  if (kind_ == Kind::neighbours) mark_neighbours(a);
  edges_ = a.edges;
  blocks_hash_ = hash_of_blocks(a);
  algorithm_ = Algorithm::choose;
  record_ = {};
  place_vectors();
}

// ---- beginning ----

Status Call::use(std::string_view algorithm) {
  Table only = Lanes::of(group_->state()).table();
  if (Status status = only.prefer(to_string(kind_), algorithm); !status.ok()) return status;
  const Algorithm chosen = only.choose(choice());
  if (to_string(chosen) != algorithm)
    return {Code::invalid_argument, std::string(to_string(kind_)) + " by '" + std::string(algorithm) +
                                        "': that algorithm cannot serve this call"};
  algorithm_ = chosen;
  record_ = {};
  return {};
}

Algorithm Call::algorithm() const {
  return algorithm_ != Algorithm::choose ? algorithm_ : Lanes::of(group_->state()).table().choose(choice());
}

Status Call::begin() {
  algorithm_ = algorithm();
  if (record_.signature == 0) record_ = record();
  const bool reducing = reduces(kind_);
  if (send_blocks_.used() || receive_blocks_.used()) place_blocks();
  if (reducing && spec_.narrow_size != 0) spec_.widen(whole_send_, wide_.data(), spec_.count);
  return DrivenCollective::begin(group_->state(), record_,
                                 {reducing ? spec_.element_size : 1, reducing ? &spec_.combine : nullptr},
                                 is_direct_among_neighbours() ? Living::reached : Living::all, over());
}

bool Call::is_of(const Arguments& a) const {
  const auto is_same = [](const Block& block, const Part& part) {
    const Block one = block_of(part);
    return block.begin == one.begin && block.bytes == one.bytes;
  };
  const bool same_reduction = spec_.count == a.spec.count && spec_.element_size == a.spec.element_size &&
                              spec_.narrow_size == a.spec.narrow_size && spec_.operation == a.spec.operation &&
                              spec_.type == a.spec.type && spec_.same_in_any_layout == a.spec.same_in_any_layout;
  const bool same_parts =
      std::equal(a.parts.begin(), a.parts.end(), begins_.begin(), begins_.end() - 1,
                 [begin = begins_.data()](std::size_t part, const std::size_t& at) { return (&at)[1] - at == part; });
  return kind_ == a.kind && given_send_ == a.send && given_receive_ == a.receive && bytes_ == a.bytes &&
         (!is_rooted(kind_) || root_ == a.root) && (!reduces(kind_) || same_reduction) && same_parts &&
         edges_ == a.edges && blocks_hash_ == hash_of_blocks(a) &&
         (a.sent.empty() || std::equal(sent_.begin(), sent_.end(), a.sent.begin(), a.sent.end(), is_same)) &&
         (a.received.empty() ||
          std::equal(received_.begin(), received_.end(), a.received.begin(), a.received.end(), is_same));
}

// What is the same at all members, so that those who differ can be named.
CallRecord Call::record() const {
  CallRecord record;
  record.kind = kind_;
  record.algorithm = std::uint8_t(algorithm_);
  record.count = reduces(kind_) ? spec_.count : bytes_;
  if (is_rooted(kind_)) record.root = root_;
  if (reduces(kind_)) {
    record.element = std::uint32_t(std::min<std::size_t>(spec_.element_size, ~std::uint32_t{0}));
    record.operation = spec_.operation;
    record.type = spec_.type;
  } else {
    record.element = 1;
  }
  if (has_parts(kind_) && kind_ != Kind::reduce_scatter) record.count = begins_.back();
  record.sign(has_parts(kind_) ? hash_of(begins_) : 0);
  return record;
}

bool Call::can_go_by_nodes(const core::GroupNodes& nodes) const {
  if (kind_ == Kind::alltoall) return nodes.even() && nodes.rows() <= kMostBlocks;
  if (!reduces(kind_)) return true;
  return spec_.element_size <= Node::kDesk && (spec_.commutes || nodes.consecutive());
}

Choice Call::choice() const {
  Choice choice{.kind = kind_, .members = Rank(group_->size()), .commutes = spec_.commutes || !reduces(kind_)};
  choice.bytes = reduces(kind_) ? spec_.count * spec_.element_size : bytes_;
  choice.direct = edges_ != nullptr;
  choice.layout = reduces(kind_) && spec_.same_in_any_layout;
  if (has_parts(kind_) && kind_ != Kind::reduce_scatter) choice.bytes = begins_.back();
  // Blocks of an alltoallv differ between members, so their sizes decide nothing.
  choice.equal = bytes_ != 0 || kind_ != Kind::alltoall;
  const core::GroupState& group = group_->state();
  if (!group.node_room().used()) return choice;
  if (group.nodes().one())
    choice.node = !reduces(kind_) || spec_.element_size <= Node::kDesk / group_->size();
  else
    choice.levels = can_go_by_nodes(group.nodes()), choice.blocks = group.nodes().consecutive();
  return choice;
}

}  // namespace polder::coll
