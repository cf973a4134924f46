#include "api/dart/transfer/transfer.hpp"

#include <span>
#include <thread>

namespace polder::dart {
namespace {

// Pieces of a call with types that do not lie in one piece, where this unit loads and stores them.
void copy_pieces(const TransferCall& call, std::span<const ListItem> items, std::byte* direct) {
  for (const ListItem& item : items) {
    std::byte* const there = direct + item.remote;
    std::byte* const here = call.local + item.local;
    if (call.direction == TransferDirection::put)
      std::memcpy(there, here, item.bytes);
    else
      std::memcpy(here, there, item.bytes);
  }
}

Status post_shape(DartEpoch& epoch, const TransferCall& call, GlobalAddress remote, const Shape& shape,
                  const Post& post) {
  if (call.direction == TransferDirection::put) return epoch.runtime().put(call.local, remote, shape, post);
  return epoch.runtime().get(call.local, remote, shape, post);
}

bool one_piece(dart_datatype_t type) {
  const DerivedType* const made = derived(type);
  return made == nullptr || made->kind == DerivedType::Kind::custom;
}

}  // namespace

Status transfer(DartEpoch& epoch, const TransferCall& call, const Post& post) {
  TargetPlace place;
  if (!find_place(epoch, call.remote, place)) return no_place(epoch, call.remote);
  std::size_t bytes = 0;
  if (Status status = TransferShape::check(call.elements, call.local_type, call.remote_type, bytes); !status.ok())
    return status;
  if (bytes == 0) return {};
  if (call.local == nullptr) return null_argument(call.direction == TransferDirection::put ? "src" : "dest");
  if (const std::size_t reach = *span_of(call.elements, call.remote_type); !inside(call.remote, place, reach))
    return beyond_end(call.remote, place, reach);
  const GlobalAddress remote = place.address(call.remote.addr_or_offs.offset);
  if (one_piece(call.local_type) && one_piece(call.remote_type)) {
    const ListItem all{0, 0, bytes};
    if (place.direct == nullptr) return post_shape(epoch, call, remote, Shape(bytes), post);
    copy_pieces(call, std::span(&all, 1), place.direct);
    return {};
  }
  TransferShape shape(call.elements, call.local_type, call.remote_type, bytes);
  for (auto items = shape.next(); !items.empty(); items = shape.next()) {
    if (place.direct != nullptr) {
      copy_pieces(call, items, place.direct);
      continue;
    }
    if (Status status = post_shape(epoch, call, remote, Shape(items), post); !status.ok()) return status;
  }
  return {};
}

void let_others_go_on(DartEpoch& epoch) {
  constexpr unsigned kProgressEach = 256, kYieldEach = 1024;
  static thread_local unsigned calls = 0;
  if (++calls % kProgressEach != 0) [[likely]]
    return;
  epoch.runtime().progress();
  if (calls % kYieldEach == 0) std::this_thread::yield();
}

Status flush(DartEpoch& epoch, const dart_gptr_t& pointer, Completion completion) {
  TargetPlace place;
  if (!find_place(epoch, pointer, place)) return no_place(epoch, pointer);
  if (place.part == nullptr) return {};
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Status status;
  // To memory that is stored to nothing was posted; but a program that polls there has to hear that its unit is gone.
  if (place.direct == nullptr || epoch.runtime().health(place.part->rank) == Health::failed) {
    status = epoch.runtime().wait_for(place.part->rank, completion, Timeout::block());
    // What failed later than it was posted is told by the queue.
    if (Queue& queue = epoch.runtime().queue(); status.ok() && queue.outstanding() == 0)
      status = queue.wait(completion, Timeout::block());
  }
  if (status.ok() && completion == Completion::remote) status = epoch.unit().atomics.flush(place.part->rank);
  if (place.own) let_others_go_on(epoch);
  return status;
}

Status flush_all(DartEpoch& epoch, const dart_gptr_t& pointer, Completion completion) {
  const DartTeam* const team = epoch.team(pointer.teamid);
  if (team == nullptr) return no_such_team(pointer.teamid);
  if (team->segments.find(pointer.segid) == nullptr) return no_place(epoch, pointer);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Status status = epoch.runtime().queue().wait(completion, Timeout::block());
  if (status.ok() && completion == Completion::remote) status = epoch.unit().atomics.flush_all();
  return status;
}

}  // namespace polder::dart
