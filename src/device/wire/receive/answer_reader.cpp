#include "device/wire/receive/answer_reader.hpp"

#include "util/copy.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

// Where so many bytes of what a get has asked for go; null: it has not asked for them.
std::byte* place_of_answer(const WireOperation* operation, const Record& record, std::size_t bytes) {
  if (operation == nullptr || operation->kind != WireOperation::Kind::get || record.index >= operation->pieces.size())
    return nullptr;
  const Piece& piece = operation->pieces[record.index];
  if (record.offset > piece.bytes || bytes > piece.bytes - record.offset || bytes > operation->missing ||
      bytes > kMostPartBytes)
    return nullptr;
  return piece.local + record.offset;
}

}  // namespace

WireOperation* AnswerReader::asked_of(Link& link, const Record& record) {
  return state_.operations.find(record.operation, link, link.incarnation());
}

std::byte* AnswerReader::place_of_data(Link& link, const Record& record, std::size_t bytes) {
  const WireOperation* const operation = asked_of(link, record);
  return operation == nullptr || operation->foreign ? nullptr : place_of_answer(operation, record, bytes);
}

void AnswerReader::take_data(Link& link, const Record& record, std::span<const std::byte> payload) {
  WireOperation* operation = asked_of(link, record);
  std::byte* const place = place_of_answer(operation, record, payload.size());
  if (place == nullptr) return;
  land(*operation, place, payload);
  operation->missing -= payload.size();
  if (operation->missing == 0) state_.take_answer(link, *operation);
}

void AnswerReader::take_old(Link& link, const Record& record, std::span<const std::byte> payload) {
  WireOperation* operation = asked_of(link, record);
  std::uint64_t old = 0;
  if (operation == nullptr || operation->kind != WireOperation::Kind::atomic || !read_payload(payload, old)) return;
  operation->old_value = old;
  if (operation->foreign && operation->old != nullptr) {
    operation->begin_part();
    state_.landings.add({operation, reinterpret_cast<std::byte*>(operation->old),
                         reinterpret_cast<const std::byte*>(&operation->old_value), sizeof old, nullptr});
  }
  state_.take_answer(link, *operation);
}

void AnswerReader::take_failure(Link& link, const Record& record) {
  WireOperation* operation = asked_of(link, record);
  if (operation == nullptr || !operation->status.ok()) return;
  const auto code =
      record.detail == 0 || record.detail > std::uint8_t(Code::system) ? Code::system : Code(record.detail);
  const char* const why =
      code == Code::invalid_segment ? " does not offer this memory any more" : " could not carry out the operation";
  operation->status = Status(code, state_.name + ": rank " + std::to_string(link.peer) + why, Died::operation);
  // A put ends with the acknowledgement of its last record.
  if (operation->kind != WireOperation::Kind::put) state_.take_answer(link, *operation);
}

// Of what has come for a get. The buffer of the transport must not wait for a page either.
void AnswerReader::land(WireOperation& operation, std::byte* to, std::span<const std::byte> data) {
  if (to == data.data()) return;  // the network has put it there
  if (!operation.foreign) return util::copy(to, data.data(), data.size());
  while (!data.empty()) {
    const auto part = data.first(std::min(data.size(), kPartBytes));
    Frame* frame = state_.frames.take();
    util::copy(frame->bytes.data(), part.data(), part.size());
    operation.begin_part();
    state_.landings.add({&operation, to, frame->bytes.data(), part.size(), frame});
    data = data.subspan(part.size());
    to += part.size();
  }
}

}  // namespace polder::device::wire
