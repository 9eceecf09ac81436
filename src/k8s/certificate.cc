#include "logbook/k8s/certificate.h"

#include <ctime>
#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace logbook::k8s {
namespace {

using BioPtr = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

BioPtr BioOf(std::string_view text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free_all};
}

CertificatePtr Next(BIO* bio) {
  return {PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), &X509_free};
}

absl::Time TimeOf(const ASN1_TIME* asn1) {
  std::tm civil = {};
  return ASN1_TIME_to_tm(asn1, &civil) == 1 ? absl::FromTM(civil, absl::UTCTimeZone())
                                            : absl::InfinitePast();
}

std::string Show(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", time, absl::UTCTimeZone());
}

absl::StatusOr<absl::Time> CheckTimes(const X509& certificate, std::string_view what,
                                      absl::Time now) {
  const absl::Time from = TimeOf(X509_get0_notBefore(&certificate));
  const absl::Time until = TimeOf(X509_get0_notAfter(&certificate));
  if (now > until) {
    return Unauthenticated(what, " expired on ", Show(until), ": renew it");
  }
  if (now < from) {
    return Unauthenticated(what, " is not valid before ", Show(from), ": check this host's clock");
  }
  return until;
}

// A password prompt on the terminal would hang a server.
int NoPassword(char*, int, int, void*) {
  return 0;
}

}  // namespace

absl::StatusOr<absl::Time> CheckCertificate(std::string_view pem, std::string_view what,
                                            absl::Time now) {
  const BioPtr bio = BioOf(pem);
  const CertificatePtr certificate = Next(bio.get());
  ERR_clear_error();
  if (certificate == nullptr) {
    return InvalidArgument(what, " is not a PEM certificate");
  }
  return CheckTimes(*certificate, what, now);
}

absl::Status CheckCertificateBundle(std::string_view pem, std::string_view what, absl::Time now) {
  const BioPtr bio = BioOf(pem);
  absl::Status first_error = InvalidArgument(what, " holds no PEM certificate");
  bool first = true;
  while (const CertificatePtr certificate = Next(bio.get())) {
    const absl::StatusOr<absl::Time> until = CheckTimes(*certificate, what, now);
    if (until.ok()) {
      ERR_clear_error();
      return absl::OkStatus();
    }
    if (first) {
      first_error = until.status();
      first = false;
    }
  }
  ERR_clear_error();
  return first_error;
}

absl::Status CheckPrivateKey(std::string_view pem, std::string_view what) {
  const BioPtr bio = BioOf(pem);
  const KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassword, nullptr),
                   &EVP_PKEY_free);
  ERR_clear_error();
  return key != nullptr ? absl::OkStatus()
                        : InvalidArgument(what, " is not a PEM private key without a password");
}

}  // namespace logbook::k8s
