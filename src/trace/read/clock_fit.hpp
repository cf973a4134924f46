// How the clock of one machine stands to that of another, from messages between them.
//
// A message that a left at s and b received at r says that b's clock, put right, shows at least s at r. Messages of both
// directions leave a gap between such bounds in which the true line lies: offset and drift are those of the line in the
// middle of the widest gap (Duda et al. 1987, "Estimating global time in distributed systems"). The error that remains is how far any
// other line between the bounds is from that, where it is farthest; the true one is among them. Where there is no gap it is negative, and
// by so much the worst message runs backwards.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace polder::trace {

// What to add to a machine's time, itself a line of that time.
struct ClockLine {
  double at_ns = 0;  // where offset_ns is exact
  double offset_ns = 0;
  double drift = 0;      // ns per ns
  double error_ns = -1;  // infinite where only one direction was seen

  std::int64_t correct(std::int64_t time_ns) const {
    return time_ns + std::int64_t(offset_ns + drift * (double(time_ns) - at_ns));
  }
};

class ClockFit {
 public:
  // Times lie between these; they are kept by 256ths of that, so that memory is small and the fit as good.
  ClockFit(std::int64_t first_ns, std::int64_t last_ns);

  // At `time_ns` of the clock to be put right the offset is at least, or at most, so much.
  void at_least(std::int64_t time_ns, std::int64_t offset_ns) { keep(lower_, time_ns, offset_ns, true); }
  void at_most(std::int64_t time_ns, std::int64_t offset_ns) { keep(upper_, time_ns, offset_ns, false); }

  bool known() const { return !lower_.empty() || !upper_.empty(); }

  // `guess_ns` where nothing, or only one direction, is known.
  ClockLine line(double guess_ns) const;

 private:
  struct Bound {
    double time;
    double offset;
  };
  using Bounds = std::map<std::int64_t, Bound>;  // by 256th

  void keep(Bounds& bounds, std::int64_t time_ns, std::int64_t offset_ns, bool largest);
  std::pair<double, double> gap(double drift, double at) const;  // lowest and highest offset at that time
  double width(double drift) const;
  double farthest_from(const ClockLine& line) const;

  const double first_;
  const double length_;
  Bounds lower_;
  Bounds upper_;
};

}  // namespace polder::trace
