#include "job.hpp"

#include "common/available_memory.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "gather.hpp"
#include "kernel.hpp"
#include "matrix_product.hpp"
#include "tensor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace contract {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr const char* kDistributionNames[] = {"regular", "random", "cyclic"};

class Job {
 public:
  Job(const apps::Team& team, const Options& options) : team_(team), options_(options) {}

  Result<Report> run() {
    Status status = team_.agree(look_at_operands());
    if (status.ok()) status = team_.agree(share_out());
    if (status.ok()) status = check_memory();
    if (status.ok()) status = contract_them();
    if (!status.ok()) return status;
    return report_;
  }

 private:
  Status look_at_operands();
  Result<Tensor> operand(const std::string& letters, const std::string& path, std::uint64_t seed) const;
  Status share_out();
  Status check_memory();
  Status check_node(std::uint64_t bytes);
  Status contract_them();
  Status multiply_repeatedly(const BlockMatrix& first, const BlockMatrix& second, BlockMatrix& result);
  Status check_samples(const BlockMatrix& result);
  Status write(const apps::OutputFile& output, const BlockMatrix& result);

  const apps::Team& team_;
  const Options& options_;
  std::optional<Tensor> first_, second_;
  apps::Number number_ = apps::Number::float64;
  Layout layout_;
  Grid first_grid_, second_grid_, result_grid_;
  GivenOwners owners_;
  std::uint64_t available_ = 0, buffer_bytes_ = 0;  // on this node; for blocks of others
  ProductNumbers numbers_;
  Report report_;
};

Result<Tensor> Job::operand(const std::string& letters, const std::string& path, std::uint64_t seed) const {
  if (options_.made_up.empty()) return Tensor::open(path);
  apps::Shape shape;
  for (const char letter : letters) {
    const auto extent = options_.made_up.find(letter);
    if (extent == options_.made_up.end())
      return Status(Code::invalid_argument, std::string("--generate gives no extent for the index '") + letter + "'");
    shape.push_back(extent->second);
  }
  return Tensor::made_up(letters, options_.number, shape, 2 * options_.seed + seed);
}

Status Job::look_at_operands() {
  const Result<Notation> notation = parse_notation(options_.notation);
  if (!notation.ok()) return notation.status();
  Result<Tensor> first = operand(notation->first, options_.first, 0);
  if (!first.ok()) return std::move(first).status();
  Result<Tensor> second = operand(notation->second, options_.second, 1);
  if (!second.ok()) return std::move(second).status();
  Result<Layout> layout = lay_out(*notation, first->shape(), second->shape());
  if (!layout.ok()) return std::move(layout).status();
  layout_ = *std::move(layout);
  number_ = common_number(first->number(), second->number());
  first_ = *std::move(first);
  second_ = *std::move(second);
  report_.notation = options_.notation;
  report_.number = apps::name_of(number_);
  return options_.output.empty() ? Status() : apps::check_output(options_.output);
}

Status Job::share_out() {
  const std::uint64_t m = layout_.out.rows.extent(), n = layout_.out.columns.extent();
  const std::uint64_t k = layout_.first.columns.extent(), batches = layout_.out.batch.extent();
  const Pieces usual = default_pieces({m, n, k}, team_.size(), options_.distribution);
  const auto cut = [](std::uint64_t extent, std::uint64_t wanted, std::uint64_t otherwise) {
    return Cut{extent, wanted > 0 ? std::min(wanted, std::max<std::uint64_t>(extent, 1)) : otherwise};
  };
  const Cut rows = cut(m, options_.rows, usual.rows), columns = cut(n, options_.columns, usual.columns);
  const Cut inner = cut(k, options_.inner, usual.inner);
  first_grid_ = {batches, rows, inner};
  second_grid_ = {batches, inner, columns};
  result_grid_ = {batches, rows, columns};
  report_.batches = batches, report_.m = m, report_.n = n, report_.k = k;
  report_.block_rows = rows.piece, report_.block_columns = columns.piece, report_.block_inner = inner.piece;
  report_.distribution = options_.owners.empty() ? kDistributionNames[std::size_t(options_.distribution)] : "given";
  // Before there are lists of the blocks, which are as long as the matrices are large.
  const std::uint64_t all = batches * m * k + batches * k * n + batches * m * n;
  if (Status status = check_node(all / team_.size() * apps::bytes_of(number_)); !status.ok()) return status;
  if (options_.owners.empty()) {
    const auto owners = [&](const Grid& grid, std::uint64_t which) {
      return distribute(options_.distribution, grid, team_.size(), 3 * options_.seed + which);
    };
    owners_ = {owners(first_grid_, 0), owners(second_grid_, 1), owners(result_grid_, 2)};
    return {};
  }
  Result<GivenOwners> given = read_owners(options_.owners);
  if (!given.ok()) return std::move(given).status();
  owners_ = *std::move(given);
  Status status = check_owners("the first operand", owners_.first, first_grid_, team_.size());
  if (status.ok()) status = check_owners("the second operand", owners_.second, second_grid_, team_.size());
  if (status.ok()) status = check_owners("the result", owners_.result, result_grid_, team_.size());
  return status;
}

Status Job::check_memory() {
  constexpr std::uint64_t kSlack = 16 << 20;  // the runtime, lists of blocks, one block that is turned around
  const std::uint64_t own = bytes_at(team_.rank(), first_grid_, owners_.first, number_) +
                            bytes_at(team_.rank(), second_grid_, owners_.second, number_) +
                            bytes_at(team_.rank(), result_grid_, owners_.result, number_);
  const std::uint64_t largest = std::max(first_grid_.most_elements(), second_grid_.most_elements());
  const bool alone = team_.runtime().local_size() == team_.size();
  const std::uint64_t buffers = alone ? 0 : kFewestBuffers * largest * apps::bytes_of(number_);
  const Result<std::uint64_t> most = team_.maximum(own + buffers + kSlack);
  if (!most.ok()) return most.status();
  report_.memory = *most;
  const std::uint64_t needed = *most * team_.runtime().local_size();
  Status status = check_node(*most);
  if (status.ok()) {
    buffer_bytes_ = buffers + (available_ - needed) / team_.runtime().local_size();
    if (team_.rank() == 0 && options_.progress)
      std::fprintf(stderr, "contract: up to %s a rank, %s on this node, which has %s\n", apps::megabytes(*most).c_str(),
                   apps::megabytes(needed).c_str(), apps::megabytes(available_).c_str());
  }
  return team_.agree(status);
}

// Whether each rank of this node may have so many bytes.
Status Job::check_node(std::uint64_t bytes) {
  Result<std::uint64_t> available = options_.memory;
  if (options_.memory == 0) available = apps::available_memory();
  if (!available.ok()) return available.status();
  available_ = *available;
  std::uint64_t needed = 0;
  if (__builtin_mul_overflow(bytes, team_.runtime().local_size(), &needed)) needed = ~std::uint64_t{0};
  if (needed <= available_) return {};
  return {Code::out_of_memory, "up to " + apps::megabytes(needed) + " are needed on this node, and there are " +
                                   apps::megabytes(available_) + "; use more nodes or smaller blocks"};
}

Status Job::contract_them() {
  const apps::Crew crew = crew_of(team_);
  std::optional<apps::OutputFile> output;
  if (!options_.output.empty()) {
    const std::uint64_t bytes =
        apps::npy_head(number_, layout_.result).size() + *apps::elements_of(layout_.result) * apps::bytes_of(number_);
    Result<apps::OutputFile> created = apps::OutputFile::create(crew, options_.output, bytes);
    if (!created.ok()) return std::move(created).status();
    output.emplace(*std::move(created));
  }
  Result<BlockMatrix> first = BlockMatrix::create(team_, number_, first_grid_, std::move(owners_.first));
  if (!first.ok()) return std::move(first).status();
  Result<BlockMatrix> second = BlockMatrix::create(team_, number_, second_grid_, std::move(owners_.second));
  if (!second.ok()) return std::move(second).status();
  Result<BlockMatrix> result = BlockMatrix::create(team_, number_, result_grid_, std::move(owners_.result));
  if (!result.ok()) return std::move(result).status();
  const Clock::time_point start = Clock::now();
  Status status = gather_blocks(*first_, layout_.first, options_.finite, *first);
  if (status.ok()) status = gather_blocks(*second_, layout_.second, options_.finite, *second);
  report_.reading = seconds_since(start);
  status = team_.agree(status);
  if (status.ok()) status = multiply_repeatedly(*first, *second, *result);
  if (status.ok()) status = check_samples(*result);
  if (status.ok() && output) {
    const Clock::time_point writing = Clock::now();
    status = output->commit(crew, write(*output, *result));
    report_.writing = seconds_since(writing);
  }
  return status.ok() ? collect(team_, numbers_, report_) : status;
}

Status Job::multiply_repeatedly(const BlockMatrix& first, const BlockMatrix& second, BlockMatrix& result) {
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  report_.threads = options_.threads > 0 ? options_.threads : std::max(cores / team_.runtime().local_size(), 1U);
  report_.ranks = team_.size();
  report_.kernel = kernel_name();
  set_kernel_threads(report_.threads);
  apps::Progress progress(options_.progress && team_.rank() == 0);
  for (unsigned turn = 0; turn < options_.repeat; ++turn) {
    for (const std::uint64_t block : result.own_blocks()) std::ranges::fill(result.own(block), std::byte{});
    const Result<ProductNumbers> numbers =
        multiply(team_, first, second, result, {.buffer_bytes = buffer_bytes_, .progress = &progress});
    if (!numbers.ok()) return numbers.status();
    if (turn == 0 || numbers->seconds < numbers_.seconds) numbers_ = *numbers;
  }
  return {};
}

Status Job::check_samples(const BlockMatrix& result) {
  if (options_.samples == 0 || result_grid_.blocks() == 0) return {};
  double worst = -sampled_error(*first_, *second_, layout_, result,
                                (options_.samples + team_.size() - 1) / team_.size(), options_.seed + team_.rank());
  Status status = team_.minimum({&worst, 1});
  report_.samples = options_.samples;
  report_.error = -worst;
  report_.bound = rounding_bound(number_, layout_.first.columns.extent());
  return status;
}

Status Job::write(const apps::OutputFile& output, const BlockMatrix& result) {
  const std::string head = apps::npy_head(number_, layout_.result);
  Status status;
  if (team_.rank() == 0) status = output.file().write_at(0, std::as_bytes(std::span(head)));
  if (status.ok()) status = scatter_blocks(result, layout_.out, output.file(), head.size());
  return status;
}

}  // namespace

Result<Report> run_job(const apps::Team& team, const Options& options) {
  return Job(team, options).run();
}

}  // namespace contract
