// A certificate authority made at run time, for tests of TLS.
#ifndef LOGBOOK_SUPPORT_TEST_CERTIFICATES_H_
#define LOGBOOK_SUPPORT_TEST_CERTIFICATES_H_

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace logbook {

struct TestCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

class TestCertificateAuthority {
 public:
  explicit TestCertificateAuthority(const std::string& name = "test CA");
  ~TestCertificateAuthority();

  std::string certificate_pem() const;

  // `names`: subject alternative names as OpenSSL writes them, "DNS:localhost,IP:127.0.0.1".
  TestCertificate Issue(const std::string& common_name, const std::string& names,
                        absl::Duration valid_for = absl::Hours(24)) const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace logbook

#endif  // LOGBOOK_SUPPORT_TEST_CERTIFICATES_H_
