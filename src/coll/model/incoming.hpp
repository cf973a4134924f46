// The end of a member's link at which bytes come in: one letter behind the other.
#pragma once

namespace polder::coll {

class Incoming {
 public:
  // When a letter is in that would be at `arrives` if it were the only one: bytes come in one behind the other, first those
  // of the letter that begins first. Letters are seen in the order in which they are asked for here, so one that began
  // before those that keep the link busy is not held up by them, and they are not put off any more.
  double comes_in(double arrives, double transfer) {
    constexpr double kRounding = 1e-9;  // of times that would be the same
    const double begins = arrives - transfer, same = kRounding * arrives;
    if (begins < busy_from_ - same) {
      if (arrives > busy_from_) busy_to_ += arrives - busy_from_, busy_from_ = begins;
      return arrives;
    }
    if (begins >= busy_to_ - same)
      busy_from_ = begins, busy_to_ = arrives;
    else
      busy_to_ += transfer;
    return busy_to_;
  }

 private:
  double busy_from_ = 0, busy_to_ = 0;  // bytes come in without a pause
};

}  // namespace polder::coll
