// The data path of device/mixed/route: one look at the peer's way, then the device's own.
#include "device/mixed/route.hpp"

#include <algorithm>

namespace polder::device::mixed {

Status Route::put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return device_for(peer).put(peer, region, pieces, completion);
}

Status Route::get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return device_for(peer).get(peer, region, pieces, completion);
}

Status Route::put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                         const Flag& flag, CompletionSink* completion) {
  return device_for(peer).put_notify(peer, region, pieces, control, flag, completion);
}

Status Route::atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) {
  return device_for(peer).atomic(peer, region, request, completion);
}

Status Route::send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) {
  return device_for(peer).send(peer, handler, head, body);
}

int Route::progress(MessageSink& sink) {
  if (in_handler()) return 0;
  sink_.store(&sink, std::memory_order_release);
  OneAtATime in_turn(sink, *this);
  return near_->progress(in_turn) + far_->progress(in_turn);
}

void Route::OneAtATime::deliver(Rank source, HandlerId handler, std::span<const std::byte> message) {
  std::unique_lock lock(route_.delivering_);
  if (route_.stopping_.load(std::memory_order_acquire)) return;
  route_.deliverer_.store(util::this_thread(), std::memory_order_relaxed);
  sink_.deliver(source, handler, message);
  route_.deliverer_.store(nullptr, std::memory_order_relaxed);
  if (route_.is_given_back_) lock.release();
}

// Only core's helper waits: without one nobody is to make progress but the callers.
void Route::wait(std::int64_t nanoseconds) {
  if (far_->capabilities().needs_progress)
    std::call_once(far_started_,
                   [this] { far_thread_ = util::Thread(clock_, "polder-network", [this] { serve_far(); }); });
  near_->wait(nanoseconds);
}

void Route::wait_alone(std::int64_t nanoseconds) {
  constexpr std::int64_t kGlance = 1'000'000;  // at the near half
  far_->wait_alone(std::min(nanoseconds, kGlance));
}

void Route::wake() {
  near_->wake();
}

void Route::fill_pages(bool begin) {
  near_->fill_pages(begin);
  far_->fill_pages(begin);
}

void Route::poll_in_wait(bool begins) {
  near_->poll_in_wait(begins);
  far_->poll_in_wait(begins);
}

void Route::stop_polling() {
  near_->stop_polling();
  far_->stop_polling();
}

void Route::serve_far() {
  static constexpr std::int64_t kSlice = 50'000'000;
  while (!stopping_.load(std::memory_order_acquire)) {
    MessageSink& sink = *sink_.load(std::memory_order_acquire);  // who waits has made progress before
    OneAtATime in_turn(sink, *this);
    const int events = far_->progress(in_turn);
    sink.attend();
    if (events == 0) far_->wait(kSlice);
  }
}

}  // namespace polder::device::mixed
