#include <polder/status.hpp>

namespace polder {

struct Status::Detail {
  Code code;
  Died died;
  std::string message;
};

Status::Status(Code code, std::string message, Died died)
    : state_(reinterpret_cast<std::uintptr_t>(new Detail{code, died, std::move(message)})) {
  assert(code != Code::ok);
}

std::uintptr_t Status::copy(std::uintptr_t state) {
  return reinterpret_cast<std::uintptr_t>(new Detail(*reinterpret_cast<const Detail*>(state)));
}

void Status::destroy(std::uintptr_t state) {
  delete reinterpret_cast<Detail*>(state);
}

Code Status::code() const {
  if (is_plain(state_)) return Code(state_ >> 1);
  return detail().code;
}

Died Status::died() const {
  return is_plain(state_) ? Died::nothing : detail().died;
}

std::string_view Status::message() const {
  return is_plain(state_) ? std::string_view() : std::string_view(detail().message);
}

std::string Status::to_string() const {
  std::string text(polder::to_string(code()));
  if (!message().empty()) text.append(": ").append(message());
  return text;
}

std::string_view to_string(Code code) {
  switch (code) {
    case Code::ok: return "ok";
    case Code::timeout: return "timeout";
    case Code::invalid_rank: return "invalid rank";
    case Code::invalid_segment: return "invalid segment";
    case Code::invalid_offset: return "invalid offset";
    case Code::invalid_size: return "invalid size";
    case Code::invalid_alignment: return "invalid alignment";
    case Code::invalid_queue: return "invalid queue";
    case Code::invalid_group: return "invalid group";
    case Code::invalid_notification: return "invalid notification";
    case Code::invalid_argument: return "invalid argument";
    case Code::exists: return "already exists";
    case Code::limit: return "limit reached";
    case Code::queue_full: return "queue full";
    case Code::busy: return "busy";
    case Code::out_of_memory: return "out of memory";
    case Code::unsupported: return "unsupported";
    case Code::peer_failed: return "peer failed";
    case Code::closed: return "closed";
    case Code::system: return "system error";
    case Code::owner_died: return "owner died";
  }
  return "unknown code";
}

std::string_view to_string(Died died) {
  switch (died) {
    case Died::nothing: return "nothing";
    case Died::operation: return "the operation";
    case Died::queue: return "the queue";
    case Died::peer: return "the peer";
    case Died::runtime: return "the runtime";
  }
  return "unknown";
}

}  // namespace polder
