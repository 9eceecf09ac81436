#include "source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace logbook::lint {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = LOGBOOK_SOURCE_DIR;

// Directories that are no part of the sources: what .gitignore names, and git itself.
bool IsForeign(const fs::path& directory) {
  const std::string name = directory.filename();
  return name == ".git" || (directory.parent_path() == kRoot &&
                            (name == "build" || name == "run.log.d" || name == "demo.log"));
}

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::vector<std::string_view> SourceFile::Lines() const {
  std::vector<std::string_view> lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    lines.push_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return lines;
}

std::string SourceFile::Extension() const {
  return fs::path(path).extension();
}

bool SourceFile::IsBelow(std::string_view folder) const {
  return path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 &&
         path[folder.size()] == '/';
}

std::string SourceFile::Module() const {
  if (!IsBelow("src")) {
    return "";
  }
  const size_t begin = std::string_view("src/").size();
  const size_t end = path.find('/', begin);
  return end == std::string::npos ? "" : path.substr(begin, end - begin);
}

std::string Violation(const SourceFile& file, size_t line, std::string_view message) {
  std::string text = file.path;
  if (line > 0) {
    text += ":" + std::to_string(line);
  }
  return text.append(": ").append(message);
}

std::vector<SourceFile> ReadTree(std::string_view folder) {
  std::vector<SourceFile> files;
  const fs::path start = folder.empty() ? kRoot : kRoot / folder;
  if (!fs::exists(start)) {
    return files;
  }
  for (auto at = fs::recursive_directory_iterator(start); at != fs::end(at); ++at) {
    if (at->is_directory() && IsForeign(at->path())) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file() && !at->is_symlink()) {
      SourceFile file{.path = fs::relative(at->path(), kRoot), .text = ReadAll(at->path())};
      if (file.text.find('\0') == std::string::npos) {
        files.push_back(std::move(file));
      }
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string> FoldersIn(std::string_view folder) {
  std::vector<std::string> names;
  if (fs::exists(kRoot / folder)) {
    for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
      if (entry.is_directory()) {
        names.push_back(entry.path().filename());
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace logbook::lint
