#!/bin/sh
# Backs up a team: the database, and the blobs if they are files.
#   TROUPE_DATABASE_URL=postgres://… scripts/backup.sh <new folder> [<folder of blobs>]
# Secrets in it stay encrypted. Keep TROUPE_SECRET_KEY elsewhere: without it, they are lost.
set -eu
umask 077

fail() {
  echo "backup: $1" >&2
  exit 1
}

[ $# -ge 1 ] || fail "name a new folder for the backup"
[ -n "${TROUPE_DATABASE_URL:-}" ] || fail "set TROUPE_DATABASE_URL"
target=$1
blobs=${2:-}
[ ! -e "$target" ] || fail "$target exists already"
[ -z "$blobs" ] || [ -d "$blobs" ] || fail "there is no folder $blobs"

# Passwords are not put on a command line, which everybody on the machine can read.
# shellcheck source=scripts/lib/database-url.sh
. "$(dirname "$(readlink -f "$0")")/lib/database-url.sh"
use_database_url "$TROUPE_DATABASE_URL" || fail "TROUPE_DATABASE_URL is not a postgres:// address"

part="$target.part"
rm -rf "$part"
mkdir -p "$part"
trap 'rm -rf "$part"' EXIT INT TERM

# One snapshot: nodes may go on writing.
pg_dump --format=custom --no-owner --no-privileges --file="$part/database.dump"
if [ -n "$blobs" ]; then
  tar -cf "$part/blobs.tar" -C "$blobs" .
fi
psql --no-psqlrc --quiet --tuples-only --no-align \
  --command="select 'schema ' || max(version) from schema_version" > "$part/about.txt"
date -u '+made %Y-%m-%dT%H:%M:%SZ' >> "$part/about.txt"
(cd "$part" && sha256sum -- * > SHA256SUMS)
mv "$part" "$target"
trap - EXIT INT TERM
echo "The backup is in $target."
