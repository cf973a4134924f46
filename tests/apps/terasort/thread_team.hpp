// Ranks as threads of the test: what needs several ranks is tested without a launcher.
#pragma once

#include "team.hpp"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace terasort {

class ThreadTeam final : public Team {
 public:
  // What the ranks of one team share: each shows where its data lies, between two barriers.
  struct Board {
    explicit Board(unsigned ranks) : shown(ranks), gate(ranks) {}
    std::vector<std::span<const std::byte>> shown;
    std::barrier<> gate;
  };

  ThreadTeam(unsigned rank, Board& board) : rank_(rank), board_(board) {}

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return unsigned(board_.shown.size()); }

  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    show(mine);
    for (unsigned peer = 0; peer < size(); ++peer)
      if (!all.empty()) std::ranges::copy(board_.shown[peer], all.begin() + std::ptrdiff_t(peer * mine.size()));
    board_.gate.arrive_and_wait();
    return {};
  }
  Status gather(std::span<const std::byte> mine, std::span<std::byte> all) override { return allgather(mine, all); }
  Status broadcast(std::span<std::byte> data) override {
    show(data);
    if (rank_ != 0) std::ranges::copy(board_.shown[0], data.begin());
    board_.gate.arrive_and_wait();
    return {};
  }
  Result<std::uint64_t> maximum(std::uint64_t mine) override {
    const Result<std::vector<std::uint64_t>> all = terasort::allgather(*this, mine);
    return *std::max_element(all->begin(), all->end());
  }

 private:
  void show(std::span<const std::byte> mine) {
    board_.shown[rank_] = mine;
    board_.gate.arrive_and_wait();
  }

  unsigned rank_;
  Board& board_;
};

// Runs `body` in `ranks` threads, each with its Team.
inline void run_ranks(unsigned ranks, const std::function<void(Team&)>& body) {
  ThreadTeam::Board board(ranks);
  std::vector<std::jthread> threads;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadTeam team(rank, board);
      body(team);
    });
  }
}

}  // namespace terasort
