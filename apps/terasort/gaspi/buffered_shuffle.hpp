// The asynchronous shuffle of "GASPI Terasort" (Pitonak et al., PRACE 2019, section 4.2): reading, partitioning,
// sending and receiving go on together in every rank, driven by what has arrived, with no barrier in between.
//
// Two segments. *Output* has two buffers for each peer: one is filled while the other is on its way. *Input* has one
// buffer for each peer. A full buffer goes out with gaspi_write_notify; the receiver empties its input buffer and
// notifies the sender, who sends no more to it before that. A rank whose next record has no place goes on receiving.
#pragma once

#include "../shuffle.hpp"
#include "../team.hpp"
#include "caller.hpp"

#include <cstdint>
#include <vector>

namespace terasort {

class BufferedShuffle final : public Shuffle {
 public:
  // `caller` must outlive this. Buffers have `buffer_bytes`, rounded down to whole records (at least one).
  BufferedShuffle(Caller& caller, std::uint64_t buffer_bytes);
  ~BufferedShuffle() override;
  BufferedShuffle(const BufferedShuffle&) = delete;
  BufferedShuffle& operator=(const BufferedShuffle&) = delete;

  std::uint64_t buffer_bytes(std::uint64_t part_records) const override;
  Status prepare() override;
  Status run(InputPart& input, const Splitters& splitters, RecordStore& store, Progress& progress) override;

 private:
  // What we know of another rank. This rank counts as one, too, so that its own records need no branch that is hard to
  // foresee: they collect in a buffer and go to the store from there.
  struct Peer {
    std::byte* next = nullptr;  // where its next record goes, in one of its two output buffers
    std::byte* end = nullptr;   // of that buffer
    unsigned filling = 0;       // which of the two that is
    bool ready = true;          // its input buffer is empty: we may send
    bool all_sent = false;      // our last buffer is out
    bool all_received = false;  // its last buffer has come

    bool full() const { return next == end; }
  };

  // The part of a run that is not the peers'.
  struct Run {
    InputPart& input;
    const Splitters& splitters;
    RecordStore& store;
    Progress& progress;
    std::span<const std::byte> chunk{};  // of the input, what is not partitioned yet
    std::uint64_t position = 0;          // of the chunk's first record in the input
    bool moved = false;                  // something was done in this turn

    bool all_partitioned() const { return input.at_end() && chunk.empty(); }
  };

  // The duties of a turn, in order.
  Status turn(Run& run);
  Status receive(Run& run);
  Status partition(Run& run);
  Status send_rests(Run& run);
  Status wait_for_news();

  Status arrived(Run& run, gaspi_notification_id_t id);
  Status take(Run& run, unsigned from, gaspi_notification_t value);
  Status refill(Run& run);
  Status partition_some(Run& run, std::uint64_t count);
  // A buffer is full: sends it if it may be sent.
  Status pass_on(Run& run, unsigned to);
  // Sends what is in the peer's buffer and turns to the other one. REQUIRES: peer.ready.
  Status send(unsigned to, bool last);
  Status keep_own(Run& run);
  void open_buffer(unsigned to);
  Status acknowledge(unsigned to);
  void stop_others();
  bool finished(const Run& run) const;

  Status create_segment(gaspi_segment_id_t id, std::uint64_t bytes, std::byte** data);

  // Buffers are numbered without the rank that they would belong to: a rank has none for itself.
  unsigned place_of(unsigned peer, unsigned owner) const { return peer < owner ? peer : peer - 1; }
  std::byte* buffer_of(unsigned peer) {
    return peer == caller_.rank() ? own_.data() : output_ + output_offset(peer, peers_[peer].filling);
  }
  std::uint64_t output_offset(unsigned peer, unsigned which) const {
    return (place_of(peer, caller_.rank()) * std::uint64_t{2} + which) * buffer_records_ * kRecordBytes;
  }
  std::uint64_t input_offset(unsigned peer, unsigned owner) const {
    return place_of(peer, owner) * buffer_records_ * kRecordBytes;
  }

  Caller& caller_;
  std::uint64_t buffer_records_;
  std::vector<Peer> peers_;
  std::byte* output_ = nullptr;
  std::byte* input_ = nullptr;
  std::vector<std::byte> own_;
};

}  // namespace terasort
