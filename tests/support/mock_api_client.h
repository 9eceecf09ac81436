// A gmock of the API client, for those who decide on what a server answers.
#ifndef LOGBOOK_SUPPORT_MOCK_API_CLIENT_H_
#define LOGBOOK_SUPPORT_MOCK_API_CLIENT_H_

#include <memory>
#include <stop_token>
#include <string_view>

#include <gmock/gmock.h>

#include "logbook/k8s/api_client.h"

namespace logbook::k8s {

class MockApiClient : public ApiClient {
 public:
  MOCK_METHOD(absl::StatusOr<ApiReply>, Get, (const Target&, const CallOptions&), (override));
  MOCK_METHOD(absl::StatusOr<ApiReply>, List,
              (const Target&, const ListOptions&, const CallOptions&), (override));
  MOCK_METHOD(absl::StatusOr<ApiReply>, Create,
              (const Target&, std::string_view, const WriteOptions&, const CallOptions&),
              (override));
  MOCK_METHOD(absl::StatusOr<ApiReply>, Apply,
              (const Target&, std::string_view, const WriteOptions&, const CallOptions&),
              (override));
  MOCK_METHOD(absl::StatusOr<ApiReply>, MergePatch,
              (const Target&, std::string_view, const WriteOptions&, const CallOptions&),
              (override));
  MOCK_METHOD(absl::StatusOr<ApiReply>, JsonPatch,
              (const Target&, std::string_view, const WriteOptions&, const CallOptions&),
              (override));
  MOCK_METHOD(absl::StatusOr<ApiReply>, Delete,
              (const Target&, const DeleteOptions&, const CallOptions&), (override));
  MOCK_METHOD(absl::StatusOr<ApiReply>, GetPath, (std::string_view, const CallOptions&),
              (override));
  MOCK_METHOD(absl::StatusOr<std::unique_ptr<WatchStream>>, Watch,
              (const Target&, const WatchOptions&, const std::stop_token&), (override));
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_SUPPORT_MOCK_API_CLIENT_H_
