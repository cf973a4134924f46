// What a row is: its beginning, how updates are combined into it, and how it looks in buffers of the user.
#pragma once

#include "coll/port/elements.hpp"

#include <polder/stale_table.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace polder::coll {

class RowValues {
 public:
  explicit RowValues(const StaleTableSpec& spec)
      : spec_(spec), scratch_(bytes()), narrow_(spec.row.narrow_size * spec.row.count) {}

  std::size_t bytes() const { return spec_.row.count * spec_.row.element_size; }  // as it is combined
  std::size_t user_bytes() const { return spec_.row.narrow_size == 0 ? bytes() : narrow_.size(); }

  void begin(std::uint64_t row, std::byte* values) {
    if (!spec_.initial) {
      if (bytes() != 0) std::memset(values, 0, bytes());
    } else if (spec_.row.narrow_size == 0) {
      spec_.initial(row, values);
    } else {
      spec_.initial(row, narrow_.data());
      spec_.row.widen(narrow_.data(), values, spec_.row.count);
    }
  }
  // An error: `values` has not changed.
  Status combine(std::byte* values, const std::byte* update) {
    if (bytes() == 0) return {};
    if (Status s = combine_guarded(spec_.row.combine, values, update, scratch_.data(), spec_.row.count); !s.ok())
      return s;
    std::memcpy(values, scratch_.data(), bytes());
    return {};
  }
  static void copy(const std::byte* from, std::byte* to, std::size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void from_user(const void* user, std::byte* values) const {
    if (spec_.row.narrow_size != 0)
      spec_.row.widen(user, values, spec_.row.count);
    else
      copy(static_cast<const std::byte*>(user), values, bytes());
  }
  void to_user(const std::byte* values, std::byte* user) const {
    if (spec_.row.narrow_size != 0)
      spec_.row.narrow(values, user, spec_.row.count);
    else
      copy(values, user, bytes());
  }

 private:
  const StaleTableSpec& spec_;
  std::vector<std::byte> scratch_, narrow_;
};

}  // namespace polder::coll
