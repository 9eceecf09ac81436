#include "logbook/k8s/certificate.h"

#include <string>

#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"
#include "logbook/support/test_certificates.h"

namespace logbook::k8s {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = absl::StatusCode;

class CertificateTest : public ::testing::Test {
 protected:
  const TestCertificateAuthority authority_;
  const TestCertificate valid_ = authority_.Issue("ann", "", absl::Hours(1));
  const TestCertificate expired_ = authority_.Issue("ann", "", -absl::Hours(1));
  const absl::Time now_ = absl::Now();
};

TEST_F(CertificateTest, ValidOneTellsWhenItExpires) {
  const absl::StatusOr<absl::Time> until = CheckCertificate(valid_.certificate_pem, "x", now_);
  ASSERT_OK(until);
  EXPECT_NEAR(absl::ToDoubleSeconds(*until - now_), 3600, 60);
}

TEST_F(CertificateTest, ExpiredOneIsNamedWithItsDate) {
  EXPECT_THAT(CheckCertificate(expired_.certificate_pem, "client certificate of \"ann\"", now_),
              StatusIs(Code::kUnauthenticated,
                       AllOf(HasSubstr("client certificate of \"ann\" expired on 20"),
                             HasSubstr(" UTC: renew it"))));
  EXPECT_THAT(CheckCertificate(valid_.certificate_pem, "x", now_ - absl::Hours(24 * 30)),
              StatusIs(Code::kUnauthenticated, HasSubstr("is not valid before")));
}

TEST_F(CertificateTest, WhatIsNoCertificateIsMalformed) {
  EXPECT_THAT(CheckCertificate("", "x", now_), StatusIs(Code::kInvalidArgument));
  EXPECT_THAT(CheckCertificate(valid_.key_pem, "x", now_), StatusIs(Code::kInvalidArgument));
}

TEST_F(CertificateTest, BundleNeedsOneThatIsValid) {
  EXPECT_OK(CheckCertificateBundle(expired_.certificate_pem + valid_.certificate_pem, "x", now_));
  EXPECT_THAT(CheckCertificateBundle(expired_.certificate_pem, "x", now_),
              StatusIs(Code::kUnauthenticated));
  EXPECT_THAT(CheckCertificateBundle("text", "x", now_), StatusIs(Code::kInvalidArgument));
}

TEST_F(CertificateTest, PrivateKeys) {
  EXPECT_OK(CheckPrivateKey(valid_.key_pem, "x"));
  EXPECT_THAT(CheckPrivateKey(valid_.certificate_pem, "x"), StatusIs(Code::kInvalidArgument));
}

}  // namespace
}  // namespace logbook::k8s
