#include "device/sim/remote_memory.hpp"

#include "util/assert.hpp"
#include "util/bell.hpp"

#include <atomic>
#include <cstring>

namespace polder::device::sim {

namespace {

bool is_aligned(const std::byte* address, std::size_t width) {
  return reinterpret_cast<std::uintptr_t>(address) % width == 0;
}

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

template <class Word>
Word apply(std::atomic_ref<Word> word, const AtomicRequest& request) {
  const auto operand = Word(request.operand);
  switch (request.op) {
    case AtomicOp::fetch_add: return word.fetch_add(operand);
    case AtomicOp::swap: return word.exchange(operand);
    case AtomicOp::fetch_and: return word.fetch_and(operand);
    case AtomicOp::fetch_or: return word.fetch_or(operand);
    case AtomicOp::fetch_xor: return word.fetch_xor(operand);
    case AtomicOp::compare_swap: break;
  }
  auto expected = Word(request.compare);
  word.compare_exchange_strong(expected, operand);
  return expected;
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

std::uint64_t apply_atomic(std::byte* remote, const AtomicRequest& request) {
  POLDER_ASSERT((request.width == 4 || request.width == 8) && is_aligned(remote, request.width));
  if (request.width == 4) return apply(std::atomic_ref(*reinterpret_cast<std::uint32_t*>(remote)), request);
  return apply(std::atomic_ref(*reinterpret_cast<std::uint64_t*>(remote)), request);
}

void raise_flag(std::byte* control, const Flag& flag) {
  auto* word = reinterpret_cast<std::uint32_t*>(control + flag.offset);
  if (flag.adds)
    std::atomic_ref(*word).fetch_add(flag.value, std::memory_order_release);
  else
    std::atomic_ref(*word).store(flag.value, std::memory_order_release);
  reinterpret_cast<util::Bell*>(control + flag.bell_offset)->ring();
}

}  // namespace polder::device::sim
