#include "notation.hpp"

#include <gtest/gtest.h>

namespace contract {
namespace {

void expect_notation(const char* text, const char* first, const char* second, const char* result) {
  const Result<Notation> notation = parse_notation(text);
  ASSERT_TRUE(notation.ok()) << notation.status().to_string();
  EXPECT_EQ(notation->first, first);
  EXPECT_EQ(notation->second, second);
  EXPECT_EQ(notation->result, result);
}

TEST(Notation, IsThatOfEinsum) {
  expect_notation("abcd,cdij->abij", "abcd", "cdij", "abij");
  expect_notation(" a b , b c -> c a ", "ab", "bc", "ca");
  expect_notation("ik,kj", "ik", "kj", "ij");
  expect_notation("zb,ba", "zb", "ba", "az");
  expect_notation("i,i->", "i", "i", "");
  expect_notation(",i->i", "", "i", "i");
}

TEST(Notation, WhatIsNoneIsNamed) {
  const auto expect_refusal = [](const char* text, const std::string& why) {
    const Result<Notation> notation = parse_notation(text);
    ASSERT_FALSE(notation.ok()) << text;
    EXPECT_EQ(notation.status().code(), Code::invalid_argument);
    EXPECT_NE(notation.status().message().find(why), std::string_view::npos) << notation.status().message();
  };
  expect_refusal("", "two operands");
  expect_refusal("ij->ji", "two operands");
  expect_refusal("ij->j,i", "two operands");
  expect_refusal("ij,jk,kl->il", "',' is no index");
  expect_refusal("i1,1j->ij", "'1' is no index");
  expect_refusal("ij,jk->il", "the index 'l'");
  expect_refusal("ij,jk->ii", "'i' twice");
  expect_refusal("...i,ij->...j", "not supported");
}

}  // namespace
}  // namespace contract
