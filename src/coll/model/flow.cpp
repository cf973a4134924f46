#include "coll/model/flow.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace polder::coll {

class FlowWire final : public Wire {
 public:
  static constexpr Slot kNothing = ~Slot{0};

  FlowWire(Flow& flow, Rank member, Rank members)
      : Wire(strand_, member, members, Slots(members, flow.options_.near)), strand_(flow.frames_), flow_(flow) {}

  void begin_at(double time) {
    clock = time;
    card_free_ = 0;
    scratch_.clear();
  }

  void copy(void* to, const void* from, std::size_t bytes) override {
    if (flow_.options_.payload && bytes != 0 && to != from) std::memmove(to, from, bytes);
  }

  std::byte* scratch(std::size_t bytes) override {
    static std::byte nothing[64];
    if (!flow_.options_.payload) return nothing;
    scratch_.emplace_back(new std::byte[bytes]);
    return scratch_.back().get();
  }

  void refuse(Rank from, std::size_t expected, std::size_t bytes) override {
    flow_.fail({Code::invalid_size, "member " + std::to_string(me) + " expected " + std::to_string(expected) +
                                        " bytes of member " + std::to_string(from) + " and got " +
                                        std::to_string(bytes)});
  }

  Status failure() const override { return {}; }
  void fail(const Status&) override {}

  double clock = 0;
  Slot waits_for = kNothing;
  std::uint32_t first = Flow::kNone, last = Flow::kNone;  // letters that have come

 private:
  bool poll(std::span<Out> outs, std::span<In> ins) override {
    for (Out& out : outs)
      if (!std::exchange(out.ended, true)) post(out);
    for (In& in : ins)
      if (!in.ended && !take(in)) return false;
    return true;
  }

  void post(const Out& out) {
    const LogGP& network = flow_.options_.network;
    const double transfer = double(out.bytes) * network.per_byte;
    clock += network.overhead;
    const double leaves = std::max(clock, card_free_);
    card_free_ = leaves + std::max(network.gap, transfer);
    Flow::Letter letter{leaves + network.latency + transfer, out.bytes, nullptr, out.slot};
    if (flow_.options_.payload && out.bytes != 0) {
      letter.content.reset(new std::byte[out.bytes]);
      std::memcpy(letter.content.get(), out.data, out.bytes);
    }
    flow_.send(out.to, std::move(letter));
  }

  bool take(In& in) {
    std::uint32_t before = Flow::kNone, at = first;
    while (at != Flow::kNone && flow_.letters_[at].slot != in.slot) before = std::exchange(at, flow_.letters_[at].next);
    waits_for = at == Flow::kNone ? in.slot : kNothing;
    if (at == Flow::kNone) return false;
    Flow::Letter& letter = flow_.letters_[at];
    (before == Flow::kNone ? first : flow_.letters_[before].next) = letter.next;
    if (last == at) last = before;
    clock = std::max(clock, letter.arrives) + flow_.options_.network.overhead;
    if (letter.bytes != in.bytes) refuse(in.from, in.bytes, letter.bytes);
    put_away(in, letter);
    letter.content.reset();
    letter.next = std::exchange(flow_.free_, at);
    in.ended = true;
    return true;
  }

  void put_away(const In& in, const Flow::Letter& letter) {
    if (in.take == Take::copy)
      copy(in.into, letter.content.get(), std::min(in.bytes, letter.bytes));
    else
      fold(in.into, letter.content.get(), std::min(in.bytes, letter.bytes), in.take);
  }

  bool fold(void* into, const void* with, std::size_t bytes, Take take) override {
    clock += double(bytes) * flow_.options_.network.combining;
    if (!flow_.options_.payload || bytes == 0) return true;
    const std::size_t count = bytes / elements.size;
    if (take == Take::combine_right) {
      flow_.fail((*elements.combine)(into, with, into, count));
    } else {
      std::unique_ptr<std::byte[]> result(new std::byte[bytes]);
      std::memcpy(result.get(), with, bytes);
      flow_.fail((*elements.combine)(result.get(), into, result.get(), count));
      std::memcpy(into, result.get(), bytes);
    }
    return true;
  }

  Strand strand_;
  Flow& flow_;
  double card_free_ = 0;  // when the next letter can leave
  std::vector<std::unique_ptr<std::byte[]>> scratch_;
};

Flow::Flow(Rank members, FlowOptions options) : options_(std::move(options)) {
  wires_.reserve(members);
  for (Rank member = 0; member < members; ++member)
    wires_.push_back(std::make_unique<FlowWire>(*this, member, members));
}

Flow::~Flow() = default;

Result<FlowOutcome> Flow::run(const std::function<Task(Wire&)>& begin) {
  outcome_ = {};
  failure_ = {};
  letters_.clear();
  free_ = kNone;
  for (auto& wire : wires_) {
    wire->strand.abandon();
    wire->begin_at(options_.begins ? options_.begins(wire->me) : 0);
    wire->first = wire->last = kNone;
    wire->waits_for = FlowWire::kNothing;
  }
  for (auto& wire : wires_) {
    wire->strand.begin(begin(*wire));
    runnable_.push_back(wire->me);
    drive();
  }
  if (Status status = stuck(); failure_.ok() && !status.ok()) failure_ = std::move(status);
  if (!failure_.ok()) return std::move(failure_);
  for (const auto& wire : wires_)
    if (wire->clock > outcome_.time) outcome_.time = wire->clock, outcome_.last = wire->me;
  outcome_.memory = frames_.reserved() + letters_.capacity() * sizeof(Letter) + wires_.size() * sizeof(FlowWire);
  return outcome_;
}

void Flow::drive() {
  while (!runnable_.empty()) {
    FlowWire& wire = *wires_[runnable_.back()];
    runnable_.pop_back();
    wire.strand.advance();
  }
}

double Flow::left(Rank member) const {
  return wires_[member]->clock;
}

void Flow::send(Rank to, Letter letter) {
  FlowWire& target = *wires_[to];
  const Slot slot = letter.slot;
  ++outcome_.letters;
  outcome_.bytes += letter.bytes;
  const std::uint32_t at = keep(std::move(letter));
  (target.first == kNone ? target.first : letters_[target.last].next) = at;
  target.last = at;
  if (target.waits_for != slot) return;
  target.waits_for = FlowWire::kNothing;
  runnable_.push_back(to);
}

std::uint32_t Flow::keep(Letter letter) {
  if (free_ == kNone) {
    letters_.push_back(std::move(letter));
    return std::uint32_t(letters_.size() - 1);
  }
  const std::uint32_t at = free_;
  free_ = letters_[at].next;
  letters_[at] = std::move(letter);
  return at;
}

Status Flow::stuck() const {
  for (const auto& wire : wires_)
    if (wire->strand.under_way())
      return {Code::invalid_argument, "member " + std::to_string(wire->me) + " waits for a letter in slot " +
                                          std::to_string(wire->waits_for) + " that nobody sends"};
  return {};
}

void Flow::fail(Status status) {
  if (failure_.ok()) failure_ = std::move(status);
}

}  // namespace polder::coll
