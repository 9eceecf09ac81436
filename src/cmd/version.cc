#include "version.h"

#include <cstring>
#include <string_view>

#include "absl/strings/escaping.h"
#include <curl/curl.h>
#include <elf.h>
#include <google/protobuf/stubs/common.h>
#include <link.h>
#include <rocksdb/version.h>

#include "logbook/base/status.h"

namespace logbook::cmd {
namespace {

constexpr std::string_view kGnu("GNU\0", 4);

size_t Aligned(size_t bytes) {
  return (bytes + 3) & ~size_t{3};
}

// The build id in a segment of ELF notes; empty if it has none.
std::string FindBuildId(std::string_view notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof(header));
    const size_t name_at = sizeof(header);
    const size_t desc_at = name_at + Aligned(header.n_namesz);
    const size_t next = desc_at + Aligned(header.n_descsz);
    if (next > notes.size()) {
      break;
    }
    if (header.n_type == NT_GNU_BUILD_ID && notes.substr(name_at, header.n_namesz) == kGnu) {
      return absl::BytesToHexString(ToAbsl(notes.substr(desc_at, header.n_descsz)));
    }
    notes.remove_prefix(next);
  }
  return "";
}

// Called for each loaded object; the first is the program itself.
int VisitProgram(dl_phdr_info* info, size_t, void* result) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader counts addresses as numbers
      const auto* begin = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
      std::string id = FindBuildId({begin, segment.p_memsz});
      if (!id.empty()) {
        *static_cast<std::string*>(result) = std::move(id);
        break;
      }
    }
  }
  return 1;
}

}  // namespace

std::string Version() {
  return LOGBOOK_VERSION;
}

std::string BuildId() {
  std::string id;
  dl_iterate_phdr(VisitProgram, &id);
  return id;
}

std::string VersionText() {
  return Concat("logbook ", Version(), "\n", "build ", BuildId(), "\n", "compiler ", __VERSION__,
                "\n", "rocksdb ", rocksdb::GetRocksVersionAsString(), "\n", "curl ",
                curl_version_info(CURLVERSION_NOW)->version, "\n", "protobuf ",
                google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION), "\n");
}

}  // namespace logbook::cmd
