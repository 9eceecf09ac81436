# Every library we use, found as Debian packages it. Newer versions are accepted.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
find_package(RocksDB REQUIRED)
find_package(CURL 7.88 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(simdjson REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)

# cpp-httplib ships no CMake package in Debian 12, only a library and a header.
find_package(httplib QUIET)
if(NOT TARGET httplib::httplib)
  find_path(HTTPLIB_INCLUDE_DIR httplib.h REQUIRED)
  find_library(HTTPLIB_LIBRARY cpp-httplib REQUIRED)
  add_library(httplib::httplib UNKNOWN IMPORTED)
  set_target_properties(httplib::httplib PROPERTIES
    IMPORTED_LOCATION ${HTTPLIB_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${HTTPLIB_INCLUDE_DIR})
endif()

# Not every package of zstd brings a CMake package, and RocksDB's has a finder of its own for it; the
# name is the one that zstd's has from 1.5.6.
find_package(zstd 1.5 CONFIG QUIET)
if(NOT TARGET zstd::libzstd)
  find_path(ZSTD_INCLUDE_DIR zdict.h REQUIRED)
  find_library(ZSTD_LIBRARY zstd REQUIRED)
  add_library(zstd::libzstd UNKNOWN IMPORTED)
  set_target_properties(zstd::libzstd PROPERTIES
    IMPORTED_LOCATION ${ZSTD_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ZSTD_INCLUDE_DIR})
endif()

# The program's malloc: objects are made on one thread and freed on another, which glibc's makes
# dear (docs/performance.md). Sanitizers bring their own; without the library all works as well.
add_library(logbook_malloc INTERFACE)
find_library(JEMALLOC_LIBRARY jemalloc)
if(JEMALLOC_LIBRARY AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  # Nothing calls it by name, so the linker would leave it out.
  target_link_libraries(logbook_malloc INTERFACE
    -Wl,--push-state,--no-as-needed ${JEMALLOC_LIBRARY} -Wl,--pop-state)
endif()

# yaml-cpp 0.7 (Debian 12) calls its target yaml-cpp, 0.8 yaml-cpp::yaml-cpp.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
