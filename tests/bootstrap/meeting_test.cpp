// Ranks that find each other under a name, and what disturbs them.

#include "bootstrap/gathered/make_meeting.hpp"

#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/gathered/meeting_messages.hpp"
#include "bootstrap/gathered/packet_socket.hpp"
#include "bootstrap/local/job_page.hpp"
#include "processes.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

namespace polder::bootstrap::gathered {
namespace {

using namespace std::chrono_literals;

class MeetingTest : public testing::Test {
 protected:
  Party party(Rank me, Rank size) const {
    Party party{.ranks = {}, .me = me, .job_size = size, .called = "RANK", .advice = "", .name = [name = name_] {
                  return name;
                }};
    for (Rank rank = 0; rank < size; ++rank) party.ranks.push_back(rank);
    return party;
  }

  const std::string name_ =
      "polder/test/" + std::to_string(getpid()) + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MeetingTest, AllGetTheSamePage) {
  Processes ranks(4, [this](Surroundings& with) {
    const Rank me = with.exchange.rank;
    const auto crew = make_meeting(party(me, 4))->meet(60s);
    if (!crew.ok()) return complain(crew.status().to_string().c_str());
    POLDER_EXPECT_IN_CHILD(crew->me == me && crew->ranks.size() == 4 && crew->page->size() == 4);
    POLDER_EXPECT_IN_CHILD(crew->process(me) == this_process());
    crew->slot(me).wait_status.store(int(me) + 1);
    with.board.barrier();
    for (Rank rank = 0; rank < 4; ++rank) POLDER_EXPECT_IN_CHILD(crew->slot(rank).wait_status.load() == int(rank) + 1);
    return 0;
  });
  ranks.expect_all_exit(0);
}

// Another user was there first: with a door, and with a name behind which nobody listens.
TEST_F(MeetingTest, NamesOfOtherUsersArePassedOver) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t stranger = fork();
  if (stranger == 0) {
    if (setuid(65534) != 0) _exit(1);
    const auto door = listen_as(name_);
    const util::Fd silent(socket(AF_UNIX, SOCK_SEQPACKET, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string second = name_ + "~1";
    second.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    const auto size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + second.size());
    const bool held = door.ok() && bind(silent.get(), reinterpret_cast<sockaddr*>(&address), size) == 0;
    [[maybe_unused]] const ssize_t told = write(ready[1], held ? "y" : "n", 1);
    pause();
    _exit(0);
  }
  char held = 'n';
  ASSERT_EQ(read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  Processes ranks(2, [this](Surroundings& with) {
    const auto crew = make_meeting(party(with.exchange.rank, 2))->meet(60s);
    if (!crew.ok()) return complain(crew.status().to_string().c_str());
    with.board.barrier();
    return 0;
  });
  ranks.expect_all_exit(0);
  kill(stranger, SIGKILL);
  waitpid(stranger, nullptr, 0);
}

// Any part of the job may meet, and its page has places for all.
TEST_F(MeetingTest, SomeOfALargerJob) {
  Processes ranks(2, [this](Surroundings& with) {
    Party some = party(with.exchange.rank == 0 ? 3 : 7, 100);
    some.ranks = {3, 7};
    some.job_id = 42;
    const auto crew = make_meeting(some)->meet(60s);
    POLDER_EXPECT_IN_CHILD(crew.ok() && crew->page->size() == 100 && crew->page->header().id == 42);
    POLDER_EXPECT_IN_CHILD(crew->process(3).pid != 0 && crew->process(7).pid != 0 && crew->process(4).pid == 0);
    with.board.barrier();
    return 0;
  });
  ranks.expect_all_exit(0);
}

TEST_F(MeetingTest, AfterATimeoutItGoesOn) {
  Processes ranks(2, [this](Surroundings& with) {
    const auto meeting = make_meeting(party(with.exchange.rank, 2));
    POLDER_EXPECT_IN_CHILD(with.exchange.rank == 1 || meeting->meet(Timeout::test()).status().timed_out());
    with.board.barrier();
    for (int i = 0; i < 60'000; ++i) {
      const auto crew = meeting->meet(1ms);
      if (crew.ok()) return 0;
      POLDER_EXPECT_IN_CHILD(crew.status().timed_out());
    }
    return complain("in vain");
  });
  ranks.expect_all_exit(0);
}

TEST_F(MeetingTest, ATimeoutNamesWhoIsMissing) {
  const auto host = make_meeting(party(0, 3))->meet(10ms);
  EXPECT_TRUE(host.status().timed_out());
  EXPECT_EQ(host.status().message().substr(0, 31), "ranks 1 and 2 of 3 did not come");
  const auto guest = make_meeting(party(2, 3))->meet(10ms);
  EXPECT_TRUE(guest.status().timed_out());
  EXPECT_EQ(guest.status().message().substr(0, 19), "rank 0 did not come");
}

// Who says nothing, nonsense, or the wrong thing disturbs nobody.
class StrangerTest : public MeetingTest {
 protected:
  // What the host, which waits for rank 1 of 2, answers to `message`.
  std::string answer_to(std::span<const std::byte> message) {
    auto connection = connect_to(name_);
    if (!connection.ok() || !send_packet(*connection, message)) return "no connection";
    EXPECT_TRUE(host_->meet(Timeout::test()).status().timed_out());
    std::array<std::byte, 512> reply{};
    const ReceivedPacket packet = receive_packet(*connection, reply);
    return packet.bytes == 0 ? "" : reinterpret_cast<const char*>(reply.data()) + sizeof(std::uint32_t);
  }
  std::string answer_to(const Introduction& introduction) {
    return answer_to(std::as_bytes(std::span(&introduction, 1)));
  }

  void SetUp() override { EXPECT_TRUE(host_->meet(Timeout::test()).status().timed_out()); }

  std::unique_ptr<Meeting> host_ = make_meeting(party(0, 3));
};

TEST_F(StrangerTest, AreToldWhy) {
  EXPECT_EQ(answer_to(std::as_bytes(std::span("nonsense"))), "it uses another release of Polder");
  Introduction introduction = make_introduction(1, 3);
  introduction.magic += 1;
  EXPECT_EQ(answer_to(introduction), "it uses another release of Polder");
  EXPECT_EQ(answer_to(make_introduction(1, 4)), "it knows of 4 ranks, rank 0 of 3");
  introduction = make_introduction(1, 3);
  std::memset(introduction.node.boot, 'x', sizeof introduction.node.boot);  // without an end
  EXPECT_EQ(answer_to(introduction), "it cannot see the processes of the other ranks (another container?)");
  EXPECT_EQ(answer_to(make_introduction(0, 3)), "there is no guest of rank 0");
  EXPECT_EQ(answer_to(make_introduction(3, 3)), "there is no guest of rank 3");
  introduction = make_introduction(1, 3);
  introduction.process.pid += 1;
  EXPECT_EQ(answer_to(introduction), "it cannot see the processes of the other ranks (another container?)");
}

TEST_F(StrangerTest, SilenceKeepsNobody) {
  const auto silent = connect_to(name_);
  ASSERT_TRUE(silent.ok());
  EXPECT_EQ(answer_to(make_introduction(1, 3)), "ranks 1 and 2 of 3 did not come");  // it is let in
}

TEST_F(StrangerTest, OneForWhomNoDescriptorIsLeftEndsTheMeeting) {
  const auto guest = connect_to(name_);
  ASSERT_TRUE(guest.ok());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(STDIN_FILENO);
  close(next);
  const rlimit none = {rlim_t(next), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Status status = host_->meet(Timeout::test()).status();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(status.code(), Code::limit);
  EXPECT_NE(status.message().find("ulimit -n"), std::string::npos);
  EXPECT_TRUE(host_->meet(Timeout::test()).status().timed_out());  // it is let in
}

TEST_F(StrangerTest, AGuestThatLeftMayComeAgain) {
  EXPECT_EQ(answer_to(make_introduction(1, 3)), "ranks 1 and 2 of 3 did not come");
  EXPECT_TRUE(host_->meet(Timeout::test()).status().timed_out());  // notices that it has left
  EXPECT_EQ(answer_to(make_introduction(1, 3)), "ranks 1 and 2 of 3 did not come");
}

TEST_F(StrangerTest, APlaceIsGivenOnce) {
  const Introduction introduction = make_introduction(1, 3);
  const auto first = connect_to(name_);
  ASSERT_TRUE(first.ok() && send_packet(*first, std::as_bytes(std::span(&introduction, 1))));
  EXPECT_TRUE(host_->meet(Timeout::test()).status().timed_out());
  EXPECT_EQ(answer_to(introduction), std::to_string(getpid()));
}

// A host of another job, under the same name, whose page has no place for this rank.
TEST_F(MeetingTest, AGuestDoesNotSitDownAtAPageThatIsTooSmall) {
  const auto door = listen_as(name_);
  ASSERT_TRUE(door.ok());
  const auto guest = make_meeting(party(2, 3));
  EXPECT_TRUE(guest->meet(Timeout::test()).status().timed_out());
  const auto connection = accept_from(*door);
  ASSERT_TRUE(connection);
  const auto page = local::JobPage::create({.size = 2});
  const Reply reply = make_reply(Reply::seated);
  ASSERT_TRUE(send_packet(*connection, std::as_bytes(std::span(&reply, 1)), (*page)->file().get()));
  const Status status = guest->meet(Timeout::test()).status();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_EQ(status.message(), "the job page of this node has places for 2 ranks, of a job of 3");
}

// Whoever knocks stays at the door then, so the host would look again for ever.
TEST_F(MeetingTest, ADoorThatFailsIsTold) {
  const auto door = listen_as(name_);
  ASSERT_TRUE(door.ok());
  EXPECT_TRUE(accept_from(*door).status().timed_out()) << "nobody knocks";
  const util::Fd no_door(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ASSERT_TRUE(no_door);
  const Status status = accept_from(no_door).status();
  EXPECT_FALSE(status.ok() || status.timed_out()) << status.to_string();
}

}  // namespace
}  // namespace polder::bootstrap::gathered
