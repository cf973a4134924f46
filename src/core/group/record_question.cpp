#include "core/group/record_question.hpp"

#include "core/message/question.hpp"
#include "core/message/requests.hpp"

namespace polder::core {

Status ask_record(const GroupPorts& ports, Peer& peer, const WantedRecord& wanted, Question& question) {
  FindRecord request;
  request.wanted = wanted;
  return ports.requests.call(peer, number::kRecord, request, {},
                             {.completion = &question, .data = question.answer(), .bytes = question.size()});
}

}  // namespace polder::core
