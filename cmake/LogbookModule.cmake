# One library per folder under src/, reachable as "logbook/<name>/x.h" by those who link it.
#
# Link visibility alone does not keep layers: with one shared include root every header of the tree
# compiles everywhere. So each module exports a *view*, a directory that holds only its own folder,
# and a module sees exactly the views of what it links. tests/lint holds the rest of the table.
#
#   logbook_module(store
#     SRCS journal.cc            listed, never globbed
#     HDRS journal.h             verified to compile on their own
#     DEPS logbook::model        part of the module's headers
#     PRIVATE_DEPS RocksDB::rocksdb)   only its .cc files see these
function(logbook_module name)
  cmake_parse_arguments(ARG "" "" "SRCS;HDRS;DEPS;PRIVATE_DEPS" ${ARGN})
  set(view ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${view}/logbook)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/logbook/${name} SYMBOLIC)
  add_library(logbook_${name} STATIC ${ARG_SRCS})
  add_library(logbook::${name} ALIAS logbook_${name})
  list(TRANSFORM ARG_HDRS PREPEND ${view}/logbook/${name}/ OUTPUT_VARIABLE hdrs)
  target_sources(logbook_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${view} FILES ${hdrs})
  target_link_libraries(logbook_${name} PUBLIC ${ARG_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS} $<BUILD_INTERFACE:logbook_compile_options>)
  target_compile_features(logbook_${name} PUBLIC cxx_std_20)
  set_target_properties(logbook_${name} PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON EXPORT_NAME ${name})
  install(TARGETS logbook_${name} EXPORT logbookTargets FILE_SET HEADERS)
endfunction()

# One test binary per folder; every TEST becomes a ctest entry of its own.
#   logbook_test(store SRCS journal_test.cc DEPS logbook::store [LABELS crash])
# Labels, one a binary: unit (the default), crash, lint, e2e (needs the control plane), campaign and
# load (long; these two run by `make test-full` only).
function(logbook_test name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name}_test ${ARG_SRCS})
  target_link_libraries(${name}_test PRIVATE ${ARG_DEPS} logbook_compile_options
    GTest::gmock GTest::gtest_main)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    target_sources(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/tsan_abseil.cc)
    target_link_libraries(${name}_test PRIVATE logbook::base absl::synchronization
      ${CMAKE_DL_LIBS})
  endif()
  # A test names the fields it is about; the others are left out on purpose.
  target_compile_options(${name}_test PRIVATE -Wno-missing-field-initializers)
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()
