/* Messages, broadcasts and trees. */
#include "check.h"

static void round_the_ring(void) {
  int token = -1, length = -1;
  if (ranks() == 1) return;
  if (me() == 0) {
    armci_msg_snd(7, &token, sizeof token, next());
    armci_msg_rcv(7, &token, sizeof token, &length, previous());
  } else {
    armci_msg_rcv(7, &token, sizeof token, &length, previous());
    ++token;
    armci_msg_snd(7, &token, sizeof token, next());
  }
  CHECK(length == sizeof token);
  CHECK(token == (me() == 0 ? ranks() - 2 : me() - 1));
}

static void from_anybody(void) {
  if (me() != 0) {
    int mine[3] = {me(), 2 * me(), 3 * me()};
    armci_msg_snd(9, mine, sizeof mine, 0);
    return;
  }
  int seen = 0;
  for (int i = 1; i < ranks(); ++i) {
    int values[10], length = 0;
    const int from = armci_msg_rcvany(9, values, sizeof values, &length);
    CHECK(length == 3 * (int)sizeof(int) && values[0] == from && values[2] == 3 * from);
    seen += from;
  }
  CHECK(seen == ranks() * (ranks() - 1) / 2);
}

/* Large enough that MPI needs both sides: the receiver waits in MPI while the sender has gone on to a barrier. */
static void large(void) {
  enum { WORDS = 300000 };
  static int words[WORDS];
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < WORDS; ++i) words[i] = me() + i;
  if (ranks() > 1 && me() == 0) MPI_Isend(words, WORDS, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
  if (me() == 1) MPI_Recv(words, WORDS, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  armci_msg_barrier();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (me() <= 1) CHECK(words[WORDS - 1] == WORDS - 1);
}

static void broadcasts(void) {
  static const int sizes[] = {1, 8, 100, 65536, 65537, 300000};
  static unsigned char bytes[300000];
  for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
    for (int root = 0; root < ranks(); ++root) {
      for (int i = 0; i < sizes[s]; ++i) bytes[i] = (unsigned char)(me() == root ? i * 3 + root : 0);
      if (s % 3 == 0)
        armci_msg_bcast(bytes, sizes[s], root);
      else if (s % 3 == 1)
        armci_msg_brdcst(bytes, sizes[s], root);
      else
        armci_msg_bcast_scope(SCOPE_ALL, bytes, sizes[s], root);
      for (int i = 0; i < sizes[s]; ++i) CHECK(bytes[i] == (unsigned char)(i * 3 + root));
    }
  armci_msg_bcast(bytes, 0, 0);
}

/* Going up the tree, everybody is counted once. */
static void trees(void) {
  int root, up, left, right, below = 1;
  armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
  CHECK(root == 0 && (up == -1) == (me() == 0));
  for (int side = 0; side < 2; ++side) {
    int count = 0;
    const int child = side == 0 ? left : right;
    if (child < 0) continue;
    armci_msg_rcv(11, &count, sizeof count, NULL, child);
    below += count;
  }
  if (up >= 0)
    armci_msg_snd(11, &below, sizeof below, up);
  else
    CHECK(below == ranks());
}

static void who(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(me() == rank && ranks() == size);
  const double start = armci_timer();
  CHECK(armci_timer() >= start);
  void* addresses[MOST_RANKS] = {NULL};
  addresses[me()] = (void*)(long)(1000 + me());
  armci_exchange_address(addresses, ranks());
  for (int i = 0; i < ranks(); ++i) CHECK(addresses[i] == (void*)(long)(1000 + i));
}

void test_messages(void) {
  who();
  round_the_ring();
  from_anybody();
  ARMCI_Barrier();
  large();
  broadcasts();
  trees();
}
