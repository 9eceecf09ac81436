// Names and label values that are valid wherever they are used, and the same on every machine.
//
// Shape:    a name that is valid and short enough stays as it is. Any other becomes
//           <readable prefix>-<10 hex digits of SHA-256 of the full name>. So that no name that
//           stays can equal one that was made, a name that looks made (ends in - and 10 hex digits)
//           is made as well; two made names are equal only if 40 bits of their hashes are.
// Source:   kubernetes-contract.md §3.4; k8s.io/apimachinery pkg/util/validation.
#ifndef LOGBOOK_MODEL_NAMES_H_
#define LOGBOOK_MODEL_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace logbook {

inline constexpr size_t kLabelBytesMax = 63;       // DNS labels and label values
inline constexpr size_t kSubdomainBytesMax = 253;  // names of most kinds

// For a Deployment, its Service and its Ingress under one name: 63, less the "-" and up to 10
// characters that a ReplicaSet's name adds. So that name still fits a label value, and the Pods',
// which the server cuts to 58 characters and adds 5 to, keep this one whole.
inline constexpr size_t kChildNameBytesMax = 52;

// A DNS-1035 label of at most `bytes_max` characters, which are at least 12 and at most 63, for a
// child of the object `ns`/`owner_name`. Any owner name is accepted, also an empty one.
std::string ChildName(std::string_view ns, std::string_view owner_name,
                      size_t bytes_max = kChildNameBytesMax);

// A label value that tells `text` apart from every other text. Empty stays empty.
std::string LabelValue(std::string_view text);

// `prefix` + `middle` + `suffix`; if that is longer than 253 characters or no DNS-1123 subdomain,
// `middle` is shortened to a readable part and a hash. `prefix` and `suffix` must be made of
// lower-case letters, digits, - and ., begin and end well, and leave room for 12 characters. Here a
// middle that looks made stays: the name is to be read, and its user checks whom it belongs to.
//   SubdomainName("audit-deleted-", "my-app", "-1779768644")
std::string SubdomainName(std::string_view prefix, std::string_view middle,
                          std::string_view suffix);

bool IsDns1123Label(std::string_view text);      // namespaces, containers
bool IsDns1123Subdomain(std::string_view text);  // most names
bool IsDns1035Label(std::string_view text);      // Services: a letter first
bool IsLabelValue(std::string_view text);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_NAMES_H_
