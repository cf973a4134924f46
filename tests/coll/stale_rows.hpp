// Rows for tests of tables of rows that say themselves what was done to them. Rows are added to by all members, each
// element counting the updates of every one (as StaleWords do), but for each third row, which one member alone writes.
#pragma once

#include "coll/stale_words.hpp"
#include "util/random.hpp"

#include <polder/stale_table.hpp>
#include <polder/types.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::test {

struct StaleRows {
  using Words = StaleWords::Words;

  Rank members = 1;
  std::uint64_t rows = 1;
  std::size_t count = 0;  // elements of a row
  std::uint64_t seed = 0;

  // ---- what is done to rows ----
  bool is_written(std::uint64_t row) const { return row % 3 == 2; }
  Rank writer(std::uint64_t row) const { return Rank(util::mix(seed ^ row) % members); }
  // Whether a member changes a row in that iteration, from 1 on.
  bool changes(Rank member, std::uint64_t row, std::uint64_t iteration) const {
    if (is_written(row) && writer(row) != member) return false;
    return util::mix(seed ^ util::mix(row * 1'000'003 + iteration * 128 + member)) % 3 == 0;
  }
  // How often a member has changed a row in its first iterations.
  std::uint64_t changed(Rank member, std::uint64_t row, std::uint64_t iterations) const {
    std::uint64_t many = 0;
    for (std::uint64_t i = 1; i <= iterations; ++i) many += changes(member, row, i);
    return many;
  }

  // ---- values ----
  Words initial(std::uint64_t row) const { return written(row, 0); }
  // What the writer of a row writes for the n-th time.
  Words written(std::uint64_t row, std::uint64_t n) const {
    Words words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = (util::mix(seed ^ util::mix(row * 4'099 + n) ^ i) << 8) + n;
    return words;
  }
  StaleWords words(std::uint64_t row) const { return {members, count, util::mix(seed ^ row) >> 8}; }
  // The n-th update of a row by a member.
  Words update(Rank member, std::uint64_t row, std::uint64_t n) const { return words(row).given(member, n); }

  StaleTableSpec spec() const {
    StaleTableSpec spec{.rows = rows, .row = *reduction(Reduction::sum, DataType::uint64, count)};
    spec.initial = [*this](std::uint64_t row, void* values) {
      const Words words = initial(row);
      std::ranges::copy(words, static_cast<std::uint64_t*>(values));
    };
    return spec;
  }
  // Does what the member does to the row in that iteration.
  Status change(StaleTable& table, Rank member, std::uint64_t row, std::uint64_t iteration) const {
    const std::uint64_t n = changed(member, row, iteration);
    if (!is_written(row)) return table.update(row, update(member, row, n).data());
    // An update that is overwritten, a write, and an update that is added to it.
    const Words noise = written(row, n + 100'000);
    Words rest = written(row, n);
    for (std::size_t i = 0; i < count; ++i) rest[i] -= noise[i];
    if (Status status = table.update(row, rest.data()); !status.ok()) return status;
    if (Status status = table.write(row, noise.data()); !status.ok()) return status;
    return table.update(row, rest.data());
  }

  // ---- the oracle ----
  // How often each member has changed what was read; it is whole.
  std::vector<std::uint64_t> expect_whole(std::uint64_t row, Words read) const {
    std::vector<std::uint64_t> many(members);
    if (count == 0) return many;
    if (is_written(row)) {
      many[writer(row)] = read[0] & 0xff;
      EXPECT_EQ(read, written(row, read[0] & 0xff)) << "row " << row;
      return many;
    }
    const Words beginning = initial(row);
    for (std::size_t i = 0; i < count; ++i) read[i] -= beginning[i];
    words(row).expect_whole(read);
    for (Rank member = 0; member < members; ++member) {
      many[member] = StaleWords::counted(read[0], member);
      EXPECT_EQ(many[member], words(row).most(read, member)) << "a torn row " << row;
      EXPECT_EQ(many[member], words(row).least(read, member)) << "a torn row " << row;
    }
    return many;
  }
  // A reader has read this, after it had changed the row as it does in its first `own_iterations`.
  std::vector<std::uint64_t> expect_true(Rank reader, std::uint64_t row, const Words& read, const Staleness& told,
                                         std::uint64_t own_iterations) const {
    std::vector<std::uint64_t> many = expect_whole(row, read);
    for (Rank member = 0; member < members && count != 0; ++member) {
      if (member == reader) {
        EXPECT_EQ(many[member], changed(member, row, own_iterations)) << "row " << row;
        continue;
      }
      EXPECT_GE(many[member], changed(member, row, told.oldest)) << "row " << row << " member " << member;
      EXPECT_LE(many[member], changed(member, row, told.newest)) << "row " << row << " member " << member;
    }
    return many;
  }
};

}  // namespace polder::test
