// Compression by zstd: with a prepared dictionary, for many small texts that are alike, and as a
// delta, for a text that is nearly the same as another one.
//
// Shape:    each result is one frame that tells its own size. A frame made with a dictionary or a
//           prefix is read with the same one only; a frame knows the number of its dictionary, so
//           another one is refused, but not that of its prefix.
// Units:    bytes; levels are zstd's, negative ones faster.
// Errors:   only reading can fail, with kDataLoss: bytes from a disk may be anything.
// Threads:  ZstdDictionary is immutable; the others are Confined.
#ifndef LOGBOOK_BASE_ZSTD_H_
#define LOGBOOK_BASE_ZSTD_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "logbook/base/status.h"

namespace logbook {

// More is not made of a frame, whatever it claims: it would be damage, and memory is finite.
inline constexpr size_t kZstdBytesMax = size_t{64} << 20;

// A dictionary as zstd wants it for both directions; making one costs some 100 µs and about five
// times its bytes.
class ZstdDictionary {
 public:
  // `level` is what is compressed at. Errors: kDataLoss if zstd does not take `bytes`.
  static absl::StatusOr<std::unique_ptr<const ZstdDictionary>> Prepare(std::string_view bytes,
                                                                       int level);
  ~ZstdDictionary();

 private:
  friend class ZstdCompressor;
  friend class ZstdDecompressor;
  struct Impl;

  explicit ZstdDictionary(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

// What its calls return stands until the next one.
class ZstdCompressor {
 public:
  // `level` is that of deltas; a dictionary has its own.
  explicit ZstdCompressor(int level);
  ~ZstdCompressor();

  std::string_view Compress(std::string_view text, const ZstdDictionary& dictionary);

  // `text` by what it shares with `base`.
  std::string_view CompressDelta(std::string_view text, std::string_view base);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// What its calls return stands until the next one.
class ZstdDecompressor {
 public:
  ZstdDecompressor();
  ~ZstdDecompressor();

  absl::StatusOr<std::string_view> Decompress(std::string_view frame,
                                              const ZstdDictionary& dictionary);
  absl::StatusOr<std::string_view> DecompressDelta(std::string_view frame, std::string_view base);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// A dictionary of at most `bytes_max` for texts like `samples`. Costs some 30 ms per MB of samples.
// Errors: kInvalidArgument if they are too few, too small or share nothing.
absl::StatusOr<std::string> TrainZstdDictionary(std::span<const std::string_view> samples,
                                                size_t bytes_max);

}  // namespace logbook

#endif  // LOGBOOK_BASE_ZSTD_H_
