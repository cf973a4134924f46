// Datatypes and operations of the program's own.
#include "api/dart/collective/user_operation.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/symbols.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

using namespace polder;
using namespace polder::dart;

namespace {

// A type over `base`, without its blocks yet.
Result<std::unique_ptr<DerivedType>> over(dart_datatype_t base, DerivedType::Kind kind) {
  const auto element = contiguous_size(base);
  if (!element) return wrong_type(base, "basic or custom");
  auto type = std::make_unique<DerivedType>();
  type->kind = kind;
  type->base = is_basic(base) ? base : DART_TYPE_BYTE;
  type->element = *element;
  return type;
}

Status too_large() {
  return {Code::invalid_size, "a type of more bytes than 64 bits count"};
}

dart_datatype_t handed_out(std::unique_ptr<DerivedType> type) {
  return reinterpret_cast<dart_datatype_t>(type.release());
}

}  // namespace

extern "C" {

dart_ret_t dart_type_create_strided(dart_datatype_t basetype, size_t stride, size_t blocklen,
                                    dart_datatype_t* newtype) {
  constexpr const char* kCall = "dart_type_create_strided";
  return guarded(kCall, [&] {
    if (newtype == nullptr) return refused(kCall, null_argument("newtype"));
    *newtype = DART_TYPE_UNDEFINED;
    if (blocklen == 0 || stride < blocklen)
      return refused(kCall, Status(Code::invalid_argument, "blocks of " + std::to_string(blocklen) +
                                                               " elements at a stride of " + std::to_string(stride)));
    auto type = over(basetype, DerivedType::Kind::strided);
    if (!type.ok()) return refused(kCall, type.status());
    (*type)->stride = stride;
    (*type)->length = blocklen;
    if (!is_countable(**type)) return refused(kCall, too_large());
    *newtype = handed_out(*std::move(type));
    return DART_OK;
  });
}

dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count, const size_t blocklen[],
                                    const size_t offset[], dart_datatype_t* newtype) {
  constexpr const char* kCall = "dart_type_create_indexed";
  return guarded(kCall, [&] {
    if (newtype == nullptr) return refused(kCall, null_argument("newtype"));
    *newtype = DART_TYPE_UNDEFINED;
    if (blocklen == nullptr || offset == nullptr)
      return refused(kCall, null_argument(blocklen == nullptr ? "blocklen" : "offset"));
    auto made = over(basetype, DerivedType::Kind::indexed);
    if (!made.ok()) return refused(kCall, made.status());
    DerivedType& type = **made;
    std::size_t least = std::numeric_limits<std::size_t>::max(), end = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (blocklen[i] == 0) continue;
      type.blocks.push_back({offset[i], blocklen[i]});
      type.sum += blocklen[i];
      least = std::min(least, offset[i]);
      end = std::max(end, offset[i] + blocklen[i]);
    }
    if (!is_countable(type)) return refused(kCall, too_large());
    if (type.sum == 0) return refused(kCall, Status(Code::invalid_argument, "all blocks are empty"));
    type.extent = end - least;
    *newtype = handed_out(*std::move(made));
    return DART_OK;
  });
}

dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t* newtype) {
  constexpr const char* kCall = "dart_type_create_custom";
  return guarded(kCall, [&] {
    if (newtype == nullptr) return refused(kCall, null_argument("newtype"));
    *newtype = DART_TYPE_UNDEFINED;
    if (num_bytes == 0) return refused(kCall, Status(Code::invalid_argument, "objects of 0 bytes"));
    auto type = std::make_unique<DerivedType>();
    type->element = num_bytes;
    *newtype = handed_out(std::move(type));
    return DART_OK;
  });
}

dart_ret_t dart_type_destroy(dart_datatype_t* dart_type) {
  if (dart_type == nullptr) return refused("dart_type_destroy", null_argument("dart_type"));
  if (derived(*dart_type) == nullptr) return refused("dart_type_destroy", wrong_type(*dart_type, "derived"));
  delete derived(*dart_type);
  *dart_type = DART_TYPE_UNDEFINED;
  return DART_OK;
}

dart_ret_t dart_op_create(dart_operator_t op, void* userdata, bool commute, dart_datatype_t dtype, bool,
                          dart_operation_t* new_op) {
  return guarded("dart_op_create", [&] {
    if (new_op == nullptr || op == nullptr)
      return refused("dart_op_create", null_argument(op == nullptr ? "op" : "new_op"));
    *new_op = DART_OP_UNDEFINED;
    const auto element = contiguous_size(dtype);
    if (!element) return refused("dart_op_create", wrong_type(dtype, "basic or custom"));
    *new_op = reinterpret_cast<dart_operation_t>(new UserOperation{op, userdata, commute, *element});
    return DART_OK;
  });
}

dart_ret_t dart_op_destroy(dart_operation_t* op) {
  if (op == nullptr) return refused("dart_op_destroy", null_argument("op"));
  if (*op <= DART_OP_LAST)
    return refused("dart_op_destroy", Status(Code::invalid_argument,
                                             "operation " + std::to_string(*op) + " was not made by dart_op_create"));
  delete reinterpret_cast<UserOperation*>(*op);
  *op = DART_OP_UNDEFINED;
  return DART_OK;
}

}  // extern "C"
