// Causes in words, with the way out.
#include "trace/analyse/sentences.hpp"

#include <cstdio>

namespace polder::trace {

namespace {

std::string losers_of(const Loss& loss) {
  const std::vector<Rank>& ranks = loss.ranks;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return loss.others == 0 ? text : text + " and " + std::to_string(loss.others) + " others";
}

std::string culprit_or(const Loss& loss, const char* otherwise) {
  return loss.culprit == ~Rank{0} ? otherwise : "rank " + std::to_string(loss.culprit);
}

// Where it is another than the one that was waited for.
std::string root_of(const Loss& loss) {
  if (loss.root == ~Rank{0} || loss.root == loss.culprit) return "";
  const std::string root = "rank " + std::to_string(loss.root);
  if (loss.culprit == ~Rank{0}) return " Most of it began at " + root + ", for which the others had waited in turn.";
  return " It began at " + root + ": " + culprit_or(loss, "") +
         " was late because it had waited for that one, itself or "
         "through others.";
}

const char* way_out_of(Cause cause) {
  switch (cause) {
    case Cause::late_notification:
      return "Let the sender post earlier, as soon as the data is ready, or give the receiver other work before it "
             "waits.";
    case Cause::late_sender: return "Send earlier, or let the receiver do other work first.";
    case Cause::late_receiver: return "Let the receiver take messages sooner, or send without waiting for it.";
    case Cause::imbalance:
      return "Give the late rank less work, or replace the collective by notifications between the ranks that need "
             "each other.";
    case Cause::serial_section: return "Divide this work among the ranks, or let the others go on without its result.";
    case Cause::queue_full:
      return "Spread posts over several queues, make queues deeper (queue_size_max), or wait for the queue before it "
             "is full.";
    case Cause::tiny_puts: return "Gather neighbouring pieces into one put, or use a strided or list put.";
    case Cause::remote_completion:
      return "Post all of them and wait once; where the receiver must know, use put_notify instead of a put and a "
             "wait.";
    case Cause::oversubscribed:
      return "Start no more ranks and threads than there are cores, and bind them (--bind core).";
    case Cause::startup: return "Start fewer ranks at a time, or let the run be long compared with its start.";
  }
  return "";
}

}  // namespace

std::string duration_text(std::int64_t ns) {
  char text[32];
  const double value = double(ns);
  if (value < 1e3)
    std::snprintf(text, sizeof text, "%.0f ns", value);
  else if (value < 1e6)
    std::snprintf(text, sizeof text, "%.3g us", value * 1e-3);
  else if (value < 1e9)
    std::snprintf(text, sizeof text, "%.3g ms", value * 1e-6);
  else
    std::snprintf(text, sizeof text, "%.4g s", value * 1e-9);
  return text;
}

void put_into_words(Loss& loss) {
  const std::string lost = duration_text(loss.ns), losers = losers_of(loss);
  const std::string times = std::to_string(loss.times) + (loss.times == 1 ? " time" : " times");
  const std::string own = duration_text(loss.ns - loss.others_ns);
  const std::string meanwhile =
      loss.others_ns == 0 ? "." : "; others waited " + duration_text(loss.others_ns) + " meanwhile.";
  switch (loss.cause) {
    case Cause::late_notification:
    case Cause::late_sender:
      loss.sentence =
          losers + " waited " + lost + " for " + culprit_or(loss, "others") + ", which posted late, " + times + ".";
      break;
    case Cause::late_receiver:
      loss.sentence =
          losers + " waited " + lost + " until " + culprit_or(loss, "others") + " took messages, " + times + ".";
      break;
    case Cause::imbalance:
      loss.sentence = losers + " waited " + lost + " in " + loss.call + " for " +
                      culprit_or(loss, "whoever came last, which changed") + ", " + times + ".";
      break;
    case Cause::serial_section:
      loss.sentence = losers + " had nothing to do for " + lost + " while " + culprit_or(loss, "one rank at a time") +
                      " worked alone before a " + loss.call + ", " + times + ".";
      break;
    case Cause::queue_full:
      loss.sentence = losers + " waited " + own + " for room in full queues, " + times + meanwhile;
      break;
    case Cause::tiny_puts:
      loss.sentence =
          losers + " spent " + own + " in " + std::to_string(loss.times) + " small puts that could be few" + meanwhile;
      break;
    case Cause::remote_completion:
      loss.sentence = losers + " waited " + own + " for each single put to complete, " + times + meanwhile;
      break;
    case Cause::oversubscribed:
      loss.sentence = "Threads of " + losers + " could run and had no core for " + lost + ".";
      break;
    case Cause::startup: loss.sentence = "The start took " + lost + " of the ranks' time."; break;
  }
  loss.sentence += root_of(loss);
  loss.way_out = way_out_of(loss.cause);
}

}  // namespace polder::trace
