#include <polder/collective.hpp>

#include "coll/consistent/exact.hpp"
#include "coll/consistent/half.hpp"
#include "coll/lane/call_record.hpp"
#include "core/direct/accumulate_kernels.hpp"
#include "util/copy.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace polder {

Result<ReductionSpec> reduction(Reduction op, DataType type, std::size_t count) {
  const core::AccumulateKernel kernel = core::accumulate_kernel(op, type);
  if (kernel == nullptr || op == Reduction::axpy)
    return Status(Code::invalid_argument,
                  std::string(to_string(op)) + " of " + std::string(to_string(type)) + " is no reduction");
  const std::size_t size = size_of(type);
  Combine combine = [kernel](const void* one, const void* two, void* result, std::size_t n) -> Status {
    kernel(one, two, result, n, nullptr);
    return {};
  };
  return ReductionSpec{count, size, std::move(combine), true, std::uint8_t(op), std::uint8_t(type)};
}

Result<ReductionSpec> reduction(Reduction op, DataType type, std::size_t count, Reproducible level) {
  auto spec = reduction(op, type, count);
  if (!spec.ok() || level == Reproducible::runs) return spec;
  if (level != Reproducible::layout && level != Reproducible::exact)
    return Status(Code::invalid_argument, "there is no such level of reproducibility");
  const bool is_exact = level == Reproducible::exact;
  const bool is_floating = coll::exact_sum_of(type, 0).has_value();
  if (is_exact && is_floating && op == Reduction::product)
    return Status(Code::invalid_argument, "a product of " + std::string(to_string(type)) + " has no exact form");
  if (is_exact && is_floating && op == Reduction::sum) return *coll::exact_sum_of(type, count);
  spec->same_in_any_layout = is_floating;
  return spec;
}

// ---- halves ----

Result<ReductionSpec> reduction(Reduction op, HalfType type, std::size_t count, Reproducible level) {
  const bool known = type == HalfType::float16 || type == HalfType::bfloat16;
  if (!known || !is_defined(op, DataType::float32))
    return Status(Code::invalid_argument, std::string(to_string(op)) + " of numbers of 16 bits is no reduction");
  if (level == Reproducible::exact && op == Reduction::sum) return coll::exact_sum_of(type, count);
  auto spec = reduction(op, DataType::float32, count, level);
  if (!spec.ok()) return spec;
  const bool ieee = type == HalfType::float16;
  spec->type = std::uint8_t(ieee ? coll::CallRecord::kFloat16 : coll::CallRecord::kBfloat16);
  spec->narrow_size = 2;
  spec->widen = ieee ? coll::widen_float16 : coll::widen_bfloat16;
  spec->narrow = ieee ? coll::narrow_float16 : coll::narrow_bfloat16;
  return spec;
}

// ---- truth, and places ----

namespace {

using Kernel = void (*)(const std::byte* one, const std::byte* two, std::byte* result, std::size_t count);

template <class T>
T at(const std::byte* from, std::size_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof value, sizeof value);
  return value;
}

template <Logical op, class T>
void logical(const std::byte* one, const std::byte* two, std::byte* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool a = at<T>(one, i) != T(0), b = at<T>(two, i) != T(0);
    const T value = T(op == Logical::all ? a && b : op == Logical::any ? a || b : a != b);
    std::memcpy(result + i * sizeof value, &value, sizeof value);
  }
}

template <bool least, class T>
void placed(const std::byte* one, const std::byte* two, std::byte* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = at<Placed<T>>(one, i), b = at<Placed<T>>(two, i);
    const bool second = least ? b.value < a.value : a.value < b.value;
    const bool as_good = !(least ? a.value < b.value : b.value < a.value) && b.place < a.place;
    const Placed<T> best = second || as_good ? b : a;
    std::memcpy(result + i * sizeof best, &best, sizeof best);
  }
}

// 0 or 1.
template <class T>
void as_truth(const void* from, void* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = T(at<T>(static_cast<const std::byte*>(from), i) != T(0));
    std::memcpy(static_cast<std::byte*>(to) + i * sizeof value, &value, sizeof value);
  }
}

template <class T>
void as_it_is(const void* from, void* to, std::size_t count) {
  if (count != 0) std::memmove(to, from, count * sizeof(T));
}

struct Chosen {
  Kernel kernel = nullptr;
  std::size_t size = 0;
  decltype(ReductionSpec::widen) widen = nullptr;
  decltype(ReductionSpec::narrow) narrow = nullptr;
};

// `make` is called with a value of the C++ type. Complex numbers have no order.
template <class Make>
Chosen for_type(DataType type, Make&& make) {
  switch (type) {
    case DataType::int8: return make(std::int8_t());
    case DataType::int16: return make(std::int16_t());
    case DataType::int32: return make(std::int32_t());
    case DataType::int64: return make(std::int64_t());
    case DataType::uint8: return make(std::uint8_t());
    case DataType::uint16: return make(std::uint16_t());
    case DataType::uint32: return make(std::uint32_t());
    case DataType::uint64: return make(std::uint64_t());
    case DataType::float32: return make(float());
    case DataType::float64: return make(double());
    default: return {};
  }
}

ReductionSpec spec_of(const Chosen& chosen, std::size_t count, std::uint8_t operation, DataType type) {
  Combine combine = [kernel = chosen.kernel](const void* one, const void* two, void* result, std::size_t n) -> Status {
    kernel(static_cast<const std::byte*>(one), static_cast<const std::byte*>(two), static_cast<std::byte*>(result), n);
    return {};
  };
  return {count, chosen.size, std::move(combine), true, operation, std::uint8_t(type)};
}

Status no_such(const char* what, DataType type) {
  return {Code::invalid_argument, std::string(what) + " of " + std::string(to_string(type)) + " is no reduction"};
}

}  // namespace

Result<ReductionSpec> reduction(Logical op, DataType type, std::size_t count) {
  const Chosen chosen = for_type(type, [op]<class T>(T) -> Chosen {
    switch (op) {
      case Logical::all: return {logical<Logical::all, T>, sizeof(T), as_truth<T>, as_it_is<T>};
      case Logical::any: return {logical<Logical::any, T>, sizeof(T), as_truth<T>, as_it_is<T>};
      case Logical::odd: return {logical<Logical::odd, T>, sizeof(T), as_truth<T>, as_it_is<T>};
    }
    return {};
  });
  if (chosen.kernel == nullptr) return no_such("a logical operation", type);
  ReductionSpec spec = spec_of(chosen, count, std::uint8_t(coll::CallRecord::kLogical + std::uint8_t(op)), type);
  // A vector that is combined with none is a result, too: all are made 0 and 1 before.
  spec.narrow_size = chosen.size;
  spec.widen = chosen.widen;
  spec.narrow = chosen.narrow;
  return spec;
}

Result<ReductionSpec> placed_reduction(Reduction op, DataType type, std::size_t count) {
  if (op != Reduction::min && op != Reduction::max) return no_such("what is neither least nor largest", type);
  const bool least = op == Reduction::min;
  const Chosen chosen = for_type(type, [least]<class T>(T) -> Chosen {
    return {least ? placed<true, T> : placed<false, T>, sizeof(Placed<T>)};
  });
  if (chosen.kernel == nullptr) return no_such("the least or largest with its place", type);
  return spec_of(chosen, count, least ? coll::CallRecord::kLeastPlaced : coll::CallRecord::kLargestPlaced, type);
}

}  // namespace polder
