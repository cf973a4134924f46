// Fields over units against the same field in plain memory.
#include <polder/containers/halo.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>

namespace polder::containers {
namespace {

template <std::size_t N>
long start_value(const Offset<N>& index) {
  long value = 1;
  for (const std::ptrdiff_t i : index) value = value * 31 + long(i);
  return value % 1009;
}

// A field in plain memory, with the same rules at its edges.
template <std::size_t N>
class PlainField {
 public:
  PlainField(const Index<N>& extents, const HaloOptions<long, N>& options) : extents_(extents), options_(options) {
    for (std::size_t at = 0; at < volume(extents); ++at)
      values_.push_back(start_value(as_offset(index_at(at, extents))));
  }
  long at(Offset<N> index) const {
    Index<N> inside{};
    for (std::size_t d = 0; d < N; ++d) {
      const auto extent = std::ptrdiff_t(extents_[d]);
      const Boundary<long, N>& boundary = options_.boundaries[d];
      if (index[d] < 0 || index[d] >= extent) {
        if (boundary.edge == Edge::none) return 0;
        if (boundary.edge == Edge::fixed) return boundary.value;
        if (boundary.edge == Edge::function) return boundary.function(index);
      }
      inside[d] = std::size_t((index[d] + extent) % extent);
    }
    return values_[position_of(inside, extents_)];
  }
  void step(const Stencil<N>& stencil) {
    std::vector<long> next;
    for (std::size_t at = 0; at < values_.size(); ++at) {
      long sum = 0;
      for (std::size_t k = 0; k < stencil.points.size(); ++k) {
        Offset<N> index = as_offset(index_at(at, extents_));
        for (std::size_t d = 0; d < N; ++d) index[d] += stencil.points[k][d];
        sum += long(k + 1) * this->at(index);
      }
      next.push_back(sum % 1009);
    }
    values_.swap(next);
  }
  static Offset<N> as_offset(const Index<N>& index) {
    Offset<N> offset{};
    for (std::size_t d = 0; d < N; ++d) offset[d] = std::ptrdiff_t(index[d]);
    return offset;
  }

 private:
  Index<N> extents_;
  HaloOptions<long, N> options_;
  std::vector<long> values_;
};

template <std::size_t N>
void compare(Rank units, const Index<N>& extents, const Stencil<N>& stencil, HaloOptions<long, N> options) {
  options.fields = 2;
  as_units(units, [&](const Team& team) {
    HaloField<long, N> field(team, extents, stencil, options);
    PlainField<N> plain(extents, options);
    const IndexBox<N> mine = field.box();
    auto for_each_own = [&](auto&& visit) {
      for (std::size_t at = 0; at < mine.size(); ++at) {
        const auto local = PlainField<N>::as_offset(index_at(at, mine.extents));
        Offset<N> global = local;
        for (std::size_t d = 0; d < N; ++d) global[d] += std::ptrdiff_t(mine.first[d]);
        visit(local, global);
      }
    };
    for_each_own([&](const auto& local, const auto& global) { field.at(0, local) = start_value(global); });
    for (std::size_t step = 0; step < 5; ++step) {
      plain.step(stencil);
      field.step(step % 2, 1 - step % 2, [&](const auto& at) {
        long sum = 0;
        for (std::size_t k = 0; k < stencil.points.size(); ++k) sum += long(k + 1) * at[stencil.points[k]];
        return sum % 1009;
      });
      for_each_own([&](const auto& local, const auto& global) {
        ASSERT_EQ(field.at(1 - step % 2, local), plain.at(global)) << "step " << step << ", rank " << team.unit();
      });
    }
  });
}

TEST(Halo, StarsAndBoxesInTwoDimensions) {
  const Boundary<long, 2> periodic{.edge = Edge::periodic}, fixed{.edge = Edge::fixed, .value = 17};
  const Boundary<long, 2> function{.edge = Edge::function,
                                   .function = [](const Offset<2>& i) { return 3 * i[0] + i[1]; }};
  compare<2>(4, {9, 8}, Stencil<2>::star(1), {});
  compare<2>(4, {9, 8}, Stencil<2>::box(2), {.boundaries = {periodic, periodic}});
  compare<2>(6, {12, 8}, Stencil<2>::box(1), {.boundaries = {fixed, periodic}});
  compare<2>(3, {12, 8}, Stencil<2>::star(2), {.boundaries = {function, fixed}});
}

TEST(Halo, AnyStencilAndThreeDimensions) {
  const Boundary<long, 3> periodic{.edge = Edge::periodic}, fixed{.edge = Edge::fixed, .value = -1};
  compare<3>(8, {4, 5, 6}, Stencil<3>::box(1), {.boundaries = {periodic, fixed, periodic}});
  compare<2>(4, {8, 8}, Stencil<2>{{{0, 0}, {-2, 1}, {0, 3}}}, {});
  compare<1>(3, {8}, Stencil<1>{{{-2}, {0}}}, {.boundaries = {Boundary<long, 1>{.edge = Edge::periodic}}});
}

// Rows of 96 bytes go where they belong, columns of 8 or 16 through an inbox.
TEST(Halo, LongRowsAndShortOnes) {
  const Boundary<long, 2> periodic{.edge = Edge::periodic}, fixed{.edge = Edge::fixed, .value = 17};
  compare<2>(4, {13, 24}, Stencil<2>::box(1), {.boundaries = {periodic, periodic}});
  compare<2>(2, {5, 24}, Stencil<2>::star(2), {.boundaries = {fixed, fixed}});
  const HaloShape<2> shape{{1, 1}, {1, 2}, Stencil<2>::star(1).directions(), 2, 8};
  const HaloLayout<2> layout({5, 12}, shape);
  EXPECT_FALSE(layout.is_packed({1, 0}));
  EXPECT_FALSE(layout.is_packed({1, 1}));  // one row
  EXPECT_TRUE(layout.is_packed({0, -1}));
  EXPECT_EQ(layout.field(), 7u * 15u);
  EXPECT_EQ(layout.elements(), 2 * (7 * 15 + 5 * 1 + 5 * 2u));
  EXPECT_EQ(layout.inbox(std::size_t(std::ranges::find(shape.directions, Offset<2>{0, -1}) - shape.directions.begin())),
            2 * 7 * 15u);
}

TEST(Halo, SeveralFieldsPackedInOneExchange) {
  as_units(2, [](const Team& team) {
    HaloField<int, 2> field(team, {3, 40}, Stencil<2>::star(2), {.fields = 3});
    const IndexBox<2> mine = field.box();
    ASSERT_EQ(mine.extents, (Index<2>{3, 20}));
    const auto value = [&](std::size_t k, std::ptrdiff_t i, std::ptrdiff_t j) {
      return int(1000 * k) + int(100 * i + j);
    };
    const auto left = std::ptrdiff_t(mine.first[1]);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::ptrdiff_t i = 0; i < 3; ++i)
        for (std::ptrdiff_t j = 0; j < 20; ++j) field.at(k, {i, j}) = value(k, i, left + j);
    field.update({0, 2});
    field.update({});
    for (std::ptrdiff_t i = 0; i < 3; ++i)
      for (const std::ptrdiff_t j : {team.unit() == 0 ? 20 : -2, team.unit() == 0 ? 21 : -1}) {
        EXPECT_EQ(field.at(0, {i, j}), value(0, i, left + j));
        EXPECT_EQ(field.at(1, {i, j}), 0);
        EXPECT_EQ(field.at(2, {i, j}), value(2, i, left + j));
      }
  });
}

TEST(Halo, SeveralFieldsInOneExchange) {
  as_units(3, [](const Team& team) {
    HaloField<int, 1> field(team, {9}, Stencil<1>::star(1),
                            {.fields = 3, .boundaries = {Boundary<int, 1>{.edge = Edge::periodic}}});
    for (std::size_t k = 0; k < 3; ++k)
      for (std::ptrdiff_t i = 0; i < 3; ++i) field.at(k, {i}) = int(100 * k + 10 * team.unit()) + int(i);
    field.update({0, 2});
    EXPECT_EQ(field.at(0, {-1}), int(10 * ((team.unit() + 2) % 3) + 2));
    EXPECT_EQ(field.at(2, {3}), int(200 + 10 * ((team.unit() + 1) % 3)));
    EXPECT_EQ(field.at(1, {3}), 0);
  });
}

TEST(Halo, RefusesStencilsOfNegativeWidth) {
  EXPECT_EQ(Stencil<2>::box(0).points, Stencil<2>::star(0).points);
  EXPECT_EQ(text_of_failure([] { (void)Stencil<2>::star(-1); }), "invalid argument: a stencil of width -1");
  EXPECT_EQ(text_of_failure([] { (void)Stencil<3>::box(-2); }), "invalid argument: a stencil of width -2");
}

TEST(Halo, RefusesFieldsThatAreNotThere) {
  as_units(2, [](const Team& team) {
    HaloField<int, 2> u(team, {4, 4}, Stencil<2>::star(1), {.name = "u", .fields = 2});
    for (const auto& call : std::initializer_list<std::function<void()>>{
             [&] {
               u.update({0, 2});
             },
             [&] { u.start({2}); }, [&] { u.step(2, 0, [](const auto& at) { return at(0, 0); }); },
             [&] { u.step(0, 2, [](const auto& at) { return at(0, 0); }); }}) {
      const std::string text = text_of_failure(call);
      EXPECT_NE(text.find("an exchange of field 'u': there is no field 2 of 2"), std::string::npos) << text;
    }
    u.update({0, 1});  // as if nothing had been
  });
}

TEST(Halo, RefusesBlocksThatAreTooSmall) {
  as_units(4, [](const Team& team) {
    const std::string text =
        text_of_failure([&] { HaloField<int, 1>(team, {5}, Stencil<1>::star(1), {.name = "thin"}); });
    EXPECT_NE(text.find("field 'thin' of (5) elements: unit 3 has 0 along dimension 0"), std::string::npos) << text;
  });
}

TEST(Halo, DisagreementIsNamedAtAll) {
  using Field = HaloField<int, 2>;
  as_units(3, [](const Team& team) {
    const bool other = team.unit() == 2;
    const auto expect = [&](const char* differs, auto&& make) {
      const std::string text = text_of_failure(make);
      EXPECT_NE(text.find(std::string("field 'x': rank 2 disagrees with rank 0: ") + differs), std::string::npos)
          << text;
    };
    const Index<2> extents{9, 9};
    const auto star = Stencil<2>::star(1);
    expect("extents (9, 8) instead of (9, 9)", [&] { Field(team, {9, other ? 8u : 9u}, star, {.name = "x"}); });
    expect("2 fields instead of 1", [&] { Field(team, extents, star, {.name = "x", .fields = other ? 2u : 1u}); });
    expect("another stencil", [&] { Field(team, extents, other ? Stencil<2>::box(1) : star, {.name = "x"}); });
    expect("another stencil", [&] {
      Field(team, extents, star, {.name = "x", .boundaries = {{{.edge = other ? Edge::periodic : Edge::none}, {}}}});
    });
  });
}

TEST(Halo, MemoryThatIsNotThere) {
  as_units(2, [](const Team& team) {
    for (const std::size_t extent : {std::size_t{1} << 61, ~std::size_t{0}}) {
      const std::string text =
          text_of_failure([&] { HaloField<double, 1>(team, {extent}, Stencil<1>::star(1), {.name = "huge"}); });
      EXPECT_NE(text.find("out of memory: memory of field 'huge'"), std::string::npos) << text;
    }
  });
}

TEST(Halo, ANeighbourThatDiesIsNamed) {
  Simulation simulation(5, {.device = SimulatedDevice::network});
  std::array<std::string, 5> texts;
  const Status status = simulation.run([&](Runtime& rt) {
    try {
      Team team(rt, rt.world(), 60s);
      HaloField<int, 1> field(team, {30}, Stencil<1>::star(1), {.name = "u"});
      for (int round = 0;; ++round) {
        if (rt.rank() == 1 && round == 2) simulation.kill(1);
        field.update({0});
      }
    } catch (const Failure& failure) {
      texts[rt.rank()] = failure.what();
    }
  });
  ASSERT_TRUE(status.ok()) << status.to_string();
  for (const Rank rank : {0, 2, 3, 4}) {
    EXPECT_NE(texts[rank].find("field 'u'"), std::string::npos) << texts[rank];
    EXPECT_NE(texts[rank].find("failed: rank 1"), std::string::npos) << texts[rank];
  }
}

}  // namespace
}  // namespace polder::containers
