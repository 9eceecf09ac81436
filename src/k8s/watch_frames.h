// Cuts the bytes of a watch into frames, which are JSON objects one after the other.
//
// Shape:    Append what was read, wherever it was cut; then Next until there is no whole frame
// left. Threads:  Confined. A frame stands until the next Append. Cost:     a server that ends each
// frame with a line end, as all do today, is cut by looking for
//           line ends; anything else byte by byte, about 1 ns each.
#ifndef LOGBOOK_K8S_WATCH_FRAMES_H_
#define LOGBOOK_K8S_WATCH_FRAMES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace logbook::k8s {

inline constexpr size_t kFrameBytesMax = size_t{16} << 20;  // client-go's limit

class WatchFrames {
 public:
  explicit WatchFrames(size_t frame_bytes_max = kFrameBytesMax)
      : frame_bytes_max_(frame_bytes_max) {}

  // The buffer to append to. Drops the frames that Next has returned.
  std::string& Buffer();

  // The next whole frame, without white space around it.
  std::optional<std::string_view> Next();

  // Whether the frame that is coming in exceeds the limit; the stream cannot be read on then.
  bool IsOversized() const { return buffer_.size() - begin_ > frame_bytes_max_; }

  // What has come in of the frame that is not whole yet.
  std::string_view Rest() const { return std::string_view(buffer_).substr(begin_); }

 private:
  // Where the frame that begins at begin_ ends; npos if it is not whole.
  size_t FindEnd();
  size_t FindLineEnd() const;
  size_t ScanForEnd();

  const size_t frame_bytes_max_;
  std::string buffer_;
  size_t begin_ = 0;  // of the first frame that Next has not returned

  // How far ScanForEnd is in that frame, for when more of it comes.
  size_t scanned_ = 0;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_WATCH_FRAMES_H_
