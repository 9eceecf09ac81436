#include "logbook/k8s/watch_frames.h"

#include <cstring>

namespace logbook::k8s {
namespace {

constexpr std::string_view kFrameStart = "{\"type\":";
// Where two frames meet that stand on one line. Inside a string the quotes would be escaped, and
// between values of one object there is a comma.
constexpr std::string_view kSeam = "}{\"type\":";

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool Contains(std::string_view text, std::string_view part) {
  return memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

}  // namespace

std::string& WatchFrames::Buffer() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  return buffer_;
}

std::optional<std::string_view> WatchFrames::Next() {
  if (scanned_ == 0) {
    while (begin_ < buffer_.size() && IsSpace(buffer_[begin_])) {
      ++begin_;
    }
  }
  const size_t end = FindEnd();
  if (end == std::string::npos) {
    return std::nullopt;
  }
  const std::string_view frame = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = end;
  scanned_ = 0;
  return frame;
}

size_t WatchFrames::FindEnd() {
  if (scanned_ == 0) {
    if (const size_t end = FindLineEnd(); end != std::string::npos) {
      return end;
    }
  }
  return ScanForEnd();
}

// The end of the line if it is one frame, as encoders write it; npos where only a scan can tell.
size_t WatchFrames::FindLineEnd() const {
  const std::string_view rest = Rest();
  const size_t line_end = rest.find('\n');
  if (line_end == std::string_view::npos) {
    return line_end;
  }
  const std::string_view line = rest.substr(0, line_end);
  const bool is_frame = line.substr(0, kFrameStart.size()) == kFrameStart && line.back() == '}' &&
                        !Contains(line, kSeam);
  return is_frame ? begin_ + line_end : std::string_view::npos;
}

size_t WatchFrames::ScanForEnd() {
  for (size_t i = begin_ + scanned_; i < buffer_.size(); ++i) {
    const char c = buffer_[i];
    if (escaped_) {
      escaped_ = false;
    } else if (in_string_) {
      escaped_ = c == '\\';
      in_string_ = c != '"';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ <= 0) {
      depth_ = 0;
      return i + 1;
    }
  }
  scanned_ = buffer_.size() - begin_;
  return std::string::npos;
}

}  // namespace logbook::k8s
