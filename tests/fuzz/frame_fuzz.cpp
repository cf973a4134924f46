// Frames of a peer that knows its session but sends anything: two devices over a transport that hands packets on within
// this process, one of which speaks with the fuzzer's words. What comes must not write outside of what is offered or
// asked for.
//
//   input: | kind of packet, 2 bytes | length, 2 bytes | its bytes | ...
#include "device/wire/wire_device.hpp"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace polder::device::wire {
namespace {

using Bytes = std::vector<std::byte>;

class Loop;

struct LoopEndpoint final : Endpoint {
  LoopEndpoint() { made_ = true; }
  Loop* to = nullptr;  // null: closed
  Addressee* owner = nullptr;
};

// What one sends arrives with the other's next progress().
class Loop final : public Transport {
 public:
  Loop(TransportEvents& events, Rank rank) : events_(events), address_(1, std::byte(rank)) { all()[rank] = this; }
  ~Loop() override { all()[std::size_t(address_[0])] = nullptr; }

  static Loop** all() {
    static Loop* loops[2] = {};
    return loops;
  }

  const std::vector<std::byte>& address() const override { return address_; }
  Result<Endpoint*> open(std::span<const std::byte> address, Addressee& owner) override {
    if (address.size() != 1 || address[0] > std::byte{1}) return Status(Code::peer_failed, "nobody", Died::peer);
    endpoints_.push_back(std::make_unique<LoopEndpoint>());
    endpoints_.back()->to = all()[std::size_t(address[0])];
    endpoints_.back()->owner = &owner;
    return static_cast<Endpoint*>(endpoints_.back().get());
  }
  void close(Endpoint& endpoint) override { static_cast<LoopEndpoint&>(endpoint).to = nullptr; }
  int closing() const override { return 0; }
  void abandon_if_needed(bool) override {}
  bool tells_closing(const Endpoint&) const override { return true; }
  Sent send(Endpoint& endpoint, Packet kind, std::span<const std::byte> header, std::span<const std::byte> data,
            Addressee&) override {
    Loop* const to = static_cast<LoopEndpoint&>(endpoint).to;
    if (to == nullptr) return Sent::refused;
    if (kind == Packet::frame && header.empty() && data.size() >= sizeof(FrameHeader))
      std::memcpy(&last_, data.data(), sizeof last_);
    to->arriving_.push_back({kind, Bytes(header.begin(), header.end()), Bytes(data.begin(), data.end())});
    return Sent::at_once;
  }
  bool progress(int) override {
    if (std::exchange(breaks_, false))
      for (const auto& endpoint : endpoints_)
        if (endpoint->to != nullptr) events_.on_broken(*endpoint->owner, *endpoint, "that is enough");
    if (arriving_.empty()) return false;
    const auto packet = std::move(arriving_.front());
    arriving_.pop_front();
    if (packet.kind == Packet::greeting)
      events_.on_greeting(packet.data, nullptr);
    else
      events_.on_frame(packet.header, land(packet.header, packet.data));
    return true;
  }
  bool arm() override { return arriving_.empty(); }
  int event_fd() const override { return -1; }

  // As a transport does that knows where it belongs before it is whole.
  std::span<const std::byte> land(std::span<const std::byte> header, std::span<const std::byte> data) {
    if (header.empty() || data.empty()) return data;
    std::byte* const place = events_.place_of(header, data.size());
    if (place == nullptr) return data;
    std::memcpy(place, data.data(), data.size());
    return {place, data.size()};
  }

  // As if the peer had sent it.
  void arrive(Packet kind, Bytes header, Bytes data) {
    arriving_.push_back({kind, std::move(header), std::move(data)});
  }
  // All ways end with the next progress().
  void break_off() { breaks_ = true; }
  // The last frame that left, by which its successor can be forged.
  const FrameHeader& last() const { return last_; }

 private:
  struct Arriving {
    Packet kind;
    Bytes header, data;
  };

  TransportEvents& events_;
  const std::vector<std::byte> address_;
  std::deque<Arriving> arriving_;
  std::vector<std::unique_ptr<LoopEndpoint>> endpoints_;
  FrameHeader last_;
  bool breaks_ = false;
};

class Nothing final : public MessageSink {
 public:
  void deliver(Rank, HandlerId, std::span<const std::byte>) override {}
};

class Done final : public CompletionSink {
 public:
  void local() override {}
  void remote(const Status&) override {}
};

std::unique_ptr<Device> make(Rank rank) {
  const Setup setup{.rank = rank, .size = 2, .secret = 7, .host = "here"};
  const Settings settings{.name = "loop", .devices_option = "", .peer_timeout_ms = 0};
  auto made = WireDevice::create(setup, settings, [&](TransportEvents& events) {
    return Result<std::unique_ptr<Transport>>(std::make_unique<Loop>(events, rank));
  });
  if (!made.ok()) std::abort();
  return *std::move(made);
}

struct Pair {
  std::unique_ptr<Device> victim = make(0), peer = make(1);

  Pair() {
    if (!victim->connect(1, peer->address()).ok() || !peer->connect(0, victim->address()).ok()) std::abort();
    turn(6);
  }
  ~Pair() {
    // So that neither waits for the other's farewell.
    for (Loop* loop : {Loop::all()[0], Loop::all()[1]}) loop->break_off();
    turn(2);
    victim.reset();
    peer.reset();
  }
  void turn(int times) {
    Nothing sink;
    for (int i = 0; i < times; ++i) victim->progress(sink), peer->progress(sink);
  }
};

// A frame with the right session and number, and the records given.
Bytes forge(const FrameHeader& last, std::uint32_t step, std::span<const std::byte> records) {
  FrameHeader header = last;
  header.number = last.number + step;
  header.done = 0;
  Bytes frame(sizeof header);
  std::memcpy(frame.data(), &header, sizeof header);
  frame.insert(frame.end(), records.begin(), records.end());
  return frame;
}

}  // namespace
}  // namespace polder::device::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace polder::device;
  using namespace polder::device::wire;
  // Something is offered, a get and an atomic are under way, so that answers to them mean something.
  auto pair = std::make_unique<Pair>();
  constexpr std::size_t kOffered = 4096;
  auto offered = pair->victim->expose(nullptr, kOffered), theirs = pair->peer->expose(nullptr, kOffered);
  if (!offered.ok() || !theirs.ok()) std::abort();
  auto region = pair->victim->import(1, theirs->key, nullptr);
  Bytes mine(3 * kOffered, std::byte{0x5a});
  std::uint64_t old = 0;
  Done done;
  const Piece piece{mine.data() + kOffered, 0, kOffered};
  if (region.ok()) {
    (void)pair->victim->get(1, *region, {&piece, 1}, &done);
    (void)pair->victim->atomic(1, *region, {.old = &old}, &done);
  }
  // A window with memory of the user behind it.
  constexpr std::uint64_t kWindow = 3;
  Bytes behind(3 * kOffered, std::byte{0x5a});
  const MemoryRun whole(behind.data() + kOffered, kOffered), runs[] = {whole.first(100), whole.subspan(100)};
  if (!pair->victim->open_window(*offered, kWindow, runs)) std::abort();
  Nothing sink;
  // A frame of the peer's, whose successors the input makes up.
  (void)pair->peer->send(0, 1, {}, {});
  pair->peer->progress(sink);
  pair->victim->progress(sink);
  std::uint32_t step = 0;
  for (std::size_t at = 0; at + 4 <= size;) {
    const std::size_t kind = bytes[at];
    const std::size_t wanted = bytes[at + 2] | std::size_t(bytes[at + 3]) << 8;
    at += 4;
    const std::size_t length = std::min(wanted, size - at);
    const auto* raw = reinterpret_cast<const std::byte*>(bytes) + at;
    at += length;
    if (kind % 8 == 0) {
      Loop::all()[0]->arrive(Packet::greeting, {}, Bytes(raw, raw + length));
    } else if (kind % 8 == 1) {
      Loop::all()[0]->arrive(Packet::frame, {}, Bytes(raw, raw + length));
    } else {
      const Bytes frame = forge(Loop::all()[1]->last(), ++step + (kind % 8 == 2), {raw, length});
      constexpr std::size_t kMostFlags = kMostCompany / sizeof(FlagRecord);
      const std::size_t flags = (kind / 8 + 1) % (kMostFlags + 2);
      const std::size_t head = kind % 8 == 3   ? sizeof(PartHeader)
                               : kind % 8 == 4 ? sizeof(PartHeader) + flags * sizeof(FlagRecord)
                               : kind % 8 == 6 ? sizeof(PartHeader) + kind / 8 * sizeof(std::uint64_t)
                                               : 0;
      const auto split = frame.begin() + std::ptrdiff_t(frame.size() >= head ? head : 0);
      Loop::all()[0]->arrive(Packet::frame, Bytes(frame.begin(), split), Bytes(split, frame.end()));
    }
  }
  for (int i = 0; i < 8; ++i) pair->victim->progress(sink);
  // What lies beside the memory of the get, and beside the window's, is untouched.
  for (std::size_t i = 0; i < kOffered; ++i)
    for (const Bytes* memory : {&mine, &behind})
      if ((*memory)[i] != std::byte{0x5a} || (*memory)[2 * kOffered + i] != std::byte{0x5a}) std::abort();
  pair.reset();  // ends what is under way while its memory lives
  return 0;
}
