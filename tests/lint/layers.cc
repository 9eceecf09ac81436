#include "layers.h"

#include <algorithm>
#include <map>
#include <regex>

namespace logbook::lint {
namespace {

using Folders = std::set<std::string>;

// A third-party header, by how its path begins, and who may include it.
struct ThirdParty {
  std::string prefix;
  Folders folders;
  bool in_headers = false;  // also in public headers, since it is part of what they promise
};

const std::vector<ThirdParty>& ThirdParties() {
  static const std::vector<ThirdParty> kThirdParties = {
      {"CLI/", {"cmd"}},
      {"curl/", {"k8s"}},
      {"google/protobuf/", {"model", "operators", "admin", "webhook"}},
      {"grpcpp/", {"admin", "remote"}, true},
      {"httplib.h", {"http"}},
      {"nlohmann/", {"base"}, true},
      {"openssl/", {"base", "http", "k8s"}},  // k8s: certificates of a kubeconfig
      {"rocksdb/", {"store"}},
      {"simdjson.h", {"base"}},
      {"xxhash.h", {"base"}},
      {"yaml-cpp/", {"k8s"}},
      {"zdict.h", {"base"}},
      {"zstd.h", {"base"}},
  };
  return kThirdParties;
}

// Headers of the operating system: for those who do I/O.
const Folders kMayUseTheSystem = {"store", "k8s", "http", "reconcile", "admin", "cmd", "sim"};

bool IsSystemHeader(std::string_view header) {
  static const std::set<std::string, std::less<>> kNames = {"elf.h",    "fcntl.h", "link.h",
                                                            "netdb.h",  "poll.h",  "pthread.h",
                                                            "signal.h", "spawn.h", "unistd.h"};
  return header.rfind("sys/", 0) == 0 || header.rfind("netinet/", 0) == 0 ||
         header.rfind("arpa/", 0) == 0 || header.rfind("linux/", 0) == 0 || kNames.contains(header);
}

// <vector>, but not <unistd.h>.
bool IsStandardHeader(std::string_view header) {
  return header.find_first_of("/.") == std::string_view::npos;
}

// Files whose business is what others must not know.
const std::map<std::string, std::string>& Exceptions() {
  static const std::map<std::string, std::string> kExceptions = {
      {"src/cmd/version.cc", "tells the versions of the libraries"}};
  return kExceptions;
}

std::string CheckOurs(const SourceFile& file, bool is_public, const std::string& header,
                      const Folders& public_headers) {
  const std::string module = file.Module();
  const std::string folder = header.substr(0, header.find('/'));
  if (folder == module) {
    return "";
  }
  const auto layer = std::find_if(Layers().begin(), Layers().end(),
                                  [&](const Layer& l) { return l.folder == module; });
  if (layer == Layers().end()) {
    return "folder " + module + " is not in the table of layers";
  }
  const bool privately = layer->sources.contains(folder) || layer->sources.contains(header);
  if (!layer->headers.contains(folder) && !(privately && !is_public)) {
    return module + " may not include logbook/" + header +
           (privately ? " in a header that others include" : "");
  }
  const bool generated = header.find(".pb.h") != std::string::npos;
  return generated || public_headers.contains(header)
             ? ""
             : "logbook/" + header + " is private: it is not under HDRS of its folder";
}

std::string CheckThirdParty(const SourceFile& file, bool is_public, const std::string& header) {
  if (IsStandardHeader(header) || header.rfind("absl/", 0) == 0 ||
      Exceptions().contains(file.path)) {
    return "";
  }
  const std::string module = file.Module();
  if (IsSystemHeader(header)) {
    return kMayUseTheSystem.contains(module) ? "" : module + " does no I/O: <" + header + ">";
  }
  for (const ThirdParty& party : ThirdParties()) {
    if (header.rfind(party.prefix, 0) != 0) {
      continue;
    }
    if (!party.folders.contains(module)) {
      return module + " may not include <" + header + ">";
    }
    return party.in_headers || !is_public ? "" : "<" + header + "> in a header that others include";
  }
  return "<" + header + "> is no library of ours";
}

// `header` is named in quotes and not from logbook/. A program has no others that look into it.
std::string CheckRelative(const SourceFile& file, const std::string& header) {
  return file.Module() == "cmd" && header.find('/') == std::string::npos
             ? ""
             : "include by its path from logbook/, not by a relative one";
}

}  // namespace

const std::vector<Layer>& Layers() {
  static const std::vector<Layer> kLayers = {
      {"base", {}, {}},
      {"model", {"base", "v1"}, {}},
      {"store", {"base", "model"}, {"v1"}},
      {"k8s", {"base", "model"}, {}},
      {"http", {"base"}, {}},
      {"reconcile", {"base", "model"}, {"store", "k8s"}},
      {"sim", {"base", "model", "http"}, {}},
      {"operators", {"base", "model", "reconcile"}, {}},
      {"admin", {"base", "model", "reconcile"}, {"store/inspect.h"}},
      {"webhook", {"base", "model", "reconcile", "http"}, {}},
      {"lab", {"base", "model", "reconcile", "sim"}, {}},
      {"remote", {"base", "model", "reconcile"}, {}},
      {"cmd",
       {"base", "model", "store", "k8s", "http", "reconcile", "sim", "operators", "admin",
        "webhook", "lab", "remote"},
       {}},
  };
  return kLayers;
}

std::set<std::string> PublicHeaders(const SourceFile& cmake_lists) {
  static const std::regex kWord(R"([^\s()]+)");
  std::set<std::string> headers;
  bool listing = false;
  const std::string& text = cmake_lists.text;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kWord);
       at != std::sregex_iterator(); ++at) {
    const std::string word = at->str();
    if (word == "HDRS" || word == "SRCS" || word == "DEPS" || word == "PRIVATE_DEPS") {
      listing = word == "HDRS";
    } else if (listing) {
      headers.insert(cmake_lists.Module() + "/" + word);
    }
  }
  return headers;
}

Violations CheckIncludes(const SourceFile& file, const std::set<std::string>& public_headers) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  static const std::string kOurs = "logbook/";
  const bool is_public = public_headers.contains(file.path.substr(std::string("src/").size()));
  Violations violations;
  size_t number = 0;
  for (std::string_view line : file.Lines()) {
    ++number;
    std::match_results<std::string_view::const_iterator> match;
    if (!std::regex_search(line.begin(), line.end(), match, kInclude)) {
      continue;
    }
    const std::string header = match[2];
    std::string message;
    if (header.rfind(kOurs, 0) == 0) {
      message = CheckOurs(file, is_public, header.substr(kOurs.size()), public_headers);
    } else if (match[1] == "\"" && header.rfind("absl/", 0) != 0) {
      message = CheckRelative(file, header);
    } else {
      message = CheckThirdParty(file, is_public, header);
    }
    if (!message.empty()) {
      violations.push_back(Violation(file, number, message));
    }
  }
  return violations;
}

}  // namespace logbook::lint
