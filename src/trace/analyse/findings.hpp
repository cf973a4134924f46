// What was found in a job's trace, as plain data: where time went, which rank waited for which, and what to do about it.
#pragma once

#include "trace/analyse/activity.hpp"
#include "trace/format/event.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace polder::trace {

struct CallTotals {
  std::uint64_t count = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t failures = 0;
};

// Of a rank. Times are those of its main thread, thread 0.
struct RankProfile {
  Rank rank = 0;
  std::string host;
  std::int64_t calls_ns = 0;
  std::int64_t off_ns = 0;     // not recorded: outside of the window, or while the program wanted no records
  std::int64_t useful_ns = 0;  // recorded, and not in any call of Polder
  std::int64_t startup_ns = 0;
  std::uint64_t run_delay_ns = 0;
  std::map<std::string, CallTotals> calls;  // by name, of all threads
};

struct PairTraffic {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  std::int64_t ns = 0;  // in the calls that sent
};

enum class Cause : std::uint8_t {
  late_notification,
  late_sender,
  late_receiver,
  imbalance,
  serial_section,
  queue_full,
  tiny_puts,
  remote_completion,
  oversubscribed,
  startup,
};
const char* to_string(Cause cause);

// Where and when: the case to look at first.
struct Instance {
  Rank rank = ~Rank{0};  // that lost the time; ~0: not known
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Time that ranks lost, summed over them, with the sentences for a person.
struct Loss {
  Cause cause = Cause::imbalance;
  std::int64_t ns = 0;
  std::int64_t others_ns = 0;  // of it, lost by ranks that waited meanwhile for those whose loss it is
  std::vector<Rank> ranks;     // that lost most of it, at most eight
  std::size_t others = 0;      // that lost some of it
  Rank culprit = ~Rank{0};     // whom they waited for most, if it is one
  Rank root = ~Rank{0};        // who was late of itself, and began most of it, if it is one
  std::string call;
  std::uint64_t times = 0;
  Instance longest;
  std::string sentence;
  std::string way_out;
};

// On the way through the job that took as long as the job.
struct PathShare {
  Rank rank = 0;
  std::array<std::int64_t, kActivities> ns{};
};

// A stretch of that way.
struct PathPiece {
  Rank rank = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// What one call, or the program between calls (an empty name), took of it.
struct PathCall {
  Rank rank = 0;
  std::string call;
  std::int64_t ns = 0;
};

// A rank could not go on before another had come to a point.
struct RankWait {
  Rank rank = 0;
  Rank from = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t from_ns = 0;  // what it waited for
  Rank root = ~Rank{0};      // who was late of itself: `from`, or one for whom that one had waited
  Cause cause = Cause::imbalance;
  EventKind call = EventKind::none;  // that they met in; none: it was no collective
};

// POP's efficiencies, 0 to 1.
struct Efficiencies {
  double parallel = 0;
  double load_balance = 0;
  double communication = 0;
  double serialisation = 0;
  double transfer = 0;
};

// Shares of activities over time, in equal bins.
struct Timeline {
  std::size_t bins = 0;
  Rank ranks_per_row = 1;
  std::vector<std::vector<std::array<float, kActivities>>> rows;  // ns of each activity
};

// A single call, for the picture.
struct LongCall {
  Rank rank = 0;
  std::uint16_t thread = 0;
  std::string name;
  EventKind like = EventKind::none;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Rank peer = kNoPeer;
  std::uint64_t bytes = 0;
};

// What the processor counted in all passes of a region of the program, by the counter's name.
struct RegionCounts {
  std::uint64_t times = 0;
  std::map<std::string, std::uint64_t> counts;
};

// A counter of the program over time, in equal bins; what it counts is up to the program.
struct CounterCurve {
  struct Bin {
    std::uint64_t events = 0;
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    double sum = 0;
  };
  Bin all;
  std::vector<Bin> bins;
};

struct Analysis {
  std::int64_t duration_ns = 0;
  Rank ranks = 0;
  std::uint64_t events = 0;
  std::vector<RankProfile> profiles;                                     // of ranks with a file
  std::map<std::pair<Rank, Rank>, PairTraffic> traffic;                  // from, to
  std::array<std::uint64_t, 65> sizes{};                                 // of transfers, by the bits of their bytes
  std::map<std::string, std::array<std::uint64_t, 65>> durations;        // of calls, by the bits of their ns
  std::map<std::pair<std::string, std::string>, CallTotals> algorithms;  // of collectives: by call and algorithm
  std::map<std::string, std::int64_t> wait_states;                       // by Scalasca's names
  std::vector<Loss> losses;                                              // largest first
  std::vector<PathShare> path;                                           // by rank
  std::vector<PathCall> path_calls;                                      // largest first
  std::vector<PathPiece> path_pieces;                                    // the longest, in the order of time
  std::int64_t path_transfer_ns = 0;                                     // between ranks, on that way
  std::vector<RankWait> waits;                                           // the longest, longest first
  std::map<std::string, RegionCounts> hardware;                          // by region
  std::map<std::string, CounterCurve> counters;                          // of the program and of Polder, by name
  Efficiencies efficiencies;
  Timeline timeline;
  std::vector<LongCall> longest;  // longest first
  std::vector<std::string> remarks;
};

}  // namespace polder::trace
