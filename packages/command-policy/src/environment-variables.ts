/**
 * Variables that change which programs run, what they load or what they read: for the loader, the shell, program
 * lookup, and options that programs read from the environment.
 */
const dangerous = new Set(
  `PATH IFS CDPATH ENV HOME SHELL SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND FPATH GLOBIGNORE EXECIGNORE FIGNORE INPUTRC
  POSIXLY_CORRECT TMPDIR TMP TEMP TERMINFO TERMINFO_DIRS TERMCAP LOCPATH NLSPATH GCONV_PATH GLIBC_TUNABLES HOSTALIASES
  LOCALDOMAIN RES_OPTIONS GETCONF_DIR TZDIR AWKPATH AWKLIBPATH GREP_OPTIONS RIPGREP_CONFIG_PATH MAGIC
  LESSOPEN LESSCLOSE LESS LESSKEY LESSKEYIN LESSSECURE PAGER MANPAGER MANOPT MANPATH EDITOR VISUAL BROWSER PWD OLDPWD
  CC CXX LD AR AS CPP CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS CMAKE_TOOLCHAIN_FILE
  CLASSPATH JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS JAVA_HOME MAVEN_OPTS GRADLE_OPTS SBT_OPTS
  TAR_OPTIONS RSYNC_RSH RSYNC_CONNECT_PROG SUDO_ASKPASS TEXTDOMAIN TEXTDOMAINDIR
  PHPRC PHP_INI_SCAN_DIR LUA_PATH LUA_CPATH LUA_INIT R_PROFILE R_ENVIRON OPENSSL_CONF SSLKEYLOGFILE CURL_HOME WGETRC
  RUSTC RUSTDOC RUSTFLAGS RUSTC_WRAPPER RUSTUP_TOOLCHAIN RUSTUP_HOME ERL_LIBS ELIXIR_ERL_OPTIONS PSQLRC PGSERVICEFILE
  VIMINIT EXINIT VIM MYVIMRC EMACSLOADPATH XDG_CONFIG_HOME XDG_DATA_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS HISTFILE
  MAIL MAILPATH HOSTFILE TIMEFORMAT PS_FORMAT PS_PERSONALITY GZIP XZ_OPT XZ_DEFAULTS BZIP BZIP2 ZSTD_CLEVEL UNZIP UNZIPOPT
  ZIPINFO ZIPINFOOPT TAPE BC_ENV_ARGS BC_LINE_LENGTH LSOFDEVCACHE LSOFPERSDCACHE`.split(/\s+/),
)
const dangerousFamily =
  /^(LD_|DYLD_|BASH_|GIT_|NODE_|NPM_|npm_|YARN_|PNPM_|COREPACK_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|CARGO_|GO[A-Z]|DOTNET_|COMPLUS_|MALLOC_|GUILE_|TCL|SSH_|DOCKER_|KUBE|AWS_|GCC_|PKG_|DENO_|BUN_)|_proxy$/i

/** Variables that may precede any command without really changing what it does. */
const safe = new Set(
  `CI NODE_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE TERM COLORTERM COLUMNS LINES LANG LANGUAGE TZ DEBUG VERBOSE
  RUST_BACKTRACE RUST_LOG LOG_LEVEL PORT TEST PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE BLOCK_SIZE LS_COLORS
  GREP_COLORS GREP_COLOR JQ_COLORS TIME_STYLE QUOTING_STYLE`.split(/\s+/),
)
/** Rejects file paths: allows `TZ=Europe/Paris` and `LC_ALL=C.UTF-8`, rejects `TZ=:/etc/shadow` and `LANG=../x`. */
const plainValue = /^(?!.*\.\.)(?![/:])[A-Za-z0-9_.@+,:=*-]*(?:\/[A-Za-z0-9_+-]+)*$/

export function isDangerousName(name: string): boolean {
  return (dangerous.has(name) || dangerousFamily.test(name)) && !isSafeName(name)
}

/** Variables that bash sets itself or ignores assignments to. Their value may differ from the assigned one. */
const keptByShell =
  /^(_|BASH.*|COLUMNS|COMP_.*|COPROC.*|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HIST.*|HOSTNAME|HOSTTYPE|LINENO|LINES|MACHTYPE|MAPFILE|OLDPWD|OPTARG|OPTERR|OPTIND|OSTYPE|PIPESTATUS|PPID|PWD|RANDOM|READLINE_.*|REPLY|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID)$/

export function isKeptByShell(name: string): boolean {
  return keptByShell.test(name)
}

function isSafeName(name: string): boolean {
  return safe.has(name) || /^LC_[A-Z]+$/.test(name)
}

/**
 * True if a variable set for the rest of the script changes nothing. It may already be exported, so the value of one
 * that programs read must be plain.
 */
export function isSafeAssignment(name: string, value: string | null): boolean {
  return !isDangerousName(name) && (!isSafeName(name) || isSafeSetting(name, value))
}

/** These turn off what programs would start or write. */
const plainSettings = new Set(
  'PAGER=cat GIT_PAGER=cat MANPAGER=cat GIT_PAGER= PAGER= GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 SYSTEMD_PAGER='.split(
    ' ',
  ),
)

/** True if an assignment before a command does not change what the command does. */
export function isSafeSetting(name: string, value: string | null): boolean {
  if (plainSettings.has(`${name}=${value ?? ''}`) && value !== null) return true
  return isSafeName(name) && value !== null && plainValue.test(value)
}
