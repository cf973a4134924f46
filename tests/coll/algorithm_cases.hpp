// What every algorithm must do, for any group and any way of running it: what a member brings, what it runs, and what
// it must have afterwards. One body for virtual time and for runtimes.
#pragma once

#include "coll/algorithms/algorithms.hpp"
#include "util/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace polder::coll::test {

// x -> a x + b. One after the other is associative and does not commute.
struct Affine {
  std::uint64_t a = 1, b = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};
inline Affine then(Affine one, Affine two) {
  return {one.a * two.a, two.a * one.b + two.b};
}
inline Affine both(Affine one, Affine two) {
  return {one.a + two.a, one.b + two.b};
}

struct Case {
  const char* name;
  enum class Kind { barrier, broadcast, reduce, allreduce, reduce_scatter, allgather, gather, scatter, alltoall, scan };
  Kind kind;
  bool commutes = false;  // the function has to
  bool equal = false;     // blocks have to be of one size
  Rank most = ~Rank{0};   // members
  bool exclusive = false;
  bool apart = false;  // a vector that is reduced lies elsewhere than the result, and stays as it is
};

// One member's part in one run.
class Member {
 public:
  Member(const Case& c, Rank me, Rank members, Rank root, std::size_t count, std::uint64_t seed)
      : case_(c), me_(me), members_(members), root_(root), count_(count), seed_(seed) {
    begins_.push_back(0);
    for (Rank m = 0; m < members; ++m) begins_.push_back(begins_.back() + part_of(m));
    const std::size_t all = begins_.back();
    switch (c.kind) {
      case Case::Kind::barrier: break;
      case Case::Kind::broadcast: data_ = me == root ? vector_of(root, count) : garbage(count); break;
      case Case::Kind::reduce:
      case Case::Kind::scan:
      case Case::Kind::allreduce:
        data_ = vector_of(me, count);
        if (c.apart) result_ = garbage(count);
        break;
      case Case::Kind::reduce_scatter:
        data_ = vector_of(me, all);
        result_ = garbage(is_ring() ? all : part_of(me));
        break;
      case Case::Kind::allgather:
        data_ = garbage(all);
        put(data_, begins_[me], vector_of(me, part_of(me)));
        break;
      case Case::Kind::gather:
        data_ = vector_of(me, part_of(me));
        result_ = garbage(all);
        break;
      case Case::Kind::scatter:
        data_ = me == root ? vector_of(root, all) : garbage(all);
        result_ = garbage(part_of(me));
        break;
      case Case::Kind::alltoall: make_blocks(); break;
    }
  }

  Task run(Wire& wire) {
    const std::string_view name = case_.name;
    auto* const data = bytes(data_);
    auto* const result = bytes(result_);
    auto* const sums = case_.apart ? result : data;
    const std::size_t size = count_ * sizeof(Affine);
    const Parts parts(begins_.data(), members_, sizeof(Affine));
    if (name == "dissemination_barrier") return dissemination_barrier(wire);
    if (name == "binomial_broadcast") return binomial_broadcast(wire, root_, data, size);
    if (name == "chain_broadcast") return chain_broadcast(wire, root_, data, size);
    if (name == "scatter_allgather_broadcast") return scatter_allgather_broadcast(wire, root_, data, size);
    if (name == "spread_broadcast") return spread_broadcast(wire, root_, data, size);
    if (name == "whole_reduce") return whole_reduce(wire, root_, data, sums, count_);
    if (name == "slices_reduce") return slices_reduce(wire, root_, data, sums, count_);
    if (name == "binomial_reduce") return binomial_reduce(wire, root_, data, sums, count_);
    if (name == "ordered_reduce") return ordered_reduce(wire, root_, data, sums, count_);
    if (name == "scatter_gather_reduce") return scatter_gather_reduce(wire, root_, data, sums, count_);
    if (name == "whole_allreduce") return whole_allreduce(wire, data, sums, count_);
    if (name == "doubling_allreduce") return doubling_allreduce(wire, data, sums, count_);
    if (name == "slices_allreduce") return slices_allreduce(wire, data, sums, count_);
    if (name == "reduce_broadcast_allreduce") return reduce_broadcast_allreduce(wire, data, sums, count_);
    if (name == "circulant_allreduce") return circulant_allreduce(wire, data, sums, count_);
    if (name == "ring_allreduce") return ring_allreduce(wire, data, sums, count_);
    if (name == "circulant_reduce_scatter") return circulant_reduce_scatter(wire, parts, data, result);
    if (name == "ring_reduce_scatter") return ring_reduce_scatter(wire, parts, data, sums);
    if (name == "slices_reduce_scatter") return slices_reduce_scatter(wire, parts, data, result);
    if (name == "bruck_allgather") return bruck_allgather(wire, parts, data);
    if (name == "ring_allgather") return ring_allgather(wire, parts, data);
    if (name == "spread_allgather") return spread_allgather(wire, parts, data);
    if (name == "binomial_gather") return binomial_gather(wire, root_, parts, data, result);
    if (name == "binomial_scatter") return binomial_scatter(wire, root_, parts, data, result);
    if (name == "spread_gather") return spread_gather(wire, root_, parts, data, result);
    if (name == "spread_scatter") return spread_scatter(wire, root_, parts, data, result);
    if (name == "bruck_alltoall") return bruck_alltoall(wire, data, result, size);
    if (name == "spread_alltoall") return spread_alltoall(wire, data, out_.data(), result, in_.data());
    if (name == "routed_alltoall") return routed_alltoall(wire, data, out_.data(), result, in_.data());
    if (name == "doubling_scan") return doubling_scan(wire, data, sums, count_);
    if (name == "doubling_exscan") return doubling_exscan(wire, data, sums, count_);
    if (name == "chain_scan") return chain_scan(wire, data, sums, count_);
    if (name == "chain_exscan") return chain_exscan(wire, data, sums, count_);
    ADD_FAILURE() << "no algorithm is named " << name;
    return dissemination_barrier(wire);
  }

  void check() {
    const Vector& sums = case_.apart ? result_ : data_;
    if (is_ring()) result_ = part(sums, me_);
    if (case_.apart) expect(data_, vector_of(me_, data_.size()));
    const bool at_root = me_ == root_;
    switch (case_.kind) {
      case Case::Kind::barrier: return;
      case Case::Kind::broadcast: return expect(data_, vector_of(root_, count_));
      case Case::Kind::reduce: return at_root ? expect(sums, reduced(count_, members_)) : void();
      case Case::Kind::allreduce: return expect(sums, reduced(count_, members_));
      case Case::Kind::scan:
        if (case_.exclusive && me_ == 0) return expect(sums, case_.apart ? garbage(count_) : vector_of(0, count_));
        return expect(sums, reduced(count_, case_.exclusive ? me_ : me_ + 1));
      case Case::Kind::reduce_scatter: return expect(result_, part(reduced(begins_.back(), members_), me_));
      case Case::Kind::allgather: return expect(data_, gathered());
      case Case::Kind::gather: return at_root ? expect(result_, gathered()) : void();
      case Case::Kind::scatter: return expect(result_, part(vector_of(root_, begins_.back()), me_));
      case Case::Kind::alltoall: return expect(result_, exchanged());
    }
  }

  const std::vector<Affine>& data() const { return data_; }

 private:
  using Vector = std::vector<Affine>;

  bool is_ring() const { return case_.name == std::string_view("ring_reduce_scatter"); }
  static std::byte* bytes(Vector& vector) { return reinterpret_cast<std::byte*>(vector.data()); }
  static void put(Vector& into, std::size_t at, const Vector& from) {
    std::copy(from.begin(), from.end(), into.begin() + std::ptrdiff_t(at));
  }
  Vector garbage(std::size_t count) const { return Vector(count, Affine{0xdead, me_}); }
  Vector vector_of(Rank member, std::size_t count, std::uint64_t salt = 0) const {
    util::Random random(util::mix(seed_ + member) + salt);
    Vector vector(count);
    for (Affine& each : vector) each = {random.next(), random.next()};
    return vector;
  }
  // Of unequal size, and some of nothing, unless they have to be equal.
  std::size_t part_of(Rank member) const {
    return case_.equal ? count_ : util::mix(seed_ * 31 + member) % (2 * count_ + 1);
  }
  Vector part(const Vector& all, Rank member) const {
    return {all.begin() + std::ptrdiff_t(begins_[member]), all.begin() + std::ptrdiff_t(begins_[member + 1])};
  }
  Vector reduced(std::size_t count, Rank members) const {
    Vector sum = vector_of(0, count);
    for (Rank member = 1; member < members; ++member) {
      const Vector next = vector_of(member, count);
      for (std::size_t i = 0; i < count; ++i) sum[i] = case_.commutes ? both(sum[i], next[i]) : then(sum[i], next[i]);
    }
    return sum;
  }
  Vector gathered() const {
    Vector all(begins_.back());
    for (Rank member = 0; member < members_; ++member) put(all, begins_[member], vector_of(member, part_of(member)));
    return all;
  }
  std::size_t between(Rank from, Rank to) const {
    return case_.equal ? count_ : util::mix(seed_ * 77 + from * 1000 + to) % (2 * count_ + 1);
  }
  void make_blocks() {
    std::size_t sent = 0, taken = 0;
    for (Rank other = 0; other < members_; ++other) {
      out_.push_back({sent * sizeof(Affine), between(me_, other) * sizeof(Affine)});
      in_.push_back({taken * sizeof(Affine), between(other, me_) * sizeof(Affine)});
      const Vector block = vector_of(me_, between(me_, other), other + 1);
      data_.insert(data_.end(), block.begin(), block.end());
      sent += between(me_, other);
      taken += between(other, me_);
    }
    result_ = garbage(taken);
  }
  Vector exchanged() const {
    Vector all;
    for (Rank other = 0; other < members_; ++other) {
      const Vector block = vector_of(other, between(other, me_), me_ + 1);
      all.insert(all.end(), block.begin(), block.end());
    }
    return all;
  }
  void expect(const Vector& got, const Vector& wanted) const {
    ASSERT_EQ(got.size(), wanted.size()) << where();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(got[i] == wanted[i]) << where() << ", element " << i << ": " << got[i].a << " x + " << got[i].b;
  }
  std::string where() const {
    return std::string(case_.name) + (case_.apart ? " apart" : "") + ", member " + std::to_string(me_) + " of " +
           std::to_string(members_) + ", root " + std::to_string(root_) + ", count " + std::to_string(count_);
  }

  const Case& case_;
  const Rank me_, members_, root_;
  const std::size_t count_;
  const std::uint64_t seed_;
  std::vector<std::size_t> begins_;
  std::vector<Block> out_, in_;
  Vector data_, result_;
};

inline const std::vector<Case>& cases() {
  using K = Case::Kind;
  constexpr Rank kFew = Slots::kNear + 1;
  static const std::vector<Case> in_place{
      {"dissemination_barrier", K::barrier},
      {"binomial_broadcast", K::broadcast},
      {"chain_broadcast", K::broadcast},
      {"scatter_allgather_broadcast", K::broadcast},
      {"binomial_reduce", K::reduce, true},
      {"ordered_reduce", K::reduce},
      {"scatter_gather_reduce", K::reduce, true},
      {"whole_allreduce", K::allreduce, false, false, kFew},
      {"doubling_allreduce", K::allreduce},
      {"slices_allreduce", K::allreduce, false, false, kFew},
      {"reduce_broadcast_allreduce", K::allreduce},
      {"circulant_allreduce", K::allreduce, true},
      {"ring_allreduce", K::allreduce, true},
      {"circulant_reduce_scatter", K::reduce_scatter, true},
      {"ring_reduce_scatter", K::reduce_scatter, true},
      {"slices_reduce_scatter", K::reduce_scatter, false, false, kFew},
      {"bruck_allgather", K::allgather},
      {"ring_allgather", K::allgather},
      {"spread_allgather", K::allgather, false, false, kFew},
      {"binomial_gather", K::gather},
      {"binomial_scatter", K::scatter},
      {"bruck_alltoall", K::alltoall, false, true},
      {"spread_alltoall", K::alltoall, false, false, kFew},
      {"routed_alltoall", K::alltoall},
      {"doubling_scan", K::scan},
      {"doubling_exscan", K::scan, false, false, ~Rank{0}, true},
      {"chain_scan", K::scan},
      {"chain_exscan", K::scan, false, false, ~Rank{0}, true},
      {"spread_broadcast", K::broadcast, false, false, kFew},
      {"whole_reduce", K::reduce, false, false, kFew},
      {"slices_reduce", K::reduce, false, false, kFew},
      {"spread_gather", K::gather, false, false, kFew},
      {"spread_scatter", K::scatter, false, false, kFew},
  };
  static const std::vector<Case> all = [] {
    std::vector<Case> list = in_place;
    for (Case each : in_place) {
      if (each.kind != K::reduce && each.kind != K::allreduce && each.kind != K::reduce_scatter && each.kind != K::scan)
        continue;
      each.apart = true;
      list.push_back(each);
    }
    return list;
  }();
  return all;
}

// The function of a case, on Affine.
inline const Combine& combine_of(const Case& c) {
  static const auto make = [](auto element) {
    return Combine([element](const void* one, const void* two, void* result, std::size_t count) -> Status {
      for (std::size_t i = 0; i < count; ++i) {
        Affine a, b;
        std::memcpy(&a, static_cast<const std::byte*>(one) + i * sizeof a, sizeof a);
        std::memcpy(&b, static_cast<const std::byte*>(two) + i * sizeof b, sizeof b);
        const Affine both = element(a, b);
        std::memcpy(static_cast<std::byte*>(result) + i * sizeof both, &both, sizeof both);
      }
      return {};
    });
  };
  static const Combine commuting = make(both), ordered = make(then);
  return c.commutes ? commuting : ordered;
}

inline void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name << (c.apart ? "_apart" : "");
}
inline std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.name) + (info.param.apart ? "_apart" : "");
}

}  // namespace polder::coll::test
