// Copies between local memory and views, and between views, as one transfer a unit and several units at once.
//
//   copy(a.sub({0, 0}, {10, 20}), buffer);              // 200 elements, row-major, from wherever they lie
//   copy(buffer, a.sub({5, 5}, {10, 20}));
//   auto copying = copy_async(a.all(), buffer);  compute();  copying.wait();
//   copy(a.all(), b.all());                             // collective: each unit fetches what it owns of b
//
// The first two are one-sided: no other unit takes part, and whoever reads what others write meets them first. A copy that
// fails throws once nothing reads or writes the local memory any more. For that it waits as long as it takes, also longer
// than the team does: until what is under way has come, or the units that it goes to and comes from have failed.
#pragma once

#include <polder/containers/team.hpp>
#include <polder/containers/view.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {

// A copy under way. The local memory stays untouched until wait() has returned, and must not go before this object, whose
// end waits until nothing reads or writes it, however long that takes: nobody could call the network back. Must not
// outlive its team.
class CopyUnderWay {
 public:
  CopyUnderWay(const Team& team, Completion completion) : team_(team), completion_(completion) {}
  ~CopyUnderWay() {
    if (handle_.idle()) return;
    const Status ignored =
        handle_.wait(Completion::local, Timeout::block());  // whoever wants to know has called wait()
    (void)ignored;
  }
  CopyUnderWay(CopyUnderWay&&) = default;
  CopyUnderWay& operator=(CopyUnderWay&&) = default;

  // Local memory is filled, or what was written is visible. Failure: a unit is gone; timeout: call again to go on.
  void wait() { team_.check(handle_.wait(completion_, team_.timeout()), "a copy"); }

  const Team& team() const { return team_; }
  Post post() { return {handle_, team_.timeout()}; }

 private:
  Team team_;
  Completion completion_;
  Handle handle_;
};

// Room for elements on their way. Not a std::vector, whose bools are bits, and which fills what is written over anyway.
template <class T>
class ElementBuffer {
 public:
  // `count` elements; those that were there may be gone.
  std::span<T> of(std::size_t count) {
    if (count > room_) {
      elements_ = std::make_unique_for_overwrite<T[]>(count);
      room_ = count;
    }
    return {elements_.get(), count};
  }

 private:
  std::unique_ptr<T[]> elements_;
  std::size_t room_ = 0;
};

// ---- how one piece travels ----

// A piece at a unit and its place in a row-major buffer over `whole`, as the shape of one transfer.
template <class T, std::size_t N>
class PieceTransfer {
 public:
  PieceTransfer(const OwnedBlock<N>& piece, const IndexBox<N>& whole) {
    const Index<N> strides = row_major(whole.extents);
    for (std::size_t d = 0; d < N; ++d) buffer_offset_ += (piece.box.first[d] - whole.first[d]) * strides[d];
    // Dimensions that lie together at both ends are one.
    std::size_t together = 1, d = N;
    auto joins = [&](std::size_t e) {
      return piece.box.extents[e] == 1 || (piece.strides[e] == together && strides[e] == together);
    };
    while (d > 0 && joins(d - 1)) together *= piece.box.extents[--d];
    strided_.bytes = together * sizeof(T);
    for (; d > 0; --d, ++levels_) {
      counts_[levels_] = piece.box.extents[d - 1];
      local_[levels_] = std::ptrdiff_t(strides[d - 1] * sizeof(T));
      remote_[levels_] = std::ptrdiff_t(piece.strides[d - 1] * sizeof(T));
    }
  }
  PieceTransfer(const PieceTransfer&) = delete;

  std::size_t buffer_offset() const { return buffer_offset_; }  // elements
  Shape shape() {
    if (levels_ == 0) return strided_.bytes;
    strided_.counts = std::span(counts_.data(), levels_);
    strided_.local_stride = std::span(local_.data(), levels_);
    strided_.remote_stride = std::span(remote_.data(), levels_);
    return strided_;
  }

 private:
  std::size_t buffer_offset_ = 0, levels_ = 0;
  Strided strided_;
  std::array<std::size_t, N> counts_{};
  std::array<std::ptrdiff_t, N> local_{}, remote_{};
};

// Many small pieces of a unit as one list; a few large ones as strided transfers of their own.
template <class C, class Transfer>
void transfer_unit(const View<C>& view, Rank unit, Transfer&& transfer) {
  using T = typename C::value_type;
  constexpr std::size_t N = C::kDimensions, kListed = 1024;
  std::vector<ListItem> items;
  auto flush = [&] {
    if (!items.empty()) transfer(0, 0, Shape(std::span<const ListItem>(items)));
    items.clear();
  };
  for_each_piece(view, unit, [&](const OwnedBlock<N>& piece) {
    PieceTransfer<T, N> travel(piece, view.box());
    if (const Shape shape = travel.shape(); shape.kind() == Shape::Kind::strided || shape.bytes() >= 4096)
      return transfer(travel.buffer_offset(), piece.offset, shape);
    items.push_back({std::ptrdiff_t(travel.buffer_offset() * sizeof(T)), std::ptrdiff_t(piece.offset * sizeof(T)),
                     travel.shape().bytes()});
    if (items.size() == kListed) flush();
  });
  flush();
}

inline void check_length(std::size_t view, std::size_t buffer, const std::string& name) {
  if (view != buffer)
    throw_failure(Code::invalid_size, "a copy: the view of array '" + name + "' has " + std::to_string(view) +
                                          " elements, the memory " + std::to_string(buffer));
}

// ---- copies ----

// Row-major, as many elements as the view has; the local memory holds no elements of the view. Throws Failure: not as many; a
// unit is gone.
template <BoxRange R>
[[nodiscard]] CopyUnderWay copy_async(R&& range, std::span<typename decltype(view_of(range))::value_type> to) {
  const auto view = view_of(range);
  auto& from = view.container();
  check_length(view.size(), to.size(), from.name());
  CopyUnderWay copying(from.team(), Completion::local);
  for (Rank unit = 0; unit < from.team().units(); ++unit)
    transfer_unit(view, unit, [&](std::size_t local, std::size_t place, const Shape& shape) {
      const GlobalAddress source = from.pointer(unit, place).address();
      Runtime& runtime = copying.team().runtime();
      copying.team().check(shape.kind() == Shape::Kind::contiguous
                               ? runtime.get(to.data() + local, source, shape.bytes(), copying.post())
                               : runtime.get(to.data() + local, source, shape, copying.post()),
                           [&] { return "a copy from array '" + from.name() + "'"; });
    });
  return copying;
}
template <BoxRange R>
[[nodiscard]] CopyUnderWay copy_async(
    std::span<const std::type_identity_t<typename decltype(view_of(std::declval<R&>()))::value_type>> from, R&& range) {
  const auto view = view_of(range);
  auto& to = view.container();
  check_length(view.size(), from.size(), to.name());
  CopyUnderWay copying(to.team(), Completion::remote);
  for (Rank unit = 0; unit < to.team().units(); ++unit)
    transfer_unit(view, unit, [&](std::size_t local, std::size_t place, const Shape& shape) {
      const GlobalAddress target = to.pointer(unit, place).address();
      Runtime& runtime = copying.team().runtime();
      copying.team().check(shape.kind() == Shape::Kind::contiguous
                               ? runtime.put(from.data() + local, target, shape.bytes(), copying.post())
                               : runtime.put(from.data() + local, target, shape, copying.post()),
                           [&] { return "a copy to array '" + to.name() + "'"; });
    });
  return copying;
}

template <BoxRange R>
void copy(R&& range, std::span<typename decltype(view_of(range))::value_type> to) {
  copy_async(range, to).wait();
}
template <BoxRange R>
void copy(std::span<const std::type_identity_t<typename decltype(view_of(std::declval<R&>()))::value_type>> from,
          R&& range) {
  copy_async(from, range).wait();
}

// Collective over the team of `to`: each unit fetches what it owns of `to`. The views have the same extents, any
// distributions, and do not overlap. It begins and ends with a barrier, so what units wrote before is what is copied,
// and all is there afterwards. One box in local memory a block. Throws Failure: other extents; a unit is gone.
template <BoxRange From, BoxRange To>
void copy(From&& from_range, To&& to_range) {
  const auto from = view_of(from_range);
  const auto to = view_of(to_range);
  auto& target = to.container();
  if (from.extents() != to.extents())
    throw_failure(Code::invalid_size, "a copy: a view of " + to_string(from.extents()) + " of array '" +
                                          from.container().name() + "' to one of " + to_string(to.extents()) +
                                          " of array '" + target.name() + "'");
  const std::string what = "a copy from array '" + from.container().name() + "' to array '" + target.name() + "'";
  target.team().barrier(what);
  ElementBuffer<typename decltype(from)::value_type> room;
  const auto fetch_piece = [&](const auto& piece) {
    auto first = piece.box.first;
    for (std::size_t d = 0; d < first.size(); ++d) first[d] -= to.box().first[d];
    const auto buffer = room.of(piece.box.size());
    copy(from.sub(first, piece.box.extents), buffer);
    for (std::size_t at = 0; at < buffer.size(); ++at) {
      auto index = index_at(at, piece.box.extents);
      target.local()[piece.offset + dot(index, piece.strides)] = buffer[at];
    }
  };
  target.team().own_part([&] { for_each_piece(to, target.team().unit(), fetch_piece); });
  target.team().barrier(what);
}

}  // namespace polder::containers
