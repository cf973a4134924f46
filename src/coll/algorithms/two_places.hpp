// A vector that is combined round by round, and sent meanwhile: what comes of it goes from one place to another and back.
#pragma once

#include <cstddef>
#include <utility>

namespace polder::coll {

class TwoPlaces {
 public:
  // It begins in `send` and moves so often; `receive`, which may be `send`, and `scratch` have room for it. It ends in `receive`, if
  // `send` is elsewhere.
  TwoPlaces(const std::byte* send, std::byte* receive, std::byte* scratch, unsigned moves)
      : vector_(send), next_(receive), after_(scratch) {
    if (send == receive || moves % 2 == 0) std::swap(next_, after_);
  }

  const std::byte* vector() const { return vector_; }
  std::byte* next() const { return next_; }
  void move() {
    vector_ = next_;
    std::swap(next_, after_);
  }

 private:
  const std::byte* vector_;
  std::byte *next_, *after_;
};

}  // namespace polder::coll
