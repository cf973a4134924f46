// Accesses that fail, or do not end.
#include "ucx_access_fixture.hpp"

namespace polder::device::ucx {
namespace {

// Who loses a peer waits until that must refuse what is under way, before it says that it has failed.
class UcxAccessFaults : public UcxAccess {
 protected:
  UcxAccessFaults() : UcxAccess("700") {}
  void SetUp() override {
    exposure_ = expose(nullptr, kSize);
    region_ = import(exposure_);
    warm_up(region_);
  }
  Exposure exposure_;
  Region region_;
};

TEST_F(UcxAccessFaults, APutThatFailsIsNoSuccessAndRaisesNoFlag) {
  card_.fail(UCS_ERR_IO_ERROR);
  std::vector<std::byte> source(kSize, std::byte{4});
  Watch put_end, flag_end;
  ASSERT_TRUE(put(region_, source, put_end).ok());
  ASSERT_TRUE(put_notify(region_, source, 3, 1, flag_end).ok());
  EXPECT_EQ(put_end.wait().code(), Code::peer_failed) << put_end.status().to_string();
  EXPECT_EQ(flag_end.wait().code(), Code::peer_failed) << flag_end.status().to_string();
  EXPECT_NE(put_end.status().message().find("memory of rank 1"), std::string_view::npos)
      << put_end.status().to_string();
  EXPECT_EQ(flag(3), 0u);
  EXPECT_EQ(zero().lost(), std::vector<Rank>{1});
}

TEST_F(UcxAccessFaults, AGetThatFailsIsNoSuccess) {
  card_.fail(UCS_ERR_IO_ERROR);
  std::vector<std::byte> back(kSize);
  Watch end;
  ASSERT_TRUE(get(region_, back, end).ok());
  EXPECT_EQ(end.wait().code(), Code::peer_failed) << end.status().to_string();
}

TEST_F(UcxAccessFaults, ADeviceThatEndsMeanwhileWritesNothingLater) {
  card_.hold(true);
  std::vector<std::byte> source(kSize, std::byte{4});
  std::vector<Watch> ends(3);
  for (Watch& end : ends) ASSERT_TRUE(put(region_, source, end).ok());
  ASSERT_TRUE(eventually([&] { return card_.counts().waiting > 0; }));
  zero().close();
  for (Watch& end : ends) {
    EXPECT_TRUE(end.is_done());
    EXPECT_FALSE(end.status().ok());
  }
  card_.hold(false);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(exposure_.data[0], std::byte{0});
}

TEST_F(UcxAccessFaults, AnOwnerThatLeavesEndsThem) {
  card_.hold(true);
  std::vector<std::byte> source(kSize, std::byte{4}), back(kSize);
  Watch put_end, get_end;
  ASSERT_TRUE(put(region_, source, put_end).ok());
  ASSERT_TRUE(get(region_, back, get_end).ok());
  one().close();
  EXPECT_EQ(put_end.wait().code(), Code::peer_failed);
  EXPECT_EQ(get_end.wait().code(), Code::peer_failed);
}

TEST_F(UcxAccessFaults, AnAccessThatNeverEndsIsGivenUp) {
  card_.hold(true);
  std::vector<std::byte> source(kSize, std::byte{4});
  Watch put_end;
  ASSERT_TRUE(put(region_, source, put_end).ok());
  EXPECT_EQ(put_end.wait().code(), Code::peer_failed) << put_end.status().to_string();
  EXPECT_EQ(zero().lost(), std::vector<Rank>{1});
  card_.hold(false);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(exposure_.data[0], std::byte{0}) << "written after it was reported as failed";
}

}  // namespace
}  // namespace polder::device::ucx
