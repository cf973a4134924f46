#include "common/npy.hpp"

#include <gtest/gtest.h>

#include <string>

namespace apps {
namespace {

Result<NpyHead> read(const std::string& bytes) {
  return read_npy_head("x.npy", std::as_bytes(std::span(bytes)));
}

std::string file_of(const std::string& dictionary, char version = 1) {
  std::string head = "\x93NUMPY";
  head += {version, '\0', char(dictionary.size()), '\0'};
  if (version > 1) head += {'\0', '\0'};
  return head + dictionary;
}

TEST(Npy, WhatIsWrittenIsRead) {
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 0, 2}, Shape{2, 3, 4, 5}}) {
    for (const Number number : {Number::float32, Number::complex128, Number::int32}) {
      const std::string head = npy_head(number, shape);
      EXPECT_EQ(head.size() % 64, 0u);
      EXPECT_EQ(head.back(), '\n');
      const Result<NpyHead> read_back = read(head + std::string(*elements_of(shape) * bytes_of(number), '\0'));
      ASSERT_TRUE(read_back.ok()) << read_back.status().to_string();
      EXPECT_EQ(read_back->number, number);
      EXPECT_EQ(read_back->shape, shape);
      EXPECT_FALSE(read_back->column_major);
      EXPECT_EQ(read_back->data_at, head.size());
    }
  }
}

TEST(Npy, OtherVersionsAndOrders) {
  const std::string dictionary = "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2), }\n";
  for (const char version : {1, 2, 3}) {
    const Result<NpyHead> head = read(file_of(dictionary, version) + std::string(16, '\0'));
    ASSERT_TRUE(head.ok()) << head.status().to_string();
    EXPECT_TRUE(head->column_major);
    EXPECT_EQ(head->shape, (Shape{1, 2}));
  }
}

TEST(Npy, WhatIsNoneIsNamed) {
  const auto expect_refusal = [](const std::string& bytes, const std::string& why) {
    const Result<NpyHead> head = read(bytes);
    ASSERT_FALSE(head.ok());
    EXPECT_NE(head.status().message().find(why), std::string_view::npos) << head.status().message();
  };
  const std::string whole = npy_head(Number::float64, {3, 2}) + std::string(48, '\0');
  for (std::size_t length = 0; length < 128; ++length) expect_refusal(whole.substr(0, length), "ends within its head");
  for (std::size_t length = 128; length < whole.size(); ++length)
    expect_refusal(whole.substr(0, length), "is truncated");
  expect_refusal(file_of("{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }") + "12345678", "type '>f8'");
  expect_refusal(file_of("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }"), "several fields");
  expect_refusal(file_of("{'descr': '<f8', 'fortran_order': False, }"), "no .npy head");
  expect_refusal(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (1, -2), }"), "no .npy head");
  expect_refusal(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"),
                 "more than there can be");
}

}  // namespace
}  // namespace apps
