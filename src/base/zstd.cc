#include "logbook/base/zstd.h"

#include <utility>
#include <vector>

#include <zdict.h>
#include <zstd.h>

#include "logbook/base/check.h"

namespace logbook {
namespace {

template <auto Free>
struct Freeing {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

using CompressionContext = std::unique_ptr<ZSTD_CCtx, Freeing<ZSTD_freeCCtx>>;
using DecompressionContext = std::unique_ptr<ZSTD_DCtx, Freeing<ZSTD_freeDCtx>>;

// Room that grows and is not cleared between uses.
char* RoomFor(std::string& room, size_t bytes) {
  if (room.size() < bytes) {
    room.resize(bytes);
  }
  return room.data();
}

// How much `frame` says it holds.
absl::StatusOr<size_t> ContentBytes(std::string_view frame) {
  const unsigned long long bytes = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN) {
    return DataLoss("not a zstd frame that tells its size");
  }
  if (bytes > kZstdBytesMax) {
    return DataLoss("zstd frame of ", bytes, " bytes, more than ", kZstdBytesMax);
  }
  return static_cast<size_t>(bytes);
}

absl::StatusOr<std::string_view> Checked(size_t result, size_t wanted, const std::string& room) {
  if (ZSTD_isError(result) != 0) {
    return DataLoss("zstd: ", ZSTD_getErrorName(result));
  }
  if (result != wanted) {
    return DataLoss("zstd frame holds ", result, " bytes, not ", wanted);
  }
  return std::string_view(room).substr(0, result);
}

}  // namespace

struct ZstdDictionary::Impl {
  std::unique_ptr<ZSTD_CDict, Freeing<ZSTD_freeCDict>> to_compress;
  std::unique_ptr<ZSTD_DDict, Freeing<ZSTD_freeDDict>> to_decompress;
};

ZstdDictionary::ZstdDictionary(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ZstdDictionary::~ZstdDictionary() = default;

absl::StatusOr<std::unique_ptr<const ZstdDictionary>> ZstdDictionary::Prepare(
    std::string_view bytes, int level) {
  auto impl = std::make_unique<Impl>();
  // Without a number it would be taken for plain text, and any other dictionary for it.
  if (ZSTD_getDictID_fromDict(bytes.data(), bytes.size()) == 0) {
    return DataLoss("not a zstd dictionary");
  }
  impl->to_compress.reset(ZSTD_createCDict(bytes.data(), bytes.size(), level));
  impl->to_decompress.reset(ZSTD_createDDict(bytes.data(), bytes.size()));
  if (impl->to_compress == nullptr || impl->to_decompress == nullptr) {
    return DataLoss("not a zstd dictionary");
  }
  return std::unique_ptr<const ZstdDictionary>(new ZstdDictionary(std::move(impl)));
}

struct ZstdCompressor::Impl {
  CompressionContext context{ZSTD_createCCtx()};
  std::string room;
};

ZstdCompressor::ZstdCompressor(int level) : impl_(std::make_unique<Impl>()) {
  LOGBOOK_CHECK(impl_->context != nullptr);
  const size_t set = ZSTD_CCtx_setParameter(impl_->context.get(), ZSTD_c_compressionLevel, level);
  LOGBOOK_CHECK(ZSTD_isError(set) == 0);
}

ZstdCompressor::~ZstdCompressor() = default;

std::string_view ZstdCompressor::Compress(std::string_view text, const ZstdDictionary& dictionary) {
  const size_t bound = ZSTD_compressBound(text.size());
  const size_t size =
      ZSTD_compress_usingCDict(impl_->context.get(), RoomFor(impl_->room, bound), bound,
                               text.data(), text.size(), dictionary.impl_->to_compress.get());
  LOGBOOK_CHECK(ZSTD_isError(size) == 0);  // fails only without memory
  return std::string_view(impl_->room).substr(0, size);
}

std::string_view ZstdCompressor::CompressDelta(std::string_view text, std::string_view base) {
  const size_t bound = ZSTD_compressBound(text.size());
  ZSTD_CCtx* context = impl_->context.get();
  const size_t referred = ZSTD_CCtx_refPrefix(context, base.data(), base.size());
  LOGBOOK_CHECK(ZSTD_isError(referred) == 0);
  const size_t size =
      ZSTD_compress2(context, RoomFor(impl_->room, bound), bound, text.data(), text.size());
  LOGBOOK_CHECK(ZSTD_isError(size) == 0);  // fails only without memory
  return std::string_view(impl_->room).substr(0, size);
}

struct ZstdDecompressor::Impl {
  DecompressionContext context{ZSTD_createDCtx()};
  std::string room;
};

ZstdDecompressor::ZstdDecompressor() : impl_(std::make_unique<Impl>()) {
  LOGBOOK_CHECK(impl_->context != nullptr);
}

ZstdDecompressor::~ZstdDecompressor() = default;

absl::StatusOr<std::string_view> ZstdDecompressor::Decompress(std::string_view frame,
                                                              const ZstdDictionary& dictionary) {
  LOGBOOK_ASSIGN_OR_RETURN(const size_t bytes, ContentBytes(frame));
  const size_t result =
      ZSTD_decompress_usingDDict(impl_->context.get(), RoomFor(impl_->room, bytes), bytes,
                                 frame.data(), frame.size(), dictionary.impl_->to_decompress.get());
  return Checked(result, bytes, impl_->room);
}

absl::StatusOr<std::string_view> ZstdDecompressor::DecompressDelta(std::string_view frame,
                                                                   std::string_view base) {
  LOGBOOK_ASSIGN_OR_RETURN(const size_t bytes, ContentBytes(frame));
  // The same as referring to a prefix, which would allocate 27 KB each time; differs only for a
  // base that begins like a trained dictionary, as no text does.
  const size_t result =
      ZSTD_decompress_usingDict(impl_->context.get(), RoomFor(impl_->room, bytes), bytes,
                                frame.data(), frame.size(), base.data(), base.size());
  return Checked(result, bytes, impl_->room);
}

absl::StatusOr<std::string> TrainZstdDictionary(std::span<const std::string_view> samples,
                                                size_t bytes_max) {
  std::string text;
  std::vector<size_t> sizes;
  for (std::string_view sample : samples) {
    text += sample;
    sizes.push_back(sample.size());
  }
  std::string dictionary(bytes_max, '\0');
  const size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), text.data(),
                                            sizes.data(), static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size) != 0) {
    return InvalidArgument("no dictionary from ", samples.size(),
                           " samples: ", ZDICT_getErrorName(size));
  }
  dictionary.resize(size);
  return dictionary;
}

}  // namespace logbook
