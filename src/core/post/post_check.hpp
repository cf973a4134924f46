// What callers write into a Post: enumerators may have been cast from anything.
#pragma once

#include <polder/handle.hpp>
#include <polder/queue.hpp>
#include <polder/status.hpp>

#include <string>

namespace polder::core {

inline bool makes_sense(const Post& post) {
  return post.until <= Until::remote && post.ordering <= Ordering::strict &&
         (post.handle == nullptr || post.handle->kind() <= Handle::Kind::aggregate);
}

inline Status check_post(const Post& post) {
  if (post.until > Until::remote)
    return {Code::invalid_argument, "post: there is no Until " + std::to_string(unsigned(post.until))};
  if (post.ordering > Ordering::strict)
    return {Code::invalid_argument, "post: there is no Ordering " + std::to_string(unsigned(post.ordering))};
  if (post.handle != nullptr && post.handle->kind() > Handle::Kind::aggregate)
    return {Code::invalid_argument, "post: there is no Handle::Kind " + std::to_string(unsigned(post.handle->kind()))};
  return {};
}

}  // namespace polder::core
