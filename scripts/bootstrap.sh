#!/usr/bin/env bash
# Installs what the build needs and is missing: on Debian 12 and 13 and Ubuntu 24.04 by apt, elsewhere it names the
# first missing piece. Does nothing, in a tenth of a second, when all is there.
#
#   scripts/bootstrap.sh [--lint]     --lint: also clang with libFuzzer, clang-format, clang-tidy and shellcheck
set -euo pipefail
export LC_ALL=C  # comm needs the order of sort

readonly PACKAGES=(
  # tools
  g++ cmake ninja-build ccache make git pkg-config protobuf-compiler openssl curl ca-certificates binutils
  # libraries
  libabsl-dev libcli11-dev libcpp-httplib-dev libcurl4-openssl-dev libjemalloc-dev libprotobuf-dev librocksdb-dev libsimdjson-dev
  libssl-dev libxxhash-dev libyaml-cpp-dev libzstd-dev nlohmann-json3-dev
  # tests and benchmarks
  libbenchmark-dev libgmock-dev libgtest-dev
)
readonly LINT_PACKAGES=(clang clang-format clang-tidy shellcheck)
# Where there is no Go, which builds the control plane of the end-to-end tests, pip brings one.
readonly GO_PACKAGES=(python3-pip)

# Where the system tells its name; another file makes this script believe it is elsewhere.
readonly OS_RELEASE=${OS_RELEASE:-/etc/os-release}

# What proves that a package is there on a system without apt: a tool, or a header the compiler finds.
readonly PROOFS=(
  "g++ g++" "cmake cmake" "ninja-build ninja" "make make" "git git" "protobuf-compiler protoc" "openssl openssl"
  "curl curl" "libabsl-dev absl/status/statusor.h" "libcli11-dev CLI/CLI.hpp" "libcpp-httplib-dev httplib.h"
  "libcurl4-openssl-dev curl/curl.h" "libjemalloc-dev jemalloc/jemalloc.h" "libprotobuf-dev google/protobuf/message.h" "librocksdb-dev rocksdb/db.h"
  "libsimdjson-dev simdjson.h" "libssl-dev openssl/evp.h" "libxxhash-dev xxhash.h"
  "libyaml-cpp-dev yaml-cpp/yaml.h" "libzstd-dev zdict.h" "nlohmann-json3-dev nlohmann/json.hpp" "libbenchmark-dev benchmark/benchmark.h"
  "libgmock-dev gmock/gmock.h" "libgtest-dev gtest/gtest.h"
)

say() { printf 'bootstrap: %s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# supported: whether this is a system whose package names we know.
supported() {
  local ID='' VERSION_ID=''
  [[ -r $OS_RELEASE ]] && command -v apt-get >/dev/null || return 1
  # shellcheck disable=SC1090
  source "$OS_RELEASE"
  case $ID-$VERSION_ID in
    debian-12 | debian-13 | ubuntu-24.04) return 0 ;;
    *) return 1 ;;
  esac
}

# missing PACKAGE...: those of the packages that are not installed, one a line.
missing() {
  # dpkg-query fails for packages it never heard of, and still answers for the others
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null | awk '$1 == "ii" {print $2}' || true)
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -n "$@" || die "sudo asks for a password; run this yourself, then again what you were doing: sudo $*"
  else
    die "not root and no sudo; as root, run: $*"
  fi
}

install() {
  say "installing $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 \
    install "$@" >&2
}

# has PROOF: a tool on PATH, or a header that g++ finds.
has() {
  case $1 in
    *.h | *.hpp) printf '#include <%s>\n' "$1" | g++ -std=c++20 -M -x c++ - >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# Elsewhere: look, and name the first thing that is missing.
check_only() {
  local package proof
  for line in "${PROOFS[@]}"; do
    read -r package proof <<<"$line"
    has "$proof" ||
      die "$proof is missing: Debian calls its package $package; install your system's and run this again"
  done
}

main() {
  local wanted=("${PACKAGES[@]}") absent
  if [[ ${1:-} == --lint ]]; then wanted+=("${LINT_PACKAGES[@]}"); fi
  if ! command -v go >/dev/null; then wanted+=("${GO_PACKAGES[@]}"); fi
  if ! supported; then
    check_only
    return
  fi
  mapfile -t absent < <(missing "${wanted[@]}")
  ((${#absent[@]} == 0)) || install "${absent[@]}"
  if [[ ${1:-} == --lint ]]; then
    # the sanitizers and libFuzzer of clang, whose package has clang's version in its name
    mapfile -t absent < <(missing "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev")
    ((${#absent[@]} == 0)) || install "${absent[@]}"
  fi
}

main "$@"
