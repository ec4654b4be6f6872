import type { ShellContext } from './command-analysis.ts'
import { isDangerousName } from './environment-variables.ts'
import { gitFolders, isDuplicate } from './file-uses.ts'
import { gitCommand } from './programs/git.ts'
import type { ArgumentCheck } from './programs/program.ts'
import { asksVersion, isChosenByFolder, programs } from './programs/programs.ts'
import { fieldsOf, isWhole } from './read-word.ts'
import type { CommandFinding } from './shell-state.ts'
import { interpreterOf, shells, wrappers } from './wrappers.ts'

/** Folders whose programs can be trusted by name. */
const systemFolder = /^\/(usr\/)?(local\/)?s?bin$|^\/opt\/homebrew\/bin$/

/** Applies the program's rules to its exact arguments. Returns undefined if the program has none. */
export function examineArguments(argv: readonly string[] | null): ArgumentCheck | undefined {
  if (argv === null) return undefined
  const [path = '', ...words] = argv
  const name = path.slice(path.lastIndexOf('/') + 1)
  return programs.get(name)?.look(words, name)
}

/**
 * Returns why a command may do more than read, or undefined if it is harmless. `look` is the result of
 * `examineArguments(argv)`.
 */
export function whyNotHarmless(
  found: CommandFinding,
  argv: readonly string[] | null,
  look: ArgumentCheck | undefined,
  place: ShellContext,
): string | undefined {
  const unsafe = found.assignments.find(({ safe }) => !safe)
  if (unsafe !== undefined) return `It sets ${unsafe.name}.`
  const written = found.redirections.find(({ operator, target }) => !writesNoFile(operator, target.value))
  if (written !== undefined) return `It redirects to or from "${written.target.text}".`
  if (found.pieces.length === 0) return undefined
  if (argv === null) return 'Some of its arguments are only known at run time.'
  if (found.remote) return 'It runs on another machine or in another environment.'
  const [path = '', ...words] = argv
  const slash = path.lastIndexOf('/')
  if (slash !== -1 && !systemFolder.test(path.slice(0, slash))) return `"${path}" is not a known program.`
  const name = path.slice(slash + 1)
  const program = programs.get(name)
  // A separate program cannot run bash builtins.
  const isBuiltin = program?.builtin === true && slash === -1 && !found.via.some((by) => isSeparateProgram(by))
  if (!isBuiltin) {
    if (program === undefined && !asksVersion(name, words)) return `"${name}" may do more than read.`
    if (slash === -1 && place.isProgram?.(name) === false) return `"${name}" is not the usual program here.`
  }
  if (asksVersion(name, words))
    return found.cwds?.every((cwd) => !isChosenByFolder(name, cwd)) === true
      ? undefined
      : `A file in this folder may choose which "${name}" runs.`
  if (look === undefined || look.why !== undefined) return look?.why ?? `"${name}" may do more than read.`
  return name === 'git' ? whyGitNotHarmless(found, words, place) : undefined
}

function isSeparateProgram(by: string): boolean {
  return wrappers.has(by) && !/^(command|builtin|exec|time)$/.test(by)
}

/** Git runs programs named in the repository's own settings, so the repository must have none of these. */
function whyGitNotHarmless(
  { cwds }: CommandFinding,
  words: readonly string[],
  place: ShellContext,
): string | undefined {
  if (place.terminal === true && gitCommand(words).paged)
    return 'In a terminal, git starts a pager, which can start anything.'
  const plain = gitFolders(cwds, words)?.every((cwd) => place.isPlainRepository?.(cwd) === true)
  return plain === true ? undefined : 'Git may run programs configured in this folder.'
}

function writesNoFile(operator: string, target: string | null): boolean {
  if (isDuplicate(operator, target)) return true
  if (target === null) return false
  if (operator === '<') return !/^\/dev\/(tcp|udp)\//.test(target)
  return target === '/dev/null' && /^(>|>>|>\||&>|&>>|>&)$/.test(operator)
}

/** Programs that only read, with any options, in addition to those with their own rules. */
const readers = new Set(
  `less more most bat batcat exa eza lsd tldr man info apropos whatis help printenv locale tput getconf lscpu lsblk lsmem lsusb lspci lsof
  pgrep pidof top vmstat iostat ss netstat w who users last finger dmesg journalctl ldd nm objdump readelf otool size
  zcat bzcat xzcat zstdcat zgrep zless gzcat unxz lzcat iconv numfmt shuf tsort fmt pr bc dc cal ncal banner figlet
  pstree xmllint yq tomlq xq cloc tokei scc wdiff colordiff delta ack ag ugrep pcregrep gron csvlook csvcut mlr
  sha3sum b3sum xxh64sum mediainfo exiftool identify pdfinfo pdftotext ffprobe
  caller times umask ulimit dirs history jobs wait
  sleep yes`.split(/\s+/),
)
/** Builtins that only affect the current shell, which exits with the command. */
const shellBuiltins = new Set(
  'export declare typeset readonly local read mapfile readarray getopts let set unset shopt shift return break continue exit alias unalias'.split(
    ' ',
  ),
)
/** Read-only subcommands of package managers, of one or two words. `$` marks one without arguments. */
const listings: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: new Set(
      'ls list ll la root prefix bin explain why query -v run$'
        .split(' ')
        .concat('config get', 'config list', 'pkg get'),
    ),
    pnpm: new Set(['ls', 'list', 'why', '-v']),
    yarn: new Set(['list', 'why', '-v']),
    pip: new Set(['list', 'show', 'freeze', 'check']),
    pip3: new Set(['list', 'show', 'freeze', 'check']),
    cargo: new Set(['tree', 'metadata', '-V']),
    go: new Set(['version', 'list', 'doc', 'env']),
    gem: new Set(['list']),
    brew: new Set(['list', '--prefix']),
    apt: new Set(['list', 'show', 'policy']),
    dpkg: new Set(['-l', '-L', '-s', '-S']),
    java: new Set(['-version']),
    node: new Set(['-v']),
    python: new Set(['-V']),
    python3: new Set(['-V']),
  }),
)
/** Git subcommands allowed in a read-only sandbox. */
const gitVerbs = new Set(
  `status log show diff shortlog blame annotate branch tag remote stash worktree reflog rev-parse rev-list ls-files ls-tree
  cat-file merge-base name-rev describe show-ref show-branch for-each-ref count-objects check-ignore check-attr grep
  config diff-tree diff-index diff-files whatchanged range-diff cherry var help version verify-commit verify-tag bisect
  notes submodule symbolic-ref rerere bundle`.split(/\s+/),
)
const gitWrites =
  /^(-d|-D|-m|-M|-c|-C|-f|--delete|--move|--copy|--force|--edit-description|--set-upstream-to.*|-u|--unset-upstream|--unset.*|--add|--replace-all|--edit|-e|--rename-section|--remove-section|--output.*|--global|--system)$/
const gitWritingWords =
  /^(add|remove|rename|set-url|set-head|prune|update|push|pop|drop|clear|apply|save|create|store|expire|delete|start|good|bad|skip|reset|run|replay|terms|init|deinit|sync|absorbgitdirs|foreach|set-branch|move|lock|unlock|repair|append|copy|edit|merge|unbundle|forget)$/

/**
 * Returns why a command seems to do more than read, or undefined. Used for commands in a sandbox without writes or
 * network, where anything missed here fails.
 */
export function whyNotContained(found: CommandFinding): string | undefined {
  const unsafe = found.assignments.find(({ name }) => isDangerousName(name))
  if (unsafe !== undefined) return `It sets ${unsafe.name}.`
  for (const { operator, target } of found.redirections) {
    if (isDuplicate(operator, target.value) || operator === '<') {
      if (/^\/dev\/(tcp|udp)\//.test(target.fields[0] ?? '')) return 'It opens a connection.'
    } else if (!/^\/dev\/(null|stdout|stderr|fd\/\d+)$/.test(target.value ?? '')) {
      return `It writes to "${target.text}".`
    }
  }
  const { name } = found
  if (found.pieces.length === 0) return undefined
  if (name === null) return 'What it runs is only known at run time.'
  if (found.remote) return 'It runs on another machine or in another environment.'
  if (
    found.pieces[0]?.field.includes('/') === true &&
    !/^\/(usr\/)?(local\/)?s?bin\/[^/]+$/.test(found.pieces[0].field)
  )
    return `"${found.pieces[0].field}" is not a known program.`
  const words = fieldsOf(found.pieces.slice(1))
  if (words.length === 1 && /^--(version|help)$/.test(words[0] ?? '')) return undefined
  if (isListing(name, words)) return undefined
  if (name === 'git') return whyGitNotContained(words)
  if (shellBuiltins.has(name))
    return words.some((word) => !isWhole(word) || isDangerousName(/^\w*/.exec(word)?.[0] ?? ''))
      ? `"${name}" may change later commands.`
      : undefined
  if (name === 'sudo' || name === 'doas' || name === 'su') return 'It asks for more privileges.'
  if (found.file) return 'It runs a file.'
  if (/^(env|xargs|command|builtin|exec|eval|busybox|coproc)$/.test(name) || shells.has(name)) return undefined
  if (wrappers.get(name)?.transparent === true)
    return words.some((word) => /^(-o|--output)/.test(word)) && name === 'time' ? 'It writes a file.' : undefined
  if (readers.has(name)) return undefined
  if (programs.has(name)) return whyReaderNotContained(name, words)
  if (interpreterOf(name) !== undefined) return `"${name}" may do anything.`
  return `"${name}" may do more than read.`
}

function isListing(name: string, words: readonly string[]): boolean {
  const [verb = '', next = ''] = words
  const known = listings.get(name)
  if (known?.has(verb) === true || known?.has(`${verb} ${next}`) === true) return true
  if (words.length === 1 && known?.has(`${verb}$`) === true) return true
  // Without a dash, too: `tar tf`, `tar -tzvf`.
  return (name === 'tar' && /^-?t[zjJvf]+$/.test(verb)) || (name === 'unzip' && /^-[lvZ]$/.test(verb))
}

function whyReaderNotContained(name: string, words: readonly string[]): string | undefined {
  const writes: Record<string, RegExp> = {
    sort: /^(-[a-zA-Z]*o|--o|--co)/,
    find: /^-(delete|fprint0?|fprintf|fls)$/,
    date: /^(-[a-zA-Z]*s$|--set)/,
    tree: /^-o/,
    file: /^(-[a-zA-Z]*C|--compile)/,
    hostname: /^[^-]|^-[Fb]/,
    base64: /^(-o|--output)/,
    xxd: /^-r/,
    printf: /^-v/,
    fd: /^(-[a-zA-Z]*[xX]$|--exec)/,
  }
  if (/^([gmn]?awk|g?sed)$/.test(name)) {
    const look = programs.get(name)?.look(words, name)
    return look?.why
  }
  const word = words.find((one) => writes[name]?.test(one) === true)
  if (word !== undefined) return `"${name} ${word}" writes.`
  return (name === 'uniq' || name === 'xxd') && words.filter((one) => !one.startsWith('-')).length > 1
    ? `"${name}" writes to its second file.`
    : undefined
}

function whyGitNotContained(words: readonly string[]): string | undefined {
  const at = words.findIndex(
    (word, index) =>
      !word.startsWith('-') && !/^(-C|-c|--git-dir|--work-tree|--namespace)$/.test(words[index - 1] ?? ''),
  )
  const before = at === -1 ? words : words.slice(0, at)
  if (before.some((word) => /^(-c|--config-env|--exec-path)/.test(word))) return 'It passes settings to git.'
  if (at === -1) return undefined
  const verb = words[at] as string
  const rest = words.slice(at + 1)
  if (!gitVerbs.has(verb)) return `"git ${verb}" may change something.`
  const option = rest.find((word) => gitWrites.test(word))
  // For other subcommands the same letters are display options.
  if (
    option !== undefined &&
    /^(branch|tag|remote|stash|config|worktree|notes|reflog|submodule|bisect|symbolic-ref|bundle)$/.test(verb)
  )
    return `"git ${verb} ${option}" changes something.`
  if (rest.some((word) => word.startsWith('--output'))) return 'It writes a file.'
  const words_ = rest.filter((word) => !word.startsWith('-'))
  if (
    /^(remote|stash|worktree|reflog|submodule|bisect|notes|rerere|bundle)$/.test(verb) &&
    gitWritingWords.test(words_[0] ?? '')
  )
    return `"git ${verb} ${words_[0] ?? ''}" changes something.`
  if (verb === 'stash' && words_.length === 0) return '"git stash" changes files.'
  const lists = rest.some((word) =>
    /^(-l|--list|-a|-r|--all|--remotes|--contains|--merged|--no-merged|--points-at|--sort|--format|-n|-v|-vv|--show-current)/.test(
      word,
    ),
  )
  if (/^(branch|tag)$/.test(verb) && words_.length > 0 && !lists) return `"git ${verb}" creates one.`
  if (
    verb === 'config' &&
    words_.length > 1 &&
    !rest.some((word) => /^(--get|--list|get|list)/.test(word)) &&
    !/^(get|list)$/.test(words_[0] ?? '')
  )
    return '"git config" changes a setting.'
  if (verb === 'symbolic-ref' && words_.length > 1) return '"git symbolic-ref" changes a reference.'
  return undefined
}
