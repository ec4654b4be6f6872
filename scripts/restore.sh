#!/bin/sh
# Restores a backup into an empty database: stop all nodes first.
#   TROUPE_DATABASE_URL=postgres://… scripts/restore.sh <folder of the backup> [<folder of blobs>]
set -eu
umask 077

fail() {
  echo "restore: $1" >&2
  exit 1
}

[ $# -ge 1 ] || fail "name the folder of the backup"
[ -n "${TROUPE_DATABASE_URL:-}" ] || fail "set TROUPE_DATABASE_URL"
source=$1
blobs=${2:-}
[ -f "$source/SHA256SUMS" ] || fail "$source is not a backup"
(cd "$source" && sha256sum --check --quiet --strict SHA256SUMS) || fail "the backup is damaged"
if [ -f "$source/blobs.tar" ]; then
  [ -n "$blobs" ] || fail "the backup has blobs: name the folder for them"
fi

# shellcheck source=scripts/lib/database-url.sh
. "$(dirname "$(readlink -f "$0")")/lib/database-url.sh"
use_database_url "$TROUPE_DATABASE_URL" || fail "TROUPE_DATABASE_URL is not a postgres:// address"

tables=$(psql --no-psqlrc --quiet --tuples-only --no-align \
  --command="select count(*) from pg_tables where schemaname not in ('pg_catalog', 'information_schema')")
[ "$tables" = 0 ] || fail "the database is not empty. Restore into a new one"

# All or nothing.
pg_restore --single-transaction --exit-on-error --no-owner --no-privileges \
  --dbname="$PGDATABASE" "$source/database.dump"
if [ -f "$source/blobs.tar" ]; then
  mkdir -p "$blobs"
  tar -xf "$source/blobs.tar" -C "$blobs"
fi
echo "Restored. Start the nodes with the TROUPE_SECRET_KEY of the backup."
