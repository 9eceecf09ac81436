// Two hashes for two questions. Hash128 (XXH3): "is this the same content?", for machines that do
// not lie. Sha256: "was this altered?", for the chain and for keyed hashes. Both are stable over
// builds and machines, so they may be stored.
#ifndef LOGBOOK_BASE_HASH_H_
#define LOGBOOK_BASE_HASH_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace logbook {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
};

Hash128 HashBytes(std::string_view bytes);

// Hashes a sequence of parts; the borders count: ("ab", "c") differs from ("a", "bc"). Confined.
class PartsHasher {
 public:
  PartsHasher();
  ~PartsHasher();
  void Reset();
  void Add(std::string_view part);
  Hash128 Finish() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

using Sha256Digest = std::array<uint8_t, 32>;

// SHA-256 over the concatenation of `parts`. Confined: keeps its OpenSSL context for the next call.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256Digest Digest(std::initializer_list<std::string_view> parts);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// SHA-256 over what is added piece by piece. Confined.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  void Add(std::string_view bytes);
  // The digest of what was added so far; what is added later goes on from there.
  Sha256Digest Digest() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// Lower-case hex of the first `digits` half-bytes of SHA-256 of `text`; digits ≤ 64.
std::string HexDigest(std::string_view text, int digits);

}  // namespace logbook

#endif  // LOGBOOK_BASE_HASH_H_
