import { isWhole } from './read-word.ts'

/**
 * Subcommands that only show something, of one or two words. `$` marks one without arguments. Those that ask a daemon fail
 * in the sandbox, approved or not.
 */
const listings: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: 'ls, list, ll, la, root, prefix, bin, explain, why, query, help, -v, run$, config get, config list, pkg get',
    pnpm: 'ls, list, why, -v',
    yarn: 'list, why, -v',
    pip: 'list, show, freeze, check',
    pip3: 'list, show, freeze, check',
    cargo: 'tree, metadata, -V',
    go: 'version, list, doc, env',
    gem: 'list',
    brew: 'list, --prefix',
    apt: 'list, show, policy',
    'apt-mark': 'showhold, showmanual, showauto',
    dpkg: '-l, -L, -s, -S, -p, --list, --listfiles, --status, --search, --get-selections',
    rpm: '-q, -qa, -qi, -ql, -qf, -qR, --query',
    java: '-version',
    javac: '-version',
    node: '-v',
    python: '-V, -m json.tool, -m pip list, -m pip show, -m pip freeze',
    python3: '-V, -m json.tool, -m pip list, -m pip show, -m pip freeze',
    crontab: '-l',
    hostnamectl: '$, status, hostname',
    timedatectl: '$, status, show, list-timezones',
    loginctl: '$, list-sessions, list-users',
    make: '-n, -q, -p, -qp, -pn, --dry-run, --just-print, --question',
    'docker-compose': 'ps, ls, version, config, logs, images, top',
    swapon: '--show, -s',
    stty: '$, -a, size$, --all',
    mount: '$, -l$',
    ifconfig: '$, -a$',
    docker:
      'ps, images, logs, inspect, version, info, top, port, stats, history, image ls, container ls, network ls, network inspect, volume ls, volume inspect, context ls, system df, compose ps, compose ls, compose version, compose config, compose logs, compose images, compose top',
    systemctl:
      'status, is-active, is-enabled, is-failed, list-units, list-unit-files, list-timers, list-sockets, list-dependencies, cat, show, get-default, $, --failed$',
    kubectl:
      'get, describe, logs, version, top, explain, api-resources, api-versions, cluster-info, config view, config current-context, config get-contexts, config get-clusters, rollout status, rollout history, auth can-i',
    helm: 'list, ls, status, version, history',
    terraform: 'version, show, output, providers, state list, state show, workspace list, workspace show',
  }).map(([name, line]) => [name, new Set(line.split(', '))]),
)
/** With one of these options a compressor prints instead of replacing the file. */
const compressors = /^(gzip|gunzip|bzip2|bunzip2|xz|unxz|lzma|unlzma|zstd|unzstd|lz4|brotli)$/
const printsOnly = /^(-[a-zA-Z0-9]*[clt][a-zA-Z0-9]*|--(stdout|to-stdout|list|test))$/
/** True for a command that only lists or shows something, judged by its subcommand. */
export function isListing(name: string, words: readonly string[]): boolean {
  const [verb = '', next = '', third = ''] = words
  const known = listings.get(name)
  // These take options before the subcommand.
  const at = /^(systemctl|kubectl|docker)$/.test(name)
    ? words.findIndex((word) => !/^--?[a-z-]+(=.*)?$/.test(word))
    : -1
  if (at > 0 && known?.has(words[at] as string) === true) return true
  if ([verb, `${verb} ${next}`, `${verb} ${next} ${third}`].some((words_) => known?.has(words_) === true)) return true
  if (words.length <= 1 && known?.has(`${verb}$`) === true) return true
  if (compressors.test(name)) return words.some((word) => printsOnly.test(word))
  if (name === 'tar') return listsArchive(words)
  if (name === 'unzip') return /^-(?=.*[lvtpcZ])[qlvtpcZ12smhTz]+$/.test(verb)
  if (name === 'sysctl') return words.every((word) => /^(-[aAnNeq]+|--(all|values|names)|[a-z][\w.-]*)$/.test(word))
  if (name === 'ip') return showsNetwork(words)
  // The program of the project, if it has one. There is no network to fetch another.
  if (name === 'npx') return words.length === 2 && /^[a-z][\w.-]*$/.test(verb) && /^(-v|--version|--help)$/.test(next)
  if (name === 'sqlite3') return queriesDatabase(words)
  return name === 'openssl' && showsCertificate(words)
}

/** Lists an archive or prints its files. Without a dash, too: `tar tf`, `tar -tzvf`, `tar -xOf`. */
function listsArchive(words: readonly string[]): boolean {
  const [first = '', ...others] = words
  const plain = others.every(
    (word) => !/^-(?!-?[a-zA-Z-]*$)|^--(to|use|check|rsh|info|new|rem)|^-[a-zA-Z]*[IF]/.test(word),
  )
  if (!plain) return false
  return first === '--list' || /^-?(?=\w*t)[tzjJvfaPp]+$/.test(first) || /^-?(?=\w*x)(?=\w*O)[xOzjJvfap]+$/.test(first)
}

function showsNetwork(words: readonly string[]): boolean {
  const [object = '', verb = 'show'] = words.filter((word) => !word.startsWith('-'))
  if (words.some((word) => /^-(b|batch|force|n|netns|all)$/.test(word))) return false
  return /^(a|addr|address|l|link|r|ro|route|n|neigh|rule|maddr)$/.test(object) && /^(s|show|list|ls|get)$/.test(verb)
}

/** Runs queries and harmless dot-commands. */
function queriesDatabase(words: readonly string[]): boolean {
  const options = words.filter((word) => word.startsWith('-'))
  const [, ...statements] = words.filter((word) => !word.startsWith('-'))
  const isShown = (text: string): boolean =>
    /^\s*(select|pragma\s+\w+(\(\w+\))?\s*;?\s*$|explain|with|values)\b/i.test(text)
      ? !/\b(insert|update|delete|drop|alter|create|attach|vacuum|replace|writefile|load_extension|edit)\b/i.test(text)
      : /^\.(tables|schema|indexes|indices|databases|fullschema|dbinfo|dump|headers (on|off)|mode \w+)( [\w%*]+)?$/.test(
          text,
        )
  const plain =
    /^-{1,2}(readonly|header|noheader|column|csv|json|line|list|markdown|table|box|batch|safe|html|quote|tabs)$/
  return statements.length > 0 && options.every((word) => plain.test(word)) && statements.every(isShown)
}

function showsCertificate([verb = '', ...words]: readonly string[]): boolean {
  if (
    words.some((word) => /^-(out\w*|new\w*|sign\w*|CA\w*|engine|provider\S*|rand|writerand|key\w*|config)$/.test(word))
  )
    return false
  return (
    /^(version|list|ciphers|asn1parse|verify|crl|errstr|prime|help|x509|dgst)$/.test(verb) ||
    (verb === 'req' && words.includes('-noout'))
  )
}

const pythonImports = /\bfrom\s+(\S+)\s+import\b|\bimport\s+([^;\n]+)/g
/** Modules that start programs, change files or use the network. */
const pythonChanges =
  /^\s*(subprocess|shutil|socket\w*|ctypes|urllib\S*|http\S*|ftplib|smtplib|telnetlib|ssl|asyncio|multiprocessing|threading|signal|pty|pickle|marshal|code|runpy|tempfile|webbrowser|antigravity|builtins|importlib(?!\.metadata)\S*)\b/

/**
 * True for code on the command line that only computes and prints, such as `node -p process.version`. It is a guess: the
 * sandbox holds what it misses.
 */
export function printsInlineCode(name: string, words: readonly string[]): boolean {
  const [option = '', code = '', ...others] = words
  if (!isWhole(code)) return false
  if (others.length > 0 && !/^python3?$/.test(name)) return false
  const names = code.replaceAll(/\\./gs, '')
  if (/^(node|nodejs|bun)$/.test(name) && /^(-p|-e|-pe|--print|--eval)$/.test(option)) {
    const loaded = [...names.matchAll(/require\(([^)]*)\)/g)].map(([, module = '']) => module.slice(1, -1))
    return (
      loaded.every((module) => /^(node:)?(os|path|util|url|fs|v8|crypto)$|^\.[\w./-]*\.json$/.test(module)) &&
      !/`|\[['"]|\b(write\w*|append\w*|unlink\w*|rm\w*|mk\w*|rename\w*|copy\w*|cp(Sync)?|ch\w*|exec\w*|spawn\w*|fork|kill|bind\w*|dlopen|eval|Function|constructor|import|fetch|WebSocket|http\w*|net|open\w*|\w*link\w*|truncate\w*|utimes\w*|global\w*|Reflect|mainModule|module|load\w*|create\w*|process\.(?!versions?\b|platform\b|arch\b|cwd\b|argv\b|release\b|uptime\b|memoryUsage\b|execPath\b|env\.\w+)\w*)\b/.test(
        names,
      )
    )
  }
  if (!/^python3?$/.test(name) || option !== '-c') return false
  const modules = [...names.matchAll(pythonImports)].flatMap(([, from, list = '']) => from ?? list.split(','))
  return (
    !modules.some((module) => pythonChanges.test(module)) &&
    !/\bopen\([^)]*,\s*(?:mode\s*=\s*)?['"][^'"]*[wax+]/.test(names) &&
    !/\b(eval|exec\w*|(?<!re\.)compile|__(?!version__|name__|file__|doc__)\w+|os\.(?!cpu_count|path|listdir|getcwd|walk|scandir|sep\b|name\b|stat\b|environ|getenv|uname|getpid|getppid|sysconf|getloadavg|linesep|fspath|access\b|readlink)\w+|system|popen|spawn\w*|fork\w*|remove|unlink|rm\w*|rename|mk\w*|write\w*|ch(mod|own)|kill|socket|urllib|requests\.(?!__version__)\w+|http|subprocess|shutil|ctypes|touch|symlink\w*|truncate|extract\w*|save\w*|to_(?:csv|json|excel|parquet|sql|pickle)|input|globals|locals|vars|getattr|setattr|delattr|modules|builtins|breakpoint|dump)\b/.test(
      names,
    )
  )
}
