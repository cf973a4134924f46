// The shuffle of a job that outlives its ranks: streams of records, each from one place to another, delivered from where they
// ended when somebody died.
//
// As BufferedShuffle: reading, partitioning, sending and receiving go on together, driven by flags, with no barrier in between. A
// place has two slots for each other one. A full buffer is put into one of them with a flag behind it; a second flag, back, says
// that the slot is free again. What was in the slots and buffers when somebody died is not looked at any more: whoever receives
// counts what it has kept of each stream, tells the sender, and gets what follows.
#pragma once

#include "../record_store.hpp"
#include "common/progress.hpp"
#include "common/team.hpp"
#include "streams.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace terasort {

// What a place has received, and whence; it outlives deliveries.
struct Share {
  RecordStore store;
  std::vector<std::uint64_t> from;  // records, of each place's stream
};

// An error of code peer_failed if a member of the team has died as far as is known here.
Status check_members(const apps::Team& team);

class Delivery {
 public:
  // All must outlive this. `segment` is an id that no rank of the job has in use, the same at all.
  Delivery(const apps::Team& team, polder::SegmentId segment, std::uint64_t buffer_bytes, Streams& streams,
           Share& share);
  // Memory beside the share.
  static std::uint64_t bytes_for(unsigned places, std::uint64_t buffer_bytes);

  // Collective. Returns when all streams from and to this place have arrived, as many records as were sent. `at_turn` is called
  // again and again meanwhile, with how many records of this part were looked at. The segment is left to the caller, who deletes it
  // when nobody can be sending any more. peer_failed: somebody has died, and what has arrived is in the share.
  Status run(const std::function<void(std::uint64_t looked)>& at_turn);

 private:
  struct Peer {
    std::vector<std::byte> buffer;             // what is to be sent next
    std::uint64_t filled = 0;                  // records in it
    unsigned sends_to = 0, receives_from = 0;  // the slot that is next
    std::array<bool, 2> free{true, true};      // its slots for this place
    bool all_sent = false, all_received = false;
  };

  Status open();
  Status prepare();
  // The duties of a turn, in order. `moved`: something was done.
  Status turn(bool& moved);
  Status receive(bool& moved);
  Status take(unsigned from, polder::NotificationValue value);
  Status partition(bool& moved);
  bool keep(unsigned to, const std::byte* record);
  Status send_rests(bool& moved);
  Status send(unsigned to, bool last);
  Status sent(unsigned to, const Status& status) const;
  Status wait_for_news();
  void stop_others();
  bool finished() const;
  Status check_lengths();
  Status trade(std::span<const std::uint64_t> mine, std::span<std::uint64_t> theirs);

  polder::Rank rank_of(unsigned place) const { return team_.group().ranks()[place]; }
  std::uint64_t offset_of(unsigned from, unsigned slot) const {
    return (std::uint64_t{from} * 2 + slot) * buffer_records_ * kRecordBytes;
  }
  polder::NotificationId filled_flag(unsigned from, unsigned slot) const { return 2 * from + slot; }
  polder::NotificationId emptied_flag(unsigned by, unsigned slot) const { return 2 * (team_.size() + by) + slot; }

  const apps::Team& team_;
  polder::SegmentId segment_;
  std::uint64_t buffer_records_;
  Streams& streams_;
  Share& share_;
  std::vector<Peer> peers_;
  const std::byte* slots_ = nullptr;
  std::int64_t last_news_ns_ = 0;
  Status refused_;  // why keep() took no record; success: there was no room for now
};

}  // namespace terasort
