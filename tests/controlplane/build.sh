#!/usr/bin/env bash
# Builds what is missing of the control plane's binaries into a cache outside the checkout.
# Prints the directory that holds them as the last line of standard output; progress goes to standard error.
# Exit status 77: there is no Go and none to be had. See README.md.
set -euo pipefail

PROGRAM=controlplane/build
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$here/lib/common.sh"
source "$here/lib/go.sh"

cache=${LOGBOOK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/logbook}/controlplane

targets() { grep -v '^#' "$here/targets"; }

# pinned SET MODULE: the version that the set's go.mod requires.
pinned() { sed -n "s#^\(require\)\?[[:space:]]*$2 \(v[^ ]*\)\$#\2#p" "$here/$1/go.mod"; }

# Other pins or other flags, other directory: so no binary is ever stale, and checkouts with the same pins share them.
pins_hash() {
  {
    targets
    declare -f build linker_flags
    (cd "$here" && cat ./*/go.mod ./*/go.sum)
  } | sha256sum | cut -c1-12
}

# linker_flags NAME: makes the binaries tell their version as released ones do.
linker_flags() {
  local version component
  case $1 in
    kubernetes)
      version=$(pinned kubernetes k8s.io/kubernetes)
      component=k8s.io/component-base/version
      [[ $version =~ ^v([0-9]+)\.([0-9]+)\. ]] || die "no version of k8s.io/kubernetes in kubernetes/go.mod"
      printf ' -X %s' "$component.gitVersion=$version" "$component.gitMajor=${BASH_REMATCH[1]}" \
        "$component.gitMinor=${BASH_REMATCH[2]}" "$component.gitCommit=" "$component.gitTreeState=archive"
      ;;
    grpcurl) printf ' -X main.version=%s' "$(pinned grpcurl github.com/fullstorydev/grpcurl)" ;;
    -) ;;
    *) die "targets: no linker flags named '$1'" ;;
  esac
}

# build BINARY SET PACKAGE FLAGS: under another name first, so that a file called kube-apiserver is always a whole one.
build() {
  local started=$SECONDS unfinished=$bin/.$1 log=${bin%/bin}/$1.log
  say "building $1 ..."
  (
    cd "$here/$2"
    CGO_ENABLED=0 GOTOOLCHAIN=local GOWORK=off GOFLAGS=-mod=readonly \
      "$go" build -trimpath -buildvcs=false -ldflags "-s -w$(linker_flags "$4")" -o "$unfinished" "$3" >"$log" 2>&1
  ) || {
    tail -n 15 "$log" >&2
    die "go build $3 failed; its versions are pinned in $2/go.mod, its output is $log"
  }
  mv "$unfinished" "$bin/$1"
  rm "$log"
  say "built $1 in $((SECONDS - started)) s"
}

from_assets() { [[ -n $assets && -x $assets/$1 ]]; }

missing() {
  local binary
  while read -r binary _; do
    [[ -x $bin/$binary ]] || from_assets "$binary" || echo "$binary"
  done < <(targets)
}

# One builder at a time: the second one waits here, and then finds everything done.
build_missing() {
  local lock go binary set package flags
  exec {lock}>"$cache/lock"
  if ! flock --nonblock "$lock"; then
    say "somebody else is building, waiting"
    flock "$lock"
  fi
  [[ -n $(missing) ]] || return 0
  go=$(find_go "$cache")
  say "building with $("$go" env GOVERSION) into $bin; all of it takes about 9 minutes on 2 cores, once"
  while read -r binary set package flags <&3; do
    [[ -x $bin/$binary ]] || from_assets "$binary" || build "$binary" "$set" "$package" "$flags"
  done 3< <(targets)
  exec {lock}>&-
}

# kubebuilder's variable counts when the directory holds what envtest puts there.
use_assets() {
  assets=${KUBEBUILDER_ASSETS:-}
  [[ -n $assets ]] || return 0
  local binary
  for binary in kube-apiserver etcd kubectl; do
    if [[ ! -x $assets/$binary ]]; then
      say "KUBEBUILDER_ASSETS=$assets has no $binary, so it is not used"
      assets=
      return
    fi
  done
  assets=$(realpath -- "$assets")
}

# link_assets: a directory of links, theirs where they have one and ours otherwise.
link_assets() {
  local binary joined
  joined=$cache/$(printf %s "$bin $assets" | sha256sum | cut -c1-12)-assets/bin
  mkdir -p "$joined"
  while read -r binary _; do
    if from_assets "$binary"; then
      ln -sfn "$assets/$binary" "$joined/$binary"
    else
      ln -sfn "$bin/$binary" "$joined/$binary"
    fi
  done < <(targets)
  bin=$joined
}

use_assets
bin=$cache/$(pins_hash)/bin
mkdir -p "$bin"
[[ -z $(missing) ]] || build_missing
[[ -z $assets ]] || link_assets
echo "$bin"
