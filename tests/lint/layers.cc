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
  bool in_headers = false;  // may stand in a header too, since it is part of what that promises
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
      {"zstd.h", {"base"}},
  };
  return kThirdParties;
}

// Headers of the operating system: for those who do I/O.
const Folders kMayUseTheSystem = {"store", "k8s", "http", "reconcile", "admin", "cmd", "sim"};

bool IsSystemHeader(std::string_view header) {
  static const std::set<std::string, std::less<>> kNames = {
      "fcntl.h", "netdb.h", "poll.h", "pthread.h", "signal.h", "spawn.h", "unistd.h"};
  return header.rfind("sys/", 0) == 0 || header.rfind("netinet/", 0) == 0 ||
         header.rfind("arpa/", 0) == 0 || header.rfind("linux/", 0) == 0 || kNames.contains(header);
}

// <vector>, but not <unistd.h>.
bool IsStandardHeader(std::string_view header) {
  return header.find_first_of("/.") == std::string_view::npos;
}

std::string CheckOurs(const SourceFile& file, std::string_view header) {
  const std::string module = file.Module();
  const size_t slash = header.find('/');
  if (slash == std::string_view::npos) {
    return "include by its path from logbook/, not by a relative one";
  }
  const std::string folder(header.substr(0, slash));
  if (folder == module) {
    return "";
  }
  for (const Layer& layer : Layers()) {
    if (layer.folder != module) {
      continue;
    }
    const bool in_source =
        file.Extension() == ".cc" &&
        (layer.sources.contains(folder) || layer.sources.contains(std::string(header)));
    return layer.headers.contains(folder) || in_source
               ? ""
               : module + " may not include logbook/" + std::string(header);
  }
  return "folder " + module + " is not in the table of layers";
}

std::string CheckThirdParty(const SourceFile& file, std::string_view header) {
  if (IsStandardHeader(header) || header.rfind("absl/", 0) == 0) {
    return "";
  }
  const std::string module = file.Module();
  if (IsSystemHeader(header)) {
    return kMayUseTheSystem.contains(module)
               ? ""
               : module + " does no I/O: <" + std::string(header) + ">";
  }
  for (const ThirdParty& party : ThirdParties()) {
    if (header.rfind(party.prefix, 0) != 0) {
      continue;
    }
    if (!party.folders.contains(module)) {
      return module + " may not include <" + std::string(header) + ">";
    }
    return party.in_headers || file.Extension() == ".cc"
               ? ""
               : "<" + std::string(header) + "> only in .cc files";
  }
  return "<" + std::string(header) + "> is no library of ours";
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

Violations CheckIncludes(const SourceFile& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  static const std::string kOurs = "logbook/";
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
      message = CheckOurs(file, std::string_view(header).substr(kOurs.size()));
    } else if (match[1] == "\"" && header.rfind("absl/", 0) != 0) {
      message = CheckOurs(file, "");
    } else {
      message = CheckThirdParty(file, header);
    }
    if (!message.empty()) {
      violations.push_back(Violation(file, number, message));
    }
  }
  return violations;
}

}  // namespace logbook::lint
