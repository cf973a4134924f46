// A runtime's life, and the calls that only forward to one of its parts.
#include <polder/runtime.hpp>

#include "core/engine/attach.hpp"
#include "core/engine/engine.hpp"
#include "core/group/group_state.hpp"
#include "util/deadline.hpp"
#include "util/forked.hpp"

namespace polder {

namespace {

Result<std::unique_ptr<Runtime>> make_runtime(Result<core::EngineParts> parts, const RuntimeOptions& options) {
  if (!parts.ok()) return std::move(parts).status();
  auto engine = core::Engine::create(*std::move(parts), options);
  if (!engine.ok()) return std::move(engine).status();
  return std::make_unique<Runtime>(*std::move(engine));
}

}  // namespace

Result<std::unique_ptr<Runtime>> Runtime::create(const RuntimeOptions& options) {
  return make_runtime(core::attach(options.timeout), options);
}

Result<std::unique_ptr<Runtime>> Runtime::create(const RuntimeOptions& options, const Exchange& exchange) {
  return make_runtime(core::attach(exchange), options);
}

Runtime::Runtime(std::unique_ptr<core::Engine> engine) : engine_(std::move(engine)) {}

// As exit() ends static objects in a child, too.
Runtime::~Runtime() {
  if (engine_->outside().in_forked_child()) util::leave_undestroyed(engine_.release());
}

Rank Runtime::rank() const {
  return engine_->rank();
}
Rank Runtime::size() const {
  return engine_->size();
}
Rank Runtime::local_rank() const {
  return engine_->outside().bootstrap->job().local_rank;
}
Rank Runtime::local_size() const {
  return engine_->outside().bootstrap->job().local_size;
}
const std::string& Runtime::host() const {
  return engine_->outside().bootstrap->job().host;
}

namespace {

constexpr Timeout kConfirmationPatience = std::chrono::seconds(5);  // peers' helpers answer, not their programs

Status no_such_rank(const char* what, Rank rank, Rank size) {
  return {Code::invalid_rank,
          std::string(what) + ": rank " + std::to_string(rank) + " does not exist in a job of " + std::to_string(size)};
}

}  // namespace

Result<std::string> Runtime::host(Rank rank, Timeout timeout) const {
  if (rank >= size()) return no_such_rank("host", rank, size());
  if (engine_->outside().bootstrap->same_node(rank)) return host();
  auto name = engine_->outside().bootstrap->lookup(rank, core::Engine::kHostKey, timeout);
  if (!name.ok()) return std::move(name).status();
  return std::string(reinterpret_cast<const char*>(name->data()), name->size());
}

Result<Rank> Runtime::node(Rank rank) const {
  if (rank >= size()) return no_such_rank("node", rank, size());
  if (const auto first = engine_->outside().bootstrap->first_beside(rank)) return *first;
  return Status(Code::unsupported, "node: this job's launcher does not say which ranks share a node");
}

bool Runtime::same_node(Rank rank) const {
  return rank < size() && engine_->outside().bootstrap->same_node(rank);
}

std::vector<Rank> Runtime::node_ranks() const {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < size(); ++rank)
    if (rank == this->rank() || same_node(rank)) ranks.push_back(rank);
  return ranks;
}

Result<Segment> Runtime::create_segment(const SegmentSpec& spec) {
  if (Status status = engine_->peers().check_open(); !status.ok()) return status;
  return engine_->segments().create(spec);
}

Result<Segment> Runtime::create_segment(const SegmentSpec& spec, Group& group, Timeout timeout) {
  if (spec.id == kAnySegment)
    return Status(Code::invalid_segment, "a segment that a group creates needs an id that all members choose");
  if (!group.committed()) return Status(Code::invalid_group, "a segment of a group that has not been committed");
  const util::Deadline deadline(timeout, engine_->clock());
  auto segment = create_segment(spec);
  if (!segment.ok()) return segment;
  Status status = group.barrier(timeout);
  if (status.ok()) return segment;
  // After a timeout the caller goes on with the barrier; after anything else there is nothing to go on with. Peers that
  // have not confirmed in time that they use it no more keep its memory, which nobody finds any more.
  if (!status.timed_out()) [[maybe_unused]]
    const Status removed = engine_->segments().remove(
        spec.id, std::chrono::nanoseconds(deadline.left(kConfirmationPatience.nanoseconds())));
  return status;
}

Status Runtime::delete_segment(SegmentId id) {
  if (id >= core::Root::kFirstGroupSegment)
    return {Code::invalid_segment, "segment " + std::to_string(id) + " belongs to a group"};
  return engine_->segments().remove(id, kConfirmationPatience);
}

Result<Segment> Runtime::segment(SegmentId id) const {
  return engine_->segments().find(id);
}
std::vector<SegmentId> Runtime::segments() const {
  return engine_->segments().ids();
}

Result<RemoteSegment> Runtime::remote_segment(Rank rank, SegmentId id, Timeout timeout) {
  auto segment = engine_->peer_segments().resolve(rank, id, timeout);
  if (!segment.ok()) return std::move(segment).status();
  return RemoteSegment{(*segment)->size, (*segment)->notifications, (*segment)->data};
}

Queue& Runtime::queue() {
  return engine_->one_sided().default_queue();
}

Result<std::unique_ptr<Queue>> Runtime::create_queue(std::size_t depth) {
  if (depth == 0) return Status(Code::invalid_argument, "a queue needs a depth of at least 1");
  return engine_->one_sided().make_queue(depth);
}

Status Runtime::register_handler(MessageId id, MessageHandler handler) {
  return engine_->messaging().register_handler(id, std::move(handler));
}

Status Runtime::send(Rank rank, MessageId id, std::span<const std::byte> bytes, Timeout timeout) {
  return engine_->messaging().send(rank, id, bytes, timeout);
}

std::size_t Runtime::max_message() const {
  return engine_->outside().device->capabilities().max_message;
}

void Runtime::progress() {
  while (engine_->progress().make() != 0) {
  }
  if (engine_->clock().simulated() != nullptr) util::yield_core();  // a caller who polls polls later
}

Group& Runtime::world() {
  return engine_->world();
}

Result<std::unique_ptr<Group>> Runtime::create_group(std::span<const Rank> ranks, std::uint64_t label) {
  return core::GroupState::make(engine_->groups(), {ranks.begin(), ranks.end()}, label);
}

Result<std::unique_ptr<Group>> Runtime::create_group(Rank first, Rank count) {
  if (first >= size() || count > size() - first)
    return Status(Code::invalid_rank, "ranks " + std::to_string(first) + " to " +
                                          std::to_string(std::uint64_t(first) + count) + " are not all in a job of " +
                                          std::to_string(size()));
  std::vector<Rank> ranks(count);
  for (Rank i = 0; i < count; ++i) ranks[i] = first + i;
  return core::GroupState::make(engine_->groups(), std::move(ranks));
}

Health Runtime::health(Rank rank) const {
  return rank < size() ? engine_->peers().health(rank) : Health::failed;
}

std::vector<Health> Runtime::health() const {
  std::vector<Health> all(size());
  for (Rank rank = 0; rank < size(); ++rank) all[rank] = health(rank);
  return all;
}

std::uint64_t Runtime::health_changes() const {
  return engine_->peers().changes();
}

Status Runtime::mark_failed(Rank rank) {
  if (rank >= size()) return {Code::invalid_rank, "rank " + std::to_string(rank) + " does not exist"};
  engine_->outside().bootstrap->report_failure(rank);
  engine_->peers().refresh();
  return {};
}

Status Runtime::kill(Rank rank, Timeout timeout) {
  if (rank >= size()) return {Code::invalid_rank, "rank " + std::to_string(rank) + " does not exist"};
  if (rank == this->rank())
    return {Code::invalid_rank, "kill: rank " + std::to_string(rank) + " is this one; a rank ends itself with abort()"};
  Status status = engine_->outside().bootstrap->kill(rank);
  return status.code() == Code::unsupported ? engine_->remote_end().end(rank, timeout) : status;
}

void Runtime::leave() {
  engine_->retire();
}

void Runtime::abort(int code, const std::string& reason) {
  engine_->outside().bootstrap->abort(code, reason);
}

}  // namespace polder
