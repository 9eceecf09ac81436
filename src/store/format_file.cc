#include "logbook/store/format_file.h"

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

#include "logbook/store/posix_file.h"
#include "logbook/store/text_fields.h"

namespace logbook::store {
namespace {

constexpr char kRestoredFrom[] = "restored-from";
constexpr char kRestoredAt[] = "restored-at";

std::string RestoredFields(const std::optional<RestoredFrom>& restored) {
  return restored ? Concat(TextField(kRestoredFrom, restored->uuid),
                           TextField(kRestoredAt, Concat(restored->seq.value)))
                  : "";
}

std::string PathOf(const std::string& directory) {
  return directory + "/FORMAT";
}

absl::StatusOr<FormatVersion> ParseVersion(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '.');
  FormatVersion version;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &version.major_number) ||
      !absl::SimpleAtoi(parts[1], &version.minor_number) || version.major_number < 1) {
    return DataLoss("\"", text, "\" in line \"format\" is not a version");
  }
  return version;
}

absl::StatusOr<StoreFormat> Parse(const std::string& directory, std::string_view text) {
  StoreFormat format;
  LOGBOOK_ASSIGN_OR_RETURN(const TextFields fields, TextFields::Parse(text));
  LOGBOOK_ASSIGN_OR_RETURN(const std::string version, fields.Text("format"));
  LOGBOOK_ASSIGN_OR_RETURN(format.version, ParseVersion(version));
  if (format.version.major_number > kFormatVersion.major_number) {
    return FailedPrecondition("store ", directory, " has format ", version, ", this build reads ",
                              kFormatVersion.major_number,
                              ".x: use a newer build, or start in an empty directory");
  }
  LOGBOOK_ASSIGN_OR_RETURN(format.uuid, fields.Text("store"));
  LOGBOOK_ASSIGN_OR_RETURN(format.identity.cluster_uid, fields.Text("cluster"));
  LOGBOOK_ASSIGN_OR_RETURN(format.identity.operator_name, fields.Text("operator"));
  if (absl::StatusOr<std::string> uuid = fields.Text(kRestoredFrom); uuid.ok()) {
    format.restored = RestoredFrom{.uuid = *std::move(uuid), .seq = {}};
    LOGBOOK_ASSIGN_OR_RETURN(format.restored->seq.value, fields.Number(kRestoredAt));
  }
  return format;
}

absl::Status CheckValue(std::string_view name, std::string_view value) {
  if (value.empty() || value.find_first_of("\r\n") != std::string_view::npos) {
    return InvalidArgument("a store needs a ", name, " of one line, not \"",
                           ToStd(absl::CEscape(ToAbsl(value))), "\"");
  }
  return absl::OkStatus();
}

}  // namespace

std::string FormatVersion::ToString() const {
  return Concat(major_number, ".", minor_number);
}

absl::StatusOr<StoreFormat> ReadFormat(const std::string& directory) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string text, ReadFile(PathOf(directory)));
  absl::StatusOr<StoreFormat> format = Parse(directory, text);
  if (absl::IsDataLoss(format.status())) {
    return DataLoss(PathOf(directory), " is damaged (", format.status().message(),
                    "): restore it from a copy of the store");
  }
  return format;
}

absl::Status WriteFormat(const std::string& directory, const StoreFormat& format) {
  LOGBOOK_RETURN_IF_ERROR(CheckValue("cluster uid", format.identity.cluster_uid));
  LOGBOOK_RETURN_IF_ERROR(CheckValue("operator name", format.identity.operator_name));
  return ReplaceFile(PathOf(directory), Concat(TextField("format", format.version.ToString()),
                                               TextField("store", format.uuid),
                                               TextField("cluster", format.identity.cluster_uid),
                                               TextField("operator", format.identity.operator_name),
                                               RestoredFields(format.restored)));
}

absl::Status CheckIdentity(const std::string& directory, const StoreIdentity& found,
                           const StoreIdentity& expected) {
  if (!expected.cluster_uid.empty() && expected.cluster_uid != found.cluster_uid) {
    return FailedPrecondition("store ", directory, " belongs to cluster ", found.cluster_uid,
                              ", this is cluster ", expected.cluster_uid,
                              ": use another data directory, or the cluster it belongs to");
  }
  if (!expected.operator_name.empty() && expected.operator_name != found.operator_name) {
    return FailedPrecondition("store ", directory, " belongs to operator ", found.operator_name,
                              ", this is operator ", expected.operator_name,
                              ": use another data directory, or the operator it belongs to");
  }
  return absl::OkStatus();
}

std::string NewUuid() {
  std::random_device random;
  std::array<uint8_t, 16> bytes;
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(random());
  }
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x40);  // version 4
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);  // variant of RFC 9562
  const std::string hex = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return absl::StrCat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-",
                      hex.substr(16, 4), "-", hex.substr(20));
}

}  // namespace logbook::store
