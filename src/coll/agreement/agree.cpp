#include "coll/agreement/agree.hpp"

namespace polder::coll {

// Up a tree and down again, twice: the first time for the value, the second time to be sure that all have it. A leader
// that dies is followed by the next member, who finds what was accepted before: a ballot. The tree and the AND of flags
// with the set of the dead are those of ERA (Herault, Bouteiller, Bosilca, Gamell, Teranishi, Parashar, Dongarra,
// "Practical scalable consensus for pseudo-synchronous distributed systems", SC 2015), the ballots those of Lamport,
// "The part-time parliament", TOCS 1998. ERA returns after one time up and down and has those answer later who returned
// early; here a member that has returned is needed no more, and may delete its group.
//
// Without a death: 4 ceil(log2 P) steps, 4 (P - 1) opinions of 64 + P/4 bytes. Each death of a leader costs as much again,
// that of another member a step.
Task agree(Talk& talk) {
  while (!talk.is_over()) {
    talk.open_ballot();
    co_await talk.all_children(Stage::contributed);
    if (talk.is_outdated()) continue;
    talk.contribute();
    co_await talk.parent(Stage::accepted);
    if (talk.is_outdated()) continue;
    talk.accept();
    co_await talk.all_children(Stage::acknowledged);
    if (talk.is_outdated()) continue;
    talk.acknowledge();
    co_await talk.parent(Stage::committed);
    if (talk.is_outdated()) continue;
    talk.commit();
  }
  talk.show_now();
}

}  // namespace polder::coll
