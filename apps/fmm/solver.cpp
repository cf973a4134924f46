#include "solver.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace fmm {
namespace {

// Body pairs that take as long as a translation: both were measured with all kinds of vectors.
std::uint64_t pairs_worth_a_translation(unsigned order, Precision precision) {
  const std::uint64_t p = order + 1;
  return p * p * p / (precision == Precision::single ? 6 : 3);
}

}  // namespace

// Seconds since the last look.
class Solver::Watch {
 public:
  double lap() {
    const Clock::time_point now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }
  double total() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

Solver::Solver(const Team& team, const SolverSettings& settings)
    : team_(team),
      settings_(settings),
      expansions_(*settings.kernels, settings.order),
      decomposition_(team),
      cell_window_(team.runtime(), Part::cells),
      multipole_window_(team.runtime(), Part::multipoles),
      few_(pairs_worth_a_translation(settings.order, settings.precision)) {}

Status Solver::evaluate(std::span<const Particle> particles) {
  Watch watch;
  numbers_ = {};
  if (weights_.size() != particles.size()) weights_.assign(particles.size(), 1.0);
  Status status = decomposition_.distribute(particles, weights_);
  if (!status.ok()) return status;
  numbers_.seconds[std::size_t(Phase::share)] = watch.lap();
  // What one rank does not manage ends the step at all, when nobody reads that rank's tree any more.
  status = team_.agree(compute());
  if (status.ok()) status = share_costs();
  numbers_.seconds[std::size_t(Phase::total)] = watch.total();
  return status;
}

Status Solver::prepare_memory() {
  const std::size_t cells = decomposition_.tree().cells.size();
  const std::size_t numbers = cells * expansions_.stride();
  Status status = check_memory(own_memory());
  if (status.ok()) status = cell_window_.reserve(cells * sizeof(Cell));
  if (status.ok()) status = multipole_window_.reserve(numbers * sizeof(double));
  if (!status.ok()) return status;
  if (cells > 0) std::memcpy(cell_window_.data(), decomposition_.tree().cells.data(), cells * sizeof(Cell));
  std::fill_n(multipole_window_.as<double>(), numbers, 0.0);
  locals_.assign(numbers, 0.0);
  value_stride_ = decomposition_.order().size() + kPadding;
  values_.assign(4 * value_stride_, 0.0);
  efforts_.assign(cells, {});
  return {};
}

Status Solver::compute() {
  Watch watch;
  const auto seconds = [&](Phase phase) -> double& { return numbers_.seconds[std::size_t(phase)]; };
  Status status = decomposition_.build(settings_.leaf_size);
  if (status.ok()) status = prepare_memory();
  const Tree& tree = decomposition_.tree();
  seconds(Phase::tree) = watch.lap();
  const bool failed = !status.ok();
  if (!failed)
    expansions_.upward(tree, decomposition_.domain(), decomposition_.bodies(), multipole_window_.as<double>());
  seconds(Phase::upward) = watch.lap();

  const std::unique_ptr<FarField> far = make_far_field(expansions_, settings_.precision);
  static const Tree kNothing;
  LocalWork work({failed ? kNothing : tree, decomposition_.bodies(), multipole_window_.as<double>(), locals_.data(),
                  expansions_.stride(), field_arrays(), efforts_},
                 *far, expansions_.kernels(), few_);
  std::vector<TreeInfo> trees(team_.size());
  Status gathered = gather_trees(failed, work, trees);
  if (!gathered.ok()) return gathered;
  if (std::any_of(trees.begin(), trees.end(), [](const TreeInfo& info) { return info.failed != 0; }))
    return team_.agree(status);

  Essential essential(team_, {cell_window_, multipole_window_, decomposition_.body_window()}, tree.cells, few_);
  status = essential.start(trees);
  if (status.ok()) status = fetch(essential, work);
  if (!status.ok()) return status;
  while (work.advance()) {
  }
  NearField remote_near;
  remote_work(essential, *far, remote_near);
  const double interactions = watch.lap();
  expansions_.downward(tree, decomposition_.domain(), decomposition_.bodies(), locals_.data(), field_arrays());
  seconds(Phase::downward) = watch.lap();

  seconds(Phase::far) = far->seconds();
  seconds(Phase::near) = work.near().seconds() + remote_near.seconds();
  seconds(Phase::walk) = interactions - seconds(Phase::far) - seconds(Phase::near) - seconds(Phase::fetch);
  numbers_.particles = decomposition_.order().size();
  numbers_.cells = tree.cells.size();
  numbers_.depth = tree.depth();
  numbers_.translations = far->translations();
  numbers_.body_pairs = work.near().body_pairs() + remote_near.body_pairs();
  numbers_.essential_bytes = essential.bytes();
  numbers_.bytes = own_memory() + essential.bytes();
  return {};
}

// Everybody's tree is complete when the gather ends. Until then there is work at home.
Status Solver::gather_trees(bool failed, LocalWork& work, std::vector<TreeInfo>& trees) {
  const Tree& tree = decomposition_.tree();
  TreeInfo mine;
  mine.failed = failed;
  if (!failed && !tree.cells.empty()) mine = {tree.cells[0], tree.cells.size(), decomposition_.body_stride(), 0};
  for (bool more = true;;) {
    more = more && work.advance();
    Watch watch;
    Status status =
        team_.runtime().world().allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(trees)),
                                          more ? polder::Timeout::test() : team_.patience());
    numbers_.seconds[std::size_t(Phase::fetch)] += watch.lap();
    if (!more || !status.timed_out()) return team_.named("waiting for the others' trees", status);
  }
}

Status Solver::fetch(Essential& essential, LocalWork& work) {
  Watch watch;
  double& seconds = numbers_.seconds[std::size_t(Phase::fetch)];
  bool more = true;
  const auto wait = [&]() -> Status {
    for (;;) {
      seconds += watch.lap();
      more = more && work.advance();
      watch.lap();
      Status status = essential.arrived(more ? polder::Timeout::test() : team_.patience());
      if (!more || !status.timed_out()) return status;
    }
  };
  Status status = essential.walk();
  while (status.ok() && !essential.done()) {
    status = wait();
    if (status.ok()) status = essential.walk();
  }
  if (status.ok()) status = check_memory(own_memory() + essential.bytes_to_read(expansions_.stride()));
  if (status.ok()) status = essential.ask_for_data(expansions_.stride());
  if (status.ok()) status = wait();
  seconds += watch.lap();
  return team_.named("reading the others' trees", status);
}

void Solver::remote_work(const Essential& essential, FarField& far, NearField& near) {
  const std::vector<Cell>& cells = decomposition_.tree().cells;
  essential.for_each(
      [&](std::uint32_t target, const Cell& source, const double* multipole) {
        far.add(cells[target], locals_.data() + target * expansions_.stride(), source, multipole);
        ++efforts_[target].translations;
      },
      [&](std::uint32_t target, Range bodies) {
        near.add(target, bodies);
        efforts_[target].body_pairs += std::uint64_t{cells[target].count} * (bodies.end - bodies.begin);
      });
  far.flush();
  near.prepare(cells.size());
  while (near.advance(expansions_.kernels(), cells, decomposition_.bodies(), essential.bodies(), field_arrays(),
                      ~std::uint64_t{0})) {
  }
}

// What a particle cost: its part of its cells' interactions, at the mean price of all ranks, so that a rank that was
// slowed down by others does not lose its particles.
Status Solver::share_costs() {
  const auto seconds = [&](Phase phase) { return numbers_.seconds[std::size_t(phase)]; };
  // The walk finds a pair of cells for each translation; where particles crowd there are more of them for each.
  std::array<double, 6> sums{seconds(Phase::far) + seconds(Phase::walk),
                             double(numbers_.translations),
                             seconds(Phase::near),
                             double(numbers_.body_pairs),
                             seconds(Phase::tree) + seconds(Phase::upward) + seconds(Phase::downward),
                             double(numbers_.particles)};
  Status status = team_.sum(sums);
  if (!status.ok()) return status;
  const auto price = [&](std::size_t i) { return sums[i + 1] > 0 ? sums[i] / sums[i + 1] : 0; };

  const std::vector<Cell>& cells = decomposition_.tree().cells;
  std::vector<double> costs(cells.size());  // of each body of a cell
  weights_.resize(numbers_.particles);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    costs[i] += (price(0) * double(efforts_[i].translations) + price(2) * double(efforts_[i].body_pairs)) / cell.count;
    for (std::uint32_t child = 0; child < cell.children; ++child) costs[cell.first_child + child] = costs[i];
    if (!cell.leaf()) continue;
    for (std::uint32_t body = cell.begin; body < cell.begin + cell.count; ++body)
      weights_[particle_of(body)] = price(4) + costs[i];
  }
  // No particle counts for less than half the mean: so no rank gets more than about twice its share of particles, which
  // is what the memory is planned for.
  std::array<double, 2> total{0, double(weights_.size())};
  for (const double weight : weights_) total[0] += weight;
  status = team_.sum(total);
  if (!status.ok()) return status;
  for (double& weight : weights_) weight = std::max(weight, 0.5 * total[0] / total[1]);
  return {};
}

std::array<double, 3> Solver::field(std::size_t body) const {
  const double factor = scale() * scale();
  return {values(1)[body] * factor, values(2)[body] * factor, values(3)[body] * factor};
}

std::uint64_t Solver::own_memory() const {
  const std::uint64_t bodies = decomposition_.order().size(), cells = decomposition_.tree().cells.size();
  const std::uint64_t per_body = 2 * sizeof(Particle) + 2 * sizeof(KeyedIndex) + 8 * sizeof(double) + sizeof(double);
  const std::uint64_t per_cell = 2 * sizeof(Cell) + 2 * expansions_.stride() * sizeof(double) + sizeof(Effort);
  return bodies * per_body + cells * per_cell;
}

// The bound that a job starts with assumes reasonable trees; a tree of chains and nearly empty leaves can need more.
Status Solver::check_memory(std::uint64_t bytes) const {
  if (settings_.memory == 0 || bytes <= settings_.memory) return {};
  return {Code::out_of_memory, std::to_string(decomposition_.tree().cells.size()) + " cells of the octree need " +
                                   std::to_string(bytes / 1'000'000 + 1) + " MB, and this rank may use " +
                                   std::to_string(settings_.memory / 1'000'000) +
                                   " MB; use larger leaves (--leaf) or more nodes"};
}

}  // namespace fmm
