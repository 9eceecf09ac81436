#include "logbook/base/hash.h"

#define XXH_INLINE_ALL
#include "absl/strings/escaping.h"
#include <openssl/evp.h>
#include <xxhash.h>

#include "logbook/base/check.h"
#include "logbook/base/status.h"

namespace logbook {
namespace {

Hash128 FromXxh(XXH128_hash_t hash) {
  return {.low = hash.low64, .high = hash.high64};
}

}  // namespace

Hash128 HashBytes(std::string_view bytes) {
  return FromXxh(XXH3_128bits(bytes.data(), bytes.size()));
}

struct PartsHasher::Impl {
  XXH3_state_t state;
};

PartsHasher::PartsHasher() : impl_(std::make_unique<Impl>()) {
  Reset();
}

PartsHasher::~PartsHasher() = default;

void PartsHasher::Reset() {
  XXH3_128bits_reset(&impl_->state);
}

void PartsHasher::Add(std::string_view part) {
  const uint64_t size = part.size();
  XXH3_128bits_update(&impl_->state, &size, sizeof(size));
  XXH3_128bits_update(&impl_->state, part.data(), part.size());
}

Hash128 PartsHasher::Finish() const {
  return FromXxh(XXH3_128bits_digest(&impl_->state));
}

struct Sha256::Impl {
  EVP_MD* algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* context = EVP_MD_CTX_new();

  ~Impl() {
    EVP_MD_CTX_free(context);
    EVP_MD_free(algorithm);
  }
};

Sha256::Sha256() : impl_(std::make_unique<Impl>()) {
  LOGBOOK_CHECK(impl_->algorithm != nullptr);
  LOGBOOK_CHECK(impl_->context != nullptr);
}

Sha256::~Sha256() = default;

Sha256Digest Sha256::Digest(std::initializer_list<std::string_view> parts) {
  Sha256Digest digest;
  bool ok = EVP_DigestInit_ex2(impl_->context, impl_->algorithm, nullptr) == 1;
  for (std::string_view part : parts) {
    ok = ok && EVP_DigestUpdate(impl_->context, part.data(), part.size()) == 1;
  }
  ok = ok && EVP_DigestFinal_ex(impl_->context, digest.data(), nullptr) == 1;
  LOGBOOK_CHECK(ok);  // fails only without memory
  return digest;
}

struct Sha256Stream::Impl {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_MD_CTX* copy = EVP_MD_CTX_new();

  ~Impl() {
    EVP_MD_CTX_free(context);
    EVP_MD_CTX_free(copy);
  }
};

Sha256Stream::Sha256Stream() : impl_(std::make_unique<Impl>()) {
  LOGBOOK_CHECK(impl_->context != nullptr && impl_->copy != nullptr);
  LOGBOOK_CHECK(EVP_DigestInit_ex2(impl_->context, EVP_sha256(), nullptr) == 1);
}

Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::Add(std::string_view bytes) {
  LOGBOOK_CHECK(EVP_DigestUpdate(impl_->context, bytes.data(), bytes.size()) == 1);
}

Sha256Digest Sha256Stream::Digest() const {
  Sha256Digest digest;
  LOGBOOK_CHECK(EVP_MD_CTX_copy_ex(impl_->copy, impl_->context) == 1);
  LOGBOOK_CHECK(EVP_DigestFinal_ex(impl_->copy, digest.data(), nullptr) == 1);
  return digest;
}

std::string HexDigest(std::string_view text, int digits) {
  const Sha256Digest digest = Sha256().Digest({text});
  std::string hex = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
  hex.resize(static_cast<size_t>(digits));
  return hex;
}

}  // namespace logbook
