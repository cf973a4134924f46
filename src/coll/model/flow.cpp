#include "coll/model/flow.hpp"

#include "coll/model/incoming.hpp"
#include "util/assert.hpp"
#include "util/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace polder::coll {

class FlowWire final : public Wire {
 public:
  static constexpr Slot kNothing = ~Slot{0};

  FlowWire(FlowModel& flow, Rank member, Rank members)
      : Wire(strand_, member, members, Slots(members, flow.options_.near)), strand_(flow.frames_), flow_(flow) {}

  void begin_at(double time, double death) {
    clock = time;
    dies_ = death;
    card_free_ = 0;
    incoming_ = {};
    depth = 0;
    disturbances_ = 0;
    scratch_.clear();
    first = last = FlowModel::kNone;
    waits_for = kNothing;
  }
  // It has stopped, or would have by now had a letter come.
  bool dead() const { return strand.under_way() && dies_ != std::numeric_limits<double>::infinity(); }

  void copy(void* to, const void* from, std::size_t bytes) override {
    if (flow_.options_.payload && bytes != 0 && to != from) std::memmove(to, from, bytes);
  }

  std::byte* scratch(std::size_t bytes, bool steers) override {
    if (!flow_.options_.payload && !steers) return flow_.phantom_->take(bytes);
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
  std::uint32_t depth = 0;                                          // letters of the longest chain that ends here
  std::uint32_t first = FlowModel::kNone, last = FlowModel::kNone;  // letters that have come

 private:
  bool poll(std::span<Out> outs, std::span<In> ins) override {
    if (clock >= dies_) return false;
    for (Out& out : outs)
      if (!out.ended && !post(out)) return false;
    for (In& in : ins)
      if (!in.ended && !take(in)) return false;
    return true;
  }

  // What a step sends of a letter is a letter here. False: the member has died before.
  bool post(Out& out) {
    const LogGP& network = flow_.network(me, out.to);
    const std::size_t bytes = std::min(out.up_to, out.bytes) - out.done;
    const double transfer = double(bytes) * network.per_byte;
    clock += network.overhead + disturbance();
    const double leaves = std::max(clock, card_free_);
    if (leaves >= dies_) return false;
    card_free_ = leaves + std::max(network.gap, transfer);
    FlowModel::Letter letter{leaves + network.latency + transfer, bytes, nullptr, out.slot, out.to, depth + 1};
    if ((flow_.options_.payload || out.steers) && bytes != 0) {
      letter.content.reset(new std::byte[bytes]);
      out.copy_to(letter.content.get(), bytes, util::copy_block);
    }
    flow_.send(me, leaves + network.latency, std::move(letter));
    out.done += bytes;
    out.ended = out.done == out.bytes;
    return true;
  }

  bool take(In& in) {
    std::uint32_t before = FlowModel::kNone, at = first;
    while (at != FlowModel::kNone && flow_.letters_[at].slot != in.slot)
      before = std::exchange(at, flow_.letters_[at].next);
    waits_for = at == FlowModel::kNone ? in.slot : kNothing;
    if (at == FlowModel::kNone) return false;
    FlowModel::Letter& letter = flow_.letters_[at];
    (before == FlowModel::kNone ? first : flow_.letters_[before].next) = letter.next;
    if (last == at) last = before;
    const LogGP& network = flow_.network(in.from, me);
    clock = std::max(clock, incoming_.comes_in(letter.arrives, double(letter.bytes) * network.per_byte)) +
            network.overhead + disturbance();
    depth = std::max(depth, letter.depth);
    const std::size_t expected = std::min(in.up_to, in.bytes) - in.done;
    if (letter.bytes != expected) refuse(in.from, expected, letter.bytes);
    put_away(in, letter, std::min(expected, letter.bytes));
    letter.content.reset();
    letter.next = std::exchange(flow_.free_, at);
    in.done += expected;
    in.ended = in.done == in.bytes;
    return true;
  }

  void put_away(const In& in, const FlowModel::Letter& letter, std::size_t bytes) {
    std::byte* const content = letter.content.get();
    if (in.take == Take::copy) {
      if (content != nullptr) in.copy_from(content, bytes, util::copy_block);
      return;
    }
    const std::byte* const operand = in.operand();
    std::byte* const into = static_cast<std::byte*>(in.into) + in.done;
    if (in.take == Take::combine_right) {
      fold(operand, content, into, bytes);
    } else if (operand != into) {
      fold(content, operand, into, bytes);
    } else {
      fold(content, operand, content, bytes);
      if (content != nullptr) std::memcpy(into, content, bytes);
    }
  }

  bool fold(const void* one, const void* two, void* result, std::size_t bytes) override {
    clock += double(bytes) * flow_.options_.network.combining;
    if (flow_.options_.payload && bytes != 0) flow_.fail((*elements.combine)(one, two, result, bytes / elements.size));
    return true;
  }

  double disturbance() {
    const Noise& noise = flow_.options_.noise;
    if (noise.probability == 0) return 0;
    util::Random random(util::mix(noise.seed ^ util::mix(me)) + ++disturbances_);
    return random.unit() < noise.probability ? -noise.mean * std::log1p(-random.unit()) : 0;
  }

  Strand strand_;
  FlowModel& flow_;
  double dies_ = std::numeric_limits<double>::infinity();
  std::uint64_t disturbances_ = 0;
  double card_free_ = 0;  // when the next letter can leave
  Incoming incoming_;
  std::vector<std::unique_ptr<std::byte[]>> scratch_;
};

FlowModel::FlowModel(Rank members, FlowOptions options) : options_(std::move(options)) {
  if (!options_.payload) phantom_ = std::make_unique<Phantom>();
  if (options_.interconnect != nullptr) {
    POLDER_ASSERT(options_.per_node > 0 && (members - 1) / options_.per_node < options_.interconnect->nodes());
    traffic_ = std::make_unique<LinkTraffic>(*options_.interconnect, options_.hop, options_.network.per_byte);
  }
  wires_.reserve(members);
  for (Rank member = 0; member < members; ++member)
    wires_.push_back(std::make_unique<FlowWire>(*this, member, members));
}

FlowModel::~FlowModel() = default;

Result<FlowOutcome> FlowModel::run(const std::function<Task(Wire&)>& begin) {
  outcome_ = {};
  failure_ = {};
  if (phantom_ && phantom_->base() == nullptr)
    return Status{Code::system, "this process may not reserve the addresses of vectors whose contents are left out"};
  letters_.clear();
  free_ = kNone;
  for (auto& wire : wires_) {
    wire->strand.abandon();
    wire->begin_at(options_.begins ? options_.begins(wire->me) : 0,
                   options_.dies ? options_.dies(wire->me) : std::numeric_limits<double>::infinity());
  }
  if (traffic_) traffic_->clear();
  for (auto& wire : wires_) {
    wire->strand.begin(begin(*wire));
    runnable_.push_back(wire->me);
    drive();
  }
  for (LinkTraffic::Arrival next{}; traffic_ && traffic_->next(next);) {
    letters_[next.letter].arrives = next.time;
    arrive(next.letter);
    drive();
  }
  count_those_left_behind();
  if (Status status = stuck(); failure_.ok() && outcome_.dead == 0 && !status.ok()) failure_ = std::move(status);
  if (!failure_.ok()) return std::move(failure_);
  for (const auto& wire : wires_) {
    outcome_.rounds = std::max(outcome_.rounds, wire->depth);
    if (!wire->strand.under_way() && wire->clock > outcome_.time) outcome_.time = wire->clock, outcome_.last = wire->me;
  }
  if (traffic_) outcome_.waited = traffic_->waited();
  outcome_.memory = frames_.reserved() + letters_.capacity() * sizeof(Letter) + wires_.size() * sizeof(FlowWire);
  return outcome_;
}

void FlowModel::drive() {
  while (!runnable_.empty()) {
    FlowWire& wire = *wires_[runnable_.back()];
    runnable_.pop_back();
    wire.strand.advance();
  }
}

double FlowModel::left(Rank member) const {
  return wires_[member]->clock;
}

void FlowModel::count_those_left_behind() {
  for (const auto& wire : wires_) {
    if (!wire->strand.under_way()) continue;
    ++(wire->dead() ? outcome_.dead : outcome_.hanging);
  }
}

void FlowModel::send(Rank from, double leaves, Letter letter) {
  ++outcome_.letters;
  outcome_.bytes += letter.bytes;
  const Rank to = letter.to;
  const std::size_t bytes = letter.bytes;
  const double arrives = letter.arrives;
  const std::uint32_t at = keep(std::move(letter));
  if (!traffic_)
    arrive(at);
  else if (beside(from, to))
    traffic_->deliver(at, arrives);
  else
    traffic_->carry(at, node_of(from), node_of(to), bytes, leaves);
}

void FlowModel::arrive(std::uint32_t at) {
  FlowWire& target = *wires_[letters_[at].to];
  (target.first == kNone ? target.first : letters_[target.last].next) = at;
  target.last = at;
  if (target.waits_for != letters_[at].slot) return;
  target.waits_for = FlowWire::kNothing;
  runnable_.push_back(target.me);
}

std::uint32_t FlowModel::keep(Letter letter) {
  if (free_ == kNone) {
    letters_.push_back(std::move(letter));
    return std::uint32_t(letters_.size() - 1);
  }
  const std::uint32_t at = free_;
  free_ = letters_[at].next;
  letters_[at] = std::move(letter);
  return at;
}

Status FlowModel::stuck() const {
  for (const auto& wire : wires_)
    if (wire->strand.under_way())
      return {Code::invalid_argument, "member " + std::to_string(wire->me) + " waits for a letter in slot " +
                                          std::to_string(wire->waits_for) + " that nobody sends"};
  return {};
}

void FlowModel::fail(Status status) {
  if (failure_.ok()) failure_ = std::move(status);
}

}  // namespace polder::coll
