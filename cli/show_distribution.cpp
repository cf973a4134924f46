// `polder show-distribution`: which unit owns which elements of a container, as text or SVG.
#include "command.hpp"
#include "launch/run_options.hpp"

#include <polder/containers/make_distribution.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace polder::cli {
namespace {

using containers::BlockCyclic;
using containers::Index;
using containers::Spread;

struct DistributionWords {
  std::string kind = "block", svg;
  std::vector<std::size_t> extents, tile, grid;
  std::vector<double> weights;
  std::size_t units = 4;
};

constexpr std::size_t kLargest = 4096;  // elements along a side of a picture
constexpr std::size_t kMostUnits = 65535;

// Who owns an element, as all kinds answer it; arrays of one dimension are one row.
struct OwnerPicture {
  Index<2> extents{};
  std::function<Rank(std::size_t row, std::size_t column)> owner;
  std::vector<std::size_t> held;  // elements of memory, by unit
  std::string why;
};

Index<2> two(const std::vector<std::size_t>& words, std::size_t missing) {
  if (words.empty()) return {missing, missing};
  return words.size() == 1 ? Index<2>{1, words[0]} : Index<2>{words[0], words[1]};
}

template <class D>
OwnerPicture picture_of(const D& distribution, const std::string& why) {
  OwnerPicture picture;
  picture.why = why;
  if constexpr (D::kDimensions == 2) {
    picture.extents = distribution.extents();
    picture.owner = [distribution](std::size_t row, std::size_t column) { return distribution.unit_of({row, column}); };
  } else {
    picture.extents = {1, distribution.extents()[0]};
    picture.owner = [distribution](std::size_t, std::size_t column) { return distribution.unit_of({column}); };
  }
  for (Rank unit = 0; unit < distribution.units(); ++unit) picture.held.push_back(distribution.capacity(unit));
  return picture;
}

// Throws containers::Failure where the words do not fit each other.
OwnerPicture draw(const DistributionWords& words) {
  const Index<2> extents = two(words.extents, 1);
  const Index<2> grid = words.grid.empty() ? containers::square_grid(extents, words.units) : two(words.grid, 1);
  const Index<2> tile = words.tile.empty() ? containers::fair_tile(extents, grid) : two(words.tile, 1);
  const std::size_t units = containers::volume(grid);
  if (units > kMostUnits)
    containers::throw_failure(Code::invalid_argument, fmt::format("a grid of {} has more than {} units",
                                                                  containers::to_string(grid), kMostUnits));
  const std::string over = "over a grid of " + containers::to_string(grid) + " units";
  const std::string tiles = "tiles of " + containers::to_string(tile);
  const std::array<Spread, 2> by_tile{Spread::block_cyclic(tile[0]), Spread::block_cyclic(tile[1])};
  if (words.kind == "cyclic")
    return picture_of(BlockCyclic<2>(extents, {Spread::cyclic(), Spread::cyclic()}, grid),
                      "single elements dealt out " + over);
  if (words.kind == "block-cyclic")
    return picture_of(BlockCyclic<2>(extents, by_tile, grid), tiles + " dealt out " + over);
  if (words.kind == "tiled")
    return picture_of(containers::Tiled<2>(extents, by_tile, grid), tiles + ", each in one piece, dealt out " + over);
  if (words.kind == "sequential")
    return picture_of(containers::Sequential<2>(extents, tile, units), tiles + " dealt out in sequence");
  if (words.kind == "shifted")
    return picture_of(containers::Shifted<2>(extents, tile, units), tiles + " shifted by one unit from line to line");
  if (words.kind == "weighted")
    return picture_of(containers::Irregular::weighted(containers::volume(extents), words.weights),
                      "a piece a unit, by its weight");
  return picture_of(BlockCyclic<2>(extents, {}, grid), "one block a unit " + over);
}

char letter(Rank unit) {
  static constexpr char kLetters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return unit < sizeof(kLetters) - 1 ? kLetters[unit] : '+';
}

void print_picture(const OwnerPicture& picture) {
  fmt::print("{} elements, {}\n", containers::to_string(picture.extents), picture.why);
  for (std::size_t row = 0; row < picture.extents[0]; ++row) {
    std::string line;
    for (std::size_t column = 0; column < picture.extents[1]; ++column) line += letter(picture.owner(row, column));
    fmt::print("{}\n", line);
  }
  for (Rank unit = 0; unit < picture.held.size(); ++unit)
    fmt::print("unit {} ({}): memory of {} elements\n", unit, letter(unit), picture.held[unit]);
}

// A rectangle for each run of a row that one unit owns; hues by the golden angle, so that neighbours in number differ.
std::string svg_of(const OwnerPicture& picture) {
  constexpr int kCell = 12;
  std::string text =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\">\n<title>{}</title>\n",
                  picture.extents[1] * kCell, picture.extents[0] * kCell, picture.why);
  for (std::size_t row = 0; row < picture.extents[0]; ++row)
    for (std::size_t column = 0, end = 0; column < picture.extents[1]; column = end) {
      const Rank unit = picture.owner(row, column);
      for (end = column + 1; end < picture.extents[1] && picture.owner(row, end) == unit;) ++end;
      text += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"hsl({:.0f},60%,65%)\"><title>unit "
          "{}</title></rect>\n",
          column * kCell, row * kCell, (end - column) * kCell, kCell, unit * 137.508, unit);
    }
  return text + "</svg>\n";
}

int write_svg(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  bool well = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) well = std::fclose(file) == 0 && well;
  if (well) return 0;
  fmt::print(stderr, "polder show-distribution: '{}' cannot be written: {}\n", path, std::strerror(errno));
  return kExitLauncher;
}

// Each of the options says how many units there are; two of them are to say the same.
void check_units(const DistributionWords& words, bool counted) {
  const bool weighted = words.kind == "weighted";
  if (weighted && !words.grid.empty())
    throw CLI::ValidationError("--grid", "the units of a weighted distribution have no grid");
  if (!weighted && !words.weights.empty()) throw CLI::ValidationError("--weights", "only weighted units have weights");
  if (!counted) return;
  const std::size_t units = weighted ? words.weights.size() : containers::volume(two(words.grid, 1));
  const bool told = weighted || !words.grid.empty();
  if (told && units != words.units)
    throw CLI::ValidationError(
        "--units", fmt::format("{} units, and {} has {}", words.units, weighted ? "--weights" : "--grid", units));
}

void describe_words(CLI::App& app, DistributionWords& words) {
  app.add_option("kind", words.kind, "block, cyclic, block-cyclic, tiled, sequential, shifted or weighted")
      ->required()
      ->check(CLI::IsMember({"block", "cyclic", "block-cyclic", "tiled", "sequential", "shifted", "weighted"}));
  app.add_option("extents", words.extents, "elements along one or two dimensions")
      ->required()
      ->expected(1, 2)
      ->delimiter('x')
      ->check(CLI::Range(std::size_t{1}, kLargest));
  app.add_option("-n,--units", words.units, "units")
      ->check(CLI::Range(std::size_t{1}, kMostUnits))
      ->capture_default_str();
  app.add_option("--grid", words.grid, "units along each dimension; by default as square as may be")
      ->expected(1, 2)
      ->delimiter('x')
      ->check(CLI::Range(std::size_t{1}, kMostUnits));
  app.add_option("--tile", words.tile, "elements of a tile along each dimension")
      ->expected(1, 2)
      ->delimiter('x')
      ->check(CLI::Range(std::size_t{1}, kLargest));
  app.add_option("--weights", words.weights, "of each unit, for weighted")
      ->expected(1, int(kMostUnits))
      ->delimiter(',');
  app.add_option("--svg", words.svg, "a file to draw into, instead of text");
  app.callback([&app, &words] { check_units(words, app.count("--units") > 0); });
}

}  // namespace

int show_distribution_command(const Arguments& arguments) {
  CLI::App app("Shows which unit owns which elements of a container (docs/guide/containers.md)",
               "polder show-distribution");
  DistributionWords words;
  describe_words(app, words);
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  try {
    const OwnerPicture picture = draw(words);
    if (!words.svg.empty()) return write_svg(words.svg, svg_of(picture));
    print_picture(picture);
    return 0;
  } catch (const containers::Failure& failure) {
    fmt::print(stderr, "polder show-distribution: {}\n", failure.what());
    return kExitUsage;
  }
}

}  // namespace polder::cli
