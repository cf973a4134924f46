// address, connect and disconnect.
#include "contract_fixture.hpp"

#include <set>

namespace polder::device::contract {
namespace {

class ContractSetup : public OverDevices {
 protected:
  // Sends one empty message and returns how many arrive.
  int messages_for(Rank source, Rank target) {
    EXPECT_TRUE(device(source).send(target, 1, {}, {}).ok());
    Mailbox box;
    EXPECT_TRUE(eventually([&] { return device(target).progress(box) > 0; }));
    std::this_thread::sleep_for(1ms);
    device(target).progress(box);
    return int(box.mail.size());
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, ContractSetup, testing::ValuesIn(all_devices()),
                         device_name<testing::TestParamInfo<DeviceKind>>);

TEST_P(ContractSetup, CapabilitiesAreWithinTheirBounds) {
  for (Rank rank = 0; rank < kRanks; ++rank) {
    EXPECT_STRNE(device(rank).capabilities().name, "");
    EXPECT_GE(device(rank).capabilities().max_message, 1024u);
  }
}

TEST_P(ContractSetup, AddressesAreShortAndDiffer) {
  std::set<std::vector<std::byte>> addresses;
  for (Rank rank = 0; rank < kRanks; ++rank) {
    const auto address = device(rank).address();
    EXPECT_GT(address.size(), 0u);
    EXPECT_LE(address.size(), 1024u);
    EXPECT_EQ(address, device(rank).address()) << "asked twice";
    addresses.insert(address);
  }
  EXPECT_EQ(addresses.size(), kRanks);
}

TEST_P(ContractSetup, ConnectingAgainIsHarmless) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(connect(0, 1).ok());
  EXPECT_EQ(messages_for(0, 1), 1);
}

TEST_P(ContractSetup, AddressesThatAreNoneAreRefused) {
  const auto good = device(1).address();
  const std::vector<std::byte> wrong[] = {{},
                                          {good.begin(), good.end() - 1},
                                          std::vector<std::byte>(good.size(), std::byte{0xff}),
                                          std::vector<std::byte>(1024, std::byte{0x55})};
  auto fresh = GetParam().make(kRanks);
  ASSERT_EQ(fresh.size(), kRanks);
  for (const auto& address : wrong) {
    EXPECT_FALSE(fresh[0]->connect(1, address).ok()) << "of " << address.size() << " bytes";
    EXPECT_EQ(fresh[0]->send(1, 0, {}, {}).code(), Code::peer_failed) << "of " << address.size() << " bytes";
  }
  EXPECT_TRUE(fresh[0]->connect(1, fresh[1]->address()).ok());
  EXPECT_TRUE(fresh[0]->send(1, 0, {}, {}).ok());
}

TEST_P(ContractSetup, AWrongAddressDoesNotHarmAConnection) {
  EXPECT_FALSE(device(0).connect(1, {}).ok());
  EXPECT_EQ(messages_for(0, 1), 1);
  device(0).disconnect(1);
  EXPECT_FALSE(device(0).connect(1, {}).ok());
  EXPECT_EQ(device(0).send(1, 0, {}, {}).code(), Code::peer_failed) << "nor does it bring one about";
}

TEST_P(ContractSetup, RanksThatDoNotExistAreRefused) {
  for (const Rank nobody : {kRanks, Rank{1000}, ~Rank{0}}) {
    EXPECT_FALSE(device(0).connect(nobody, device(1).address()).ok());
    EXPECT_FALSE(device(0).send(nobody, 0, {}, {}).ok());
    device(0).disconnect(nobody);
  }
  EXPECT_EQ(messages_for(0, 1), 1);
}

TEST_P(ContractSetup, PeersThatAreNotConnectedAreRefused) {
  auto fresh = GetParam().make(kRanks);
  ASSERT_EQ(fresh.size(), kRanks);
  EXPECT_EQ(fresh[0]->send(1, 0, {}, {}).code(), Code::peer_failed);
  fresh[0]->disconnect(1);
  EXPECT_EQ(fresh[0]->send(1, 0, {}, {}).code(), Code::peer_failed);
}

TEST_P(ContractSetup, DisconnectedPeersAreRefusedUntilConnectedAgain) {
  device(0).disconnect(1);
  EXPECT_EQ(device(0).send(1, 0, {}, {}).code(), Code::peer_failed);
  EXPECT_EQ(messages_for(0, 2), 1) << "others are still there";
  EXPECT_EQ(messages_for(1, 0), 1) << "and so is the way back";
  ASSERT_TRUE(connect(0, 1).ok());
  EXPECT_EQ(messages_for(0, 1), 1);
}

TEST_P(ContractSetup, MayBeCalledFromManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_TRUE(connect(0, 1).ok());
        device(2).disconnect(1);
        EXPECT_TRUE(connect(2, 1).ok());
        EXPECT_EQ(device(0).address(), device(0).address());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(messages_for(0, 1), 1);
  EXPECT_EQ(messages_for(2, 1), 1);
}

}  // namespace
}  // namespace polder::device::contract
