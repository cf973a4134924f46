#include "api/dart/collective/incoming_letters.hpp"

#include <cassert>
#include <cstring>
#include <utility>

namespace polder::dart {

bool IncomingLetters::take(std::span<const std::byte> message, std::uint32_t epoch) {
  LetterHead head;
  if (message.size() < sizeof head) return false;
  std::memcpy(&head, message.data(), sizeof head);
  if (!append(head, message.subspan(sizeof head))) return false;
  // Those behind one that is not whole wait for it.
  for (auto first = arriving_.begin(); first != arriving_.end(); first = arriving_.begin()) {
    if (first->first != next_ || !first->second.is_whole()) break;
    if (first->second.head.epoch == epoch) ready_[first->second.head.tag].push_back(std::move(first->second.bytes));
    arriving_.erase(first);
    ++next_;
  }
  return true;
}

bool IncomingLetters::append(const LetterHead& head, std::span<const std::byte> piece) {
  if (head.number < next_ || (piece.empty() && head.size != 0)) return false;
  auto known = arriving_.find(head.number);
  if (known == arriving_.end()) {
    if (head.offset != 0 || piece.size() > head.size) return false;
    known = arriving_.emplace(head.number, Arriving{head, {}}).first;
  }
  Arriving& letter = known->second;
  const std::size_t here = letter.bytes.size();
  if (head.size != letter.head.size || head.offset != here || piece.size() > head.size - here) return false;
  letter.bytes.insert(letter.bytes.end(), piece.begin(), piece.end());
  return true;
}

std::vector<std::byte> IncomingLetters::next(int tag) {
  assert(has(tag));
  const auto letters = ready_.find(tag);
  std::vector<std::byte> letter = std::move(letters->second.front());
  letters->second.pop_front();
  if (letters->second.empty()) ready_.erase(letters);
  return letter;
}

}  // namespace polder::dart
