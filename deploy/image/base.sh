#!/bin/sh
# Makes the base image that the Dockerfile names, from Debian's mirror and from npm, for machines that reach no registry of
# images. It takes buildah, mmdebstrap and npm, and what `npm ci` has installed. As root:
#
#   deploy/image/base.sh && buildah build --isolation=chroot --pull-never --format=docker -t portico .
set -eu
cd "$(dirname "$0")/../.."
image=docker.io/library/node:24-bookworm-slim
export BUILDAH_ISOLATION="${BUILDAH_ISOLATION:-chroot}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --variant=minbase --include=ca-certificates,libstdc++6 \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  bookworm "$work/debian.tar"

container=$(buildah from scratch)
buildah add --quiet "$container" "$work/debian.tar" /
buildah copy --quiet "$container" "$(readlink -f node_modules/.bin/node)" /usr/local/bin/node
npm install --silent --global --prefix "$work/npm" npm@11
buildah copy --quiet "$container" "$work/npm" /usr/local
buildah run "$container" -- useradd --uid 1000 --user-group --create-home node
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd node "$container"
buildah commit --quiet --rm "$container" "$image"
