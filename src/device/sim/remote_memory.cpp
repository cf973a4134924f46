#include "device/sim/remote_memory.hpp"

#include "device/words.hpp"

#include <atomic>
#include <cstring>

namespace polder::device::sim {

namespace {

template <class Word>
void store(std::byte* remote, const std::byte* local) {
  Word word;
  std::memcpy(&word, local, sizeof word);
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(remote)).store(word, std::memory_order_relaxed);
}

template <class Word>
void load(std::byte* local, const std::byte* remote) {
  auto* place = const_cast<Word*>(reinterpret_cast<const Word*>(remote));  // atomic_ref of C++20 knows no const
  // Who gets what a peer has published with release sees what the peer stored before.
  const Word word = std::atomic_ref<Word>(*place).load(std::memory_order_acquire);
  std::memcpy(local, &word, sizeof word);
}

// Calls words(i) for whole words and rest(i) for bytes, i being the offset, so that each is aligned at `remote`.
template <class Words, class Rest>
void split(const std::byte* remote, std::size_t bytes, Words&& words, Rest&& rest) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::size_t at = 0;
  while (at < bytes && !is_aligned(remote + at, kWord)) rest(at++);
  for (; at + kWord <= bytes; at += kWord) words(at);
  while (at < bytes) rest(at++);
}

}  // namespace

void copy_to_remote(std::byte* remote, const std::byte* local, std::size_t bytes) {
  split(
      remote, bytes, [&](std::size_t at) { store<std::uint64_t>(remote + at, local + at); },
      [&](std::size_t at) { store<std::uint8_t>(remote + at, local + at); });
}

void copy_from_remote(std::byte* local, const std::byte* remote, std::size_t bytes) {
  split(
      remote, bytes, [&](std::size_t at) { load<std::uint64_t>(local + at, remote + at); },
      [&](std::size_t at) { load<std::uint8_t>(local + at, remote + at); });
}

}  // namespace polder::device::sim
