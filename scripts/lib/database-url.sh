# shellcheck shell=sh
# Sets the variables that Postgres programs read from a postgres:// address: use_database_url <address>

decode() {
  printf '%s' "$1" | LC_ALL=C awk '
    function hex(two,  digits) {
      digits = "0123456789abcdef"
      two = tolower(two)
      return (index(digits, substr(two, 1, 1)) - 1) * 16 + index(digits, substr(two, 2, 1)) - 1
    }
    {
      while (match($0, /%[0-9A-Fa-f][0-9A-Fa-f]/)) {
        printf "%s%c", substr($0, 1, RSTART - 1), hex(substr($0, RSTART + 1, 2))
        $0 = substr($0, RSTART + 3)
      }
      printf "%s", $0
    }'
}

use_database_url() {
  case $1 in
    postgres://* | postgresql://*) ;;
    *) return 1 ;;
  esac
  rest=${1#*://}
  options=
  case $rest in *\?*)
    options=${rest#*\?}
    rest=${rest%%\?*}
    ;;
  esac
  case $rest in */*)
    PGDATABASE=$(decode "${rest#*/}")
    export PGDATABASE
    rest=${rest%%/*}
    ;;
  esac
  case $rest in *@*)
    login=${rest%@*}
    rest=${rest##*@}
    PGUSER=$(decode "${login%%:*}")
    export PGUSER
    case $login in *:*)
      PGPASSWORD=$(decode "${login#*:}")
      export PGPASSWORD
      ;;
    esac
    ;;
  esac
  case $rest in
    *:*)
      PGHOST=${rest%:*}
      PGPORT=${rest##*:}
      export PGPORT
      ;;
    *) PGHOST=$rest ;;
  esac
  PGHOST=$(printf '%s' "$PGHOST" | tr -d '[]')
  export PGHOST
  for pair in $(printf '%s' "$options" | tr '&' ' '); do
    case $pair in
      sslmode=*) export PGSSLMODE="${pair#*=}" ;;
      sslrootcert=*)
        PGSSLROOTCERT=$(decode "${pair#*=}")
        export PGSSLROOTCERT
        ;;
    esac
  done
}
