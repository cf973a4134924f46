// Vectors whose elements are combined in a wider form than they have in the buffers of the user: what is sent is widened
// when an operation begins, and what has come is narrowed when it has ended.
#pragma once

#include "coll/eventual/wish.hpp"

#include <polder/eventual.hpp>

#include <cstddef>
#include <vector>

namespace polder::coll {

class WideVectors {
 public:
  // Puts wide vectors in the place of the wish's, if it needs them. `sends`: this member has something to send.
  void begin(Wish& wish, bool sends) {
    if (wish.spec.narrow_size == 0) return;
    send_.resize(wish.vector());
    receive_.resize(wish.vector());
    if (sends) wish.spec.widen(wish.send, send_.data(), wish.spec.count);
    wish.send = send_.data();
    wish.receive = wish.kind == Kind::broadcast ? send_.data() : receive_.data();
  }

  // Elements that the operation has not touched stay as they are in the user's buffer, too.
  static void end(const Wish& wish, const EventualStatus& status) {
    if (wish.spec.narrow_size == 0 || wish.given_receive == nullptr) return;
    for (std::size_t i = 0; i < wish.spec.count; ++i)
      if (status.is_touched(i))
        wish.spec.narrow(wish.receive + i * wish.spec.element_size, wish.given_receive + i * wish.spec.narrow_size, 1);
  }

 private:
  std::vector<std::byte> send_, receive_;
};

}  // namespace polder::coll
