// Windows of members (coll/port/window.hpp) in virtual time, of any number of members in one thread: what collectives stand on
// whose members do not wait for each other.
//
// A member may wait for any of many flags, or for a moment, so it matters who comes first: everything happens in the
// order of time, over LogGP as over an interconnect (LinkTraffic). What a member posts takes its core the overhead o. A look
// of a member that waits takes o, too, whatever has come by then.
// Memory is read and swapped at the target by its card, at no cost of a core. So a put of s bytes takes o + L + s G + o,
// a get 2 (o + L) + s G.
#pragma once

#include "coll/model/flow.hpp"
#include "coll/model/link_traffic.hpp"
#include "coll/model/model_window.hpp"
#include "coll/port/window.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace polder::coll {

class WindowModel final : public WindowCarrier {
 public:
  // What a member does after its code has returned.
  struct Next {
    enum Kind : std::uint8_t { waits, pauses, over };
    Kind kind = waits;
    double until = std::numeric_limits<double>::infinity();  // us; it goes on then, whatever has come or has not
  };
  using Go = std::function<Next(Rank)>;
  using Background = std::function<void(Rank)>;

  // `bytes` and `flags` in the window of each.
  WindowModel(Rank members, std::size_t bytes, std::uint32_t flags, WindowModelOptions options);

  // Why there are no windows.
  Status status() const;
  WindowPort& window(Rank member);

  // Runs go(member) whenever it can go on, until nothing happens any more. `background`: when something has come for a
  // member that pauses or is over, on another core. Once. memory is that of windows.
  FlowOutcome run(const Go& go, const Background& background = {});

  // ---- for code that runs as `member` ----
  // Of the core that it runs on, us.
  double clock(Rank member) const;
  // That core computes.
  void compute(Rank member, double us);

  // When it was over, or had last done something, us.
  double left(Rank member) const;
  bool is_over(Rank member) const;

  // ---- as the carrier of windows ----
  const WindowModelOptions& options() const override { return options_; }
  double now() const override { return now_; }
  const LogGP& network(Rank one, Rank two) const override;
  bool is_known_dead(Rank member) const override { return known_dead_[member]; }
  bool any_has_died() const override { return any_dead_; }
  void send(const WindowLetter& letter, double leaves) override;
  void carry_home(const WindowLetter& letter) override;

 private:
  using Letter = WindowLetter;

  bool beside(Rank one, Rank two) const;
  std::uint32_t node_of(Rank member) const { return member / options_.flow.per_node; }
  bool is_dead(Rank member, double time) const;
  std::uint32_t keep(const Letter& letter);
  void arrive(std::uint32_t at, double time);
  void take_put(const Letter& letter, double time);
  void answer(Letter letter, double time);
  void take_answer(const Letter& letter, double time);
  void lose(Letter letter, double time);
  void notify(Rank member, std::uint32_t depth, double time);
  void wake_at(Rank member, bool helper, double time);
  void go_on(Rank member, bool helper, const Go& go, const Background& background);
  void hear_of(Rank dead, double time);

  const WindowModelOptions options_;
  const ReservedWindows memory_, flags_;
  std::unique_ptr<Interconnect> nothing_;  // where there is no interconnect
  std::unique_ptr<LinkTraffic> events_;
  std::vector<std::unique_ptr<ModelWindow>> windows_;
  std::vector<Letter> letters_;
  std::vector<std::uint32_t> free_;
  std::vector<bool> known_dead_;
  bool any_dead_ = false;
  double now_ = 0;
  FlowOutcome outcome_;
};

}  // namespace polder::coll
