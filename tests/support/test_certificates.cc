#include "logbook/support/test_certificates.h"

#include <cstdio>
#include <cstdlib>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace logbook {
namespace {

struct Deleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }

  void operator()(X509* certificate) const { X509_free(certificate); }

  void operator()(BIO* bio) const { BIO_free_all(bio); }
};

using KeyPtr = std::unique_ptr<EVP_PKEY, Deleter>;
using CertificatePtr = std::unique_ptr<X509, Deleter>;
using BioPtr = std::unique_ptr<BIO, Deleter>;

void Require(bool condition) {
  if (!condition) {
    std::fprintf(stderr, "making a test certificate failed\n");
    std::abort();
  }
}

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

std::string Pem(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_X509(bio.get(), certificate) == 1);
  return Text(bio.get());
}

std::string Pem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return Text(bio.get());
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  Require(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// A certificate for `key` that lacks extensions and signature.
CertificatePtr Begin(const std::string& common_name, EVP_PKEY* key, X509_NAME* issuer,
                     absl::Duration valid_for) {
  CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  uint32_t serial = 0;
  Require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial)) == 1);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -48 * 3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()),
                  static_cast<long>(absl::ToInt64Seconds(valid_for)));
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), issuer != nullptr ? issuer : name);
  X509_set_pubkey(certificate.get(), key);
  return certificate;
}

}  // namespace

struct TestCertificateAuthority::Impl {
  KeyPtr key{EVP_EC_gen("P-256")};
  CertificatePtr certificate;
};

TestCertificateAuthority::TestCertificateAuthority(const std::string& name)
    : impl_(std::make_unique<Impl>()) {
  impl_->certificate = Begin(name, impl_->key.get(), nullptr, absl::Hours(24));
  AddExtension(impl_->certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  Require(X509_sign(impl_->certificate.get(), impl_->key.get(), EVP_sha256()) > 0);
}

TestCertificateAuthority::~TestCertificateAuthority() = default;

std::string TestCertificateAuthority::certificate_pem() const {
  return Pem(impl_->certificate.get());
}

TestCertificate TestCertificateAuthority::Issue(const std::string& common_name,
                                                const std::string& names,
                                                absl::Duration valid_for) const {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate =
      Begin(common_name, key.get(), X509_get_subject_name(impl_->certificate.get()), valid_for);
  if (!names.empty()) {
    AddExtension(certificate.get(), NID_subject_alt_name, names);
  }
  Require(X509_sign(certificate.get(), impl_->key.get(), EVP_sha256()) > 0);
  return {Pem(certificate.get()), Pem(key.get())};
}

}  // namespace logbook
