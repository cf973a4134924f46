#include "api/dart/collective/mailbox.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

namespace polder::dart {

Status Mailbox::open() {
  return runtime_.register_handler(kLetterMessage,
                                   [this](Rank source, std::span<const std::byte> letter) { take(source, letter); });
}

void Mailbox::begin_epoch() {
  const std::lock_guard lock(mutex_);
  ++epoch_;
  for (IncomingLetters& sender : senders_) sender.drop();
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
  const std::lock_guard lock(mutex_);
  if (senders_[source].take(letter, epoch_)) arrived_.notify_all();
}

Result<std::vector<std::byte>> Mailbox::receive(Rank from, int tag, std::size_t most) {
  constexpr int kLooks = 200;  // before it sleeps
  constexpr std::chrono::microseconds kNap{500};
  std::unique_lock lock(mutex_);
  IncomingLetters& sender = senders_[from];
  const auto there = [&] { return sender.has(tag); };
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
  if (sender.next_size(tag) > most)
    return Status(Code::invalid_size, "a message of " + std::to_string(sender.next_size(tag)) + " bytes came where " +
                                          std::to_string(most) + " are expected; it stays for whoever has room for it");
  return sender.next(tag);
}

}  // namespace polder::dart
