#include "matrix_product.hpp"

#include "kernel.hpp"

#include <chrono>

namespace contract {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

bool alike(const Cut& one, const Cut& other) {
  return one.extent == other.extent && one.piece == other.piece;
}

Status check_fit(const Product& product) {
  const Grid &a = product.first.grid(), &b = product.second.grid(), &c = product.result.grid();
  const apps::Number number = product.result.number();
  if (product.first.number() != number || product.second.number() != number)
    return {Code::invalid_argument, "product: the matrices have different types of elements"};
  if (a.batches != c.batches || b.batches != c.batches)
    return {Code::invalid_argument, "product: the operands have " + std::to_string(a.batches) + " and " +
                                        std::to_string(b.batches) + " matrices, the result " +
                                        std::to_string(c.batches)};
  if (!alike(a.columns, b.rows))
    return {Code::invalid_argument, "product: columns of the first operand and rows of the second are " +
                                        std::to_string(a.columns.extent) + " and " + std::to_string(b.rows.extent) +
                                        ", in pieces of " + std::to_string(a.columns.piece) + " and " +
                                        std::to_string(b.rows.piece)};
  if (!alike(a.rows, c.rows) || !alike(b.columns, c.columns))
    return {Code::invalid_argument, "product: the result has other rows or columns than the operands, or other pieces"};
  return {};
}

Status do_steps(const Product& product, OperandFlow& flow, const ProductOptions& options, ProductNumbers& numbers) {
  const std::vector<Step>& steps = flow.steps();
  if (options.progress != nullptr) options.progress->begin("multiply", steps.size());
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const auto operands = flow.take(at);
    if (!operands.ok()) return operands.status();
    const Grid &a = product.first.grid(), &c = product.result.grid();
    const BlockPlace place = c.place(steps[at].result);
    const BlockSizes sizes{c.rows.size(place.row), c.columns.size(place.column),
                           a.columns.size(a.place(steps[at].first).column)};
    const Clock::time_point start = Clock::now();
    multiply_add(product.result.number(), sizes, (*operands)[0], (*operands)[1],
                 product.result.own(steps[at].result).data());
    numbers.computing += seconds_between(start, Clock::now());
    if (options.progress != nullptr) options.progress->at(at + 1);
  }
  if (options.progress != nullptr) options.progress->clear();
  return {};
}

}  // namespace

Result<ProductNumbers> multiply(const apps::Team& team, const BlockMatrix& first, const BlockMatrix& second,
                                BlockMatrix& result, const ProductOptions& options) {
  const Product product{first, second, result};
  Status status = team.agree(check_fit(product));
  if (!status.ok()) return status;
  OperandFlow flow(team, product);
  // All blocks are there after this.
  status = team.agree(flow.prepare(options.buffer_bytes));
  if (!status.ok()) return status;
  ProductNumbers numbers;
  const Clock::time_point start = Clock::now();
  status = do_steps(product, flow, options, numbers);
  // Nobody reads blocks of others after this.
  status = team.agree(status);
  if (!status.ok()) return status;
  numbers.seconds = seconds_between(start, Clock::now());
  numbers.flow = flow.numbers();
  return numbers;
}

}  // namespace contract
