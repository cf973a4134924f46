// What an eventually consistent collective costs by the model, and what its result is made of: the code of coll/eventual over
// windows in virtual time.
#pragma once

#include "coll/lane/call_record.hpp"
#include "coll/model/window_model.hpp"

#include <polder/eventual.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <optional>

namespace polder::coll {

struct EventualModelCall {
  Kind kind = Kind::reduce;  // broadcast, reduce or allreduce
  Rank members = 1;
  std::size_t bytes = 0;  // of a member's vector, of float64
  Rank root = 0;
  Threshold enough = {};  // Choose::prefix
  EventualWay way = EventualWay::fastest;
  std::optional<Threshold> more = {};  // each member, behind it: Eventual::enhance
};

// What an operation or its enhancement has come to.
struct EventualReached {
  double root = 0;  // us until the root has left; of an allreduce, the first member that got a result
  // Of that member's result.
  double data = 0;  // share of the elements that are final
  std::size_t contributors = 0;
  std::optional<Ended> ended = {};  // nothing: it has none
  Rank counted = 0;                 // members of which `mine` says that they are in it
};

struct EventualOutcome : EventualReached {
  FlowOutcome flow;  // of the operation and its enhancement; memory is that of the windows, which `bytes` have
  Rank failed = 0;   // members whose call ended with an error, because the root has died
  EventualWay way = EventualWay::flat;  // of the last one
  std::optional<EventualReached> enhanced = {};
};

// One operation, the first of its object, and its enhancement if it is to be. Vectors of more than 1,200 elements are made of
// 1,200 that stand for several each, so that a share of the data is exact in steps of 1/1200. The values are real, and the sum
// is compared with what the contributors have given. Errors: as Eventual says; invalid_argument: more members than the model has memory for, or a
// kind that there is not.
Result<EventualOutcome> predict_eventual(const EventualModelCall& call, WindowModelOptions options);

}  // namespace polder::coll
