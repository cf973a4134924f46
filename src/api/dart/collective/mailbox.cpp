#include "api/dart/collective/mailbox.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

namespace polder::dart {

Status Mailbox::open() {
  return runtime_.register_handler(kLetterMessage,
                                   [this](Rank source, std::span<const std::byte> letter) { take(source, letter); });
}

void Mailbox::begin_epoch() {
  const std::lock_guard lock(mutex_);
  ++epoch_;
  for (Sender& sender : senders_) sender.ready.clear();
}

Status Mailbox::send(Rank to, int tag, std::span<const std::byte> bytes) {
  LetterHead head{.number = 0, .size = bytes.size(), .offset = 0, .epoch = 0, .tag = tag};
  {
    const std::lock_guard lock(mutex_);
    head.number = sent_[to]++;
    head.epoch = epoch_;
  }
  const std::size_t most = runtime_.max_message() - sizeof head;
  std::vector<std::byte> letter;
  do {
    const auto piece = bytes.subspan(head.offset, std::min<std::size_t>(most, bytes.size() - head.offset));
    letter.resize(sizeof head + piece.size());
    std::memcpy(letter.data(), &head, sizeof head);
    if (!piece.empty()) std::memcpy(letter.data() + sizeof head, piece.data(), piece.size());
    if (to == runtime_.rank())
      take(to, letter);
    else if (Status status = runtime_.send(to, kLetterMessage, letter, Timeout::block()); !status.ok())
      return status;
    head.offset += piece.size();
  } while (head.offset < bytes.size());
  return {};
}

void Mailbox::take(Rank source, std::span<const std::byte> letter) {
  LetterHead head;
  if (letter.size() < sizeof head) return;
  std::memcpy(&head, letter.data(), sizeof head);
  const auto piece = letter.subspan(sizeof head);
  const std::lock_guard lock(mutex_);
  Sender& sender = senders_[source];
  auto [place, first] = sender.arriving.try_emplace(head.number);
  Arriving& arriving = place->second;
  if (first) {
    arriving.epoch = head.epoch;
    arriving.tag = head.tag;
    arriving.missing = head.size;
    arriving.bytes.resize(head.size);
  }
  if (head.offset > head.size || piece.size() > head.size - head.offset) return;
  if (!piece.empty()) std::memcpy(arriving.bytes.data() + head.offset, piece.data(), piece.size());
  arriving.missing -= piece.size();
  // Those behind one that is not whole wait for it.
  for (auto next = sender.arriving.begin(); next != sender.arriving.end(); next = sender.arriving.begin()) {
    if (next->first != sender.next || next->second.missing != 0) break;
    if (next->second.epoch == epoch_) sender.ready[next->second.tag].push_back(std::move(next->second.bytes));
    sender.arriving.erase(next);
    ++sender.next;
  }
  arrived_.notify_all();
}

Result<std::vector<std::byte>> Mailbox::receive(Rank from, int tag) {
  constexpr int kLooks = 200;  // before it sleeps
  constexpr std::chrono::microseconds kNap{500};
  std::unique_lock lock(mutex_);
  Sender& sender = senders_[from];
  const auto there = [&] { return sender.ready.contains(tag); };
  for (int look = 0; !there(); ++look) {
    lock.unlock();
    const Health health = runtime_.health(from);
    runtime_.progress();
    lock.lock();
    if (there()) break;
    if (health != Health::healthy)
      return Status(Code::peer_failed,
                    "rank " + std::to_string(from) + " has gone without a message of tag " + std::to_string(tag));
    if (look >= kLooks) arrived_.wait_for(lock, kNap, there);
  }
  auto& messages = sender.ready[tag];
  std::vector<std::byte> message = std::move(messages.front());
  messages.pop_front();
  if (messages.empty()) sender.ready.erase(tag);
  return message;
}

}  // namespace polder::dart
