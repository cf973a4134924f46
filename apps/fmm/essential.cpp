#include "essential.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fmm {
namespace {

// So that the list of a get stays small beside what it brings.
constexpr std::size_t kItemsAtOnce = 4096;

}  // namespace

Essential::~Essential() {
  // After an error reads may be under way whose memory ends here. What they fail with has been told.
  if (queue_ && queue_->outstanding() > 0) (void)queue_->purge(team_.patience());
}

Status Essential::start(std::span<const TreeInfo> trees) {
  Result<std::unique_ptr<polder::Queue>> queue = team_.runtime().create_queue();
  if (!queue.ok()) return queue.status();
  queue_ = std::move(*queue);
  // The neighbour first, so that not all read from the same rank.
  for (unsigned step = 1; step < team_.size(); ++step) {
    const unsigned rank = (team_.rank() + step) % team_.size();
    if (trees[rank].cells == 0 || local_.empty()) continue;
    RemoteTree tree;
    tree.rank = rank;
    tree.info = trees[rank];
    tree.cells.push_back({.cell = trees[rank].root});
    tree.open.push_back({0, 0});
    trees_.push_back(std::move(tree));
  }
  return {};
}

Status Essential::walk() {
  done_ = true;
  for (RemoteTree& tree : trees_) {
    attach_children(tree);
    walk(tree);
    if (tree.wanted.empty()) continue;
    done_ = false;
    Status status = ask_for_children(tree);
    if (!status.ok()) return status;
  }
  return {};
}

void Essential::walk(RemoteTree& tree) {
  while (!tree.open.empty()) {
    const Pair pair = tree.open.back();
    tree.open.pop_back();
    const Cell& target = local_[pair.target];
    RemoteCell& source = tree.cells[pair.source];
    const auto with_children_of_target = [&](std::uint32_t other) {
      for (std::uint32_t i = 0; i < target.children; ++i) tree.open.push_back({target.first_child + i, other});
    };
    switch (meeting_of(target, source.cell, few_)) {
      case Meeting::far: tree.far.push_back(pair); continue;
      case Meeting::near: tree.near.push_back(pair); continue;
      case Meeting::open_target: with_children_of_target(pair.source); continue;
      case Meeting::open_source:
      case Meeting::open_both: break;
    }
    if (source.first_child == 0) {
      tree.waiting.push_back(pair);
      if (!source.wanted) tree.wanted.push_back(pair.source);
      source.wanted = true;
      continue;
    }
    const bool both = !target.leaf() && target.level == source.cell.level;
    for (std::uint32_t i = 0; i < source.cell.children; ++i) {
      if (both) {
        with_children_of_target(source.first_child + i);
      } else {
        tree.open.push_back({pair.target, source.first_child + i});
      }
    }
  }
}

Status Essential::ask_for_children(RemoteTree& tree) {
  std::vector<polder::ListItem> items;
  std::size_t count = 0;
  for (const std::uint32_t index : tree.wanted) {
    const Cell& cell = tree.cells[index].cell;
    items.push_back({.local = std::ptrdiff_t(count * sizeof(Cell)),
                     .remote = std::ptrdiff_t(std::size_t{cell.first_child} * sizeof(Cell)),
                     .bytes = cell.children * sizeof(Cell)});
    count += cell.children;
  }
  tree.arriving.resize(count);
  return team_.runtime().get(tree.arriving.data(), windows_.cells.at(tree.rank),
                             polder::Shape(std::span<const polder::ListItem>(items)), {*queue_, team_.patience()});
}

void Essential::attach_children(RemoteTree& tree) {
  std::size_t at = 0;
  for (const std::uint32_t index : tree.wanted) {
    tree.cells[index].first_child = std::uint32_t(tree.cells.size());
    const Cell parent = tree.cells[index].cell;
    for (std::uint32_t i = 0; i < parent.children; ++i, ++at)
      tree.cells.push_back({.cell = tree.arriving[at], .number = parent.first_child + i});
  }
  tree.wanted.clear();
  tree.arriving.clear();
  tree.open.insert(tree.open.end(), tree.waiting.begin(), tree.waiting.end());
  tree.waiting.clear();
}

std::size_t Essential::bytes_to_read(std::size_t stride) const {
  std::size_t bytes = bytes_of_walk();
  for (const RemoteTree& tree : trees_) {
    std::vector<bool> far(tree.cells.size()), near(tree.cells.size());
    for (const Pair& pair : tree.far) far[pair.source] = true;
    for (const Pair& pair : tree.near) near[pair.source] = true;
    for (std::size_t i = 0; i < tree.cells.size(); ++i) {
      if (far[i]) bytes += stride * sizeof(double);
      if (near[i]) bytes += std::size_t{tree.cells[i].cell.count} * 4 * sizeof(double);
    }
  }
  return bytes;
}

Status Essential::ask_for_data(std::size_t stride) {
  stride_ = stride;
  std::size_t expansions = 0;
  for (RemoteTree& tree : trees_)
    for (const Pair& pair : tree.far) expansions += std::exchange(tree.cells[pair.source].expansion, 1) == 0 ? 1 : 0;
  expansions_.resize(expansions * stride);
  std::uint32_t bodies = 0;
  for (const RemoteTree& tree : trees_) pieces_.push_back(plan_bodies(tree, bodies));
  body_stride_ = bodies + kPadding;
  bodies_.resize(4 * body_stride_);

  Status status;
  std::size_t place = 0;
  for (std::size_t i = 0; i < trees_.size() && status.ok(); ++i) {
    status = ask_for_expansions(trees_[i], place);
    if (status.ok()) status = ask_for_bodies(i);
  }
  return status;
}

namespace {

// A get of all items, some at a time.
Status get_list(const Team& team, polder::Queue& queue, void* to, polder::GlobalAddress from,
                std::span<const polder::ListItem> items) {
  for (std::size_t first = 0; first < items.size(); first += kItemsAtOnce) {
    const std::size_t count = std::min(kItemsAtOnce, items.size() - first);
    Status status = team.runtime().get(to, from, polder::Shape(items.subspan(first, count)), {queue, team.patience()});
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace

Status Essential::ask_for_expansions(RemoteTree& tree, std::size_t& place) {
  std::vector<std::uint32_t> needed;
  for (std::uint32_t i = 0; i < tree.cells.size(); ++i)
    if (tree.cells[i].expansion != 0) needed.push_back(i);
  std::sort(needed.begin(), needed.end(), [&](auto a, auto b) { return tree.cells[a].number < tree.cells[b].number; });
  const std::size_t bytes = stride_ * sizeof(double);
  std::vector<polder::ListItem> items;
  for (const std::uint32_t index : needed) {
    RemoteCell& cell = tree.cells[index];
    const std::ptrdiff_t remote = std::ptrdiff_t(cell.number * bytes);
    // Neighbours in memory travel as one.
    if (!items.empty() && items.back().remote + std::ptrdiff_t(items.back().bytes) == remote) {
      items.back().bytes += bytes;
    } else {
      items.push_back({.local = std::ptrdiff_t(place * bytes), .remote = remote, .bytes = bytes});
    }
    cell.expansion = std::uint32_t(++place);
  }
  return get_list(team_, *queue_, expansions_.data(), windows_.multipoles.at(tree.rank), items);
}

std::vector<Essential::Piece> Essential::plan_bodies(const RemoteTree& tree, std::uint32_t& place) const {
  std::vector<Range> ranges;
  for (const Pair& pair : tree.near) ranges.push_back(tree.cells[pair.source].cell.bodies());
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  // A cell and its parent may both be needed, by different targets: ranges may overlap.
  std::vector<Piece> pieces;
  for (const Range& range : ranges) {
    if (!pieces.empty() && range.begin <= pieces.back().range.end) {
      pieces.back().range.end = std::max(pieces.back().range.end, range.end);
    } else {
      pieces.push_back({range, 0});
    }
  }
  for (Piece& piece : pieces) {
    piece.place = place;
    place += piece.range.end - piece.range.begin;
  }
  return pieces;
}

Status Essential::ask_for_bodies(std::size_t tree) {
  std::vector<polder::ListItem> items;
  const auto bytes = [](std::size_t count) { return std::ptrdiff_t(count * sizeof(double)); };
  for (std::size_t array = 0; array < 4; ++array)
    for (const Piece& piece : pieces_[tree])
      items.push_back({.local = bytes(array * body_stride_ + piece.place),
                       .remote = bytes(array * trees_[tree].info.body_stride + piece.range.begin),
                       .bytes = (piece.range.end - piece.range.begin) * sizeof(double)});
  return get_list(team_, *queue_, bodies_.data(), windows_.bodies.at(trees_[tree].rank), items);
}

Status Essential::arrived(polder::Timeout timeout) {
  return queue_->wait(polder::Completion::local, timeout);
}

Range Essential::place_of(std::size_t tree, Range bodies) const {
  const std::vector<Piece>& pieces = pieces_[tree];
  const auto after =
      std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.range.begin <= bodies.begin; });
  const Piece& piece = *std::prev(after);
  const std::uint32_t place = piece.place + (bodies.begin - piece.range.begin);
  return {place, place + (bodies.end - bodies.begin)};
}

Bodies Essential::bodies() const {
  const double* first = bodies_.data();
  return {first, first + body_stride_, first + 2 * body_stride_, first + 3 * body_stride_};
}

std::size_t Essential::bytes_of_walk() const {
  std::size_t bytes = 0;
  for (const RemoteTree& tree : trees_)
    bytes += tree.cells.size() * sizeof(RemoteCell) + (tree.far.size() + tree.near.size()) * sizeof(Pair);
  return bytes;
}

std::size_t Essential::bytes() const {
  return bytes_of_walk() + (expansions_.size() + bodies_.size()) * sizeof(double);
}

}  // namespace fmm
