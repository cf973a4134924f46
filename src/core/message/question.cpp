#include "core/message/question.hpp"

#include "core/progress/waits.hpp"

namespace polder::core {

void Question::remote(const Status& status) {
  const std::shared_ptr<Question> alive = std::move(self_);
  status_ = status;
  answered_.store(true, std::memory_order_release);
  ring_answers(progress_);
}

}  // namespace polder::core
