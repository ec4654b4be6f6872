import { isDangerousName } from './environment-variables.ts'
import { isDuplicate } from './file-uses.ts'
import { isListing, printsInlineCode } from './listing-commands.ts'
import { isPlainGitSetting } from './programs/git.ts'
import { programs } from './programs/programs.ts'
import { fieldsOf, isWhole } from './read-word.ts'
import type { CommandFinding } from './shell-state.ts'
import { interpreterOf, shells, wrappers } from './wrappers.ts'

/** Programs that only read, with any options, in addition to those with their own rules. */
const readers = new Set(
  `less more most bat batcat exa eza lsd tldr man info apropos whatis help printenv locale tput getconf lscpu lsblk lsmem lsusb lspci lsof
  pgrep pidof top vmstat iostat ss netstat w who users last finger dmesg journalctl ldd nm objdump readelf otool size
  zcat bzcat xzcat zstdcat zgrep zless gzcat unxz lzcat iconv numfmt shuf tsort fmt pr bc dc cal ncal banner figlet
  pstree xmllint yq tomlq xq cloc tokei scc wdiff colordiff delta ack ag ugrep pcregrep gron csvlook csvcut mlr
  sha3sum b3sum xxh64sum mediainfo exiftool identify pdfinfo pdftotext ffprobe hexyl jless glow dasel
  whereis getent lsb_release fc-list fc-match zipinfo zipgrep bzgrep xzgrep lzgrep bzless xzless lsmod findmnt apt-cache dpkg-query shellcheck
  caller times umask ulimit dirs history jobs wait
  sleep yes`.split(/\s+/),
)
/** Builtins that only affect the current shell, which exits with the command. */
const shellBuiltins = new Set(
  'export declare typeset readonly local read mapfile readarray getopts let set unset shopt shift return break continue exit alias unalias pushd popd'.split(
    ' ',
  ),
)
/** Git subcommands allowed in a read-only sandbox. */
const gitVerbs = new Set(
  `status log show diff shortlog blame annotate branch tag remote stash worktree reflog rev-parse rev-list ls-files ls-tree
  cat-file merge-base name-rev describe show-ref show-branch for-each-ref count-objects check-ignore check-attr grep
  config diff-tree diff-index diff-files whatchanged range-diff cherry var help version verify-commit verify-tag bisect
  notes submodule symbolic-ref rerere bundle fsck`.split(/\s+/),
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
  // For `read` alone, it says how the line is split.
  const unsafe = found.assignments.find(
    ({ name, safe }) => !safe && isDangerousName(name) && !(name === 'IFS' && found.name === 'read'),
  )
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
  if (/^node(js)?$/.test(name) && /^(--check|-c)$/.test(words[0] ?? '') && words.length === 2) return undefined
  if (/^(env|xargs|command|builtin|exec|eval|busybox|coproc|watch)$/.test(name) || shells.has(name)) return undefined
  if (wrappers.get(name)?.transparent === true)
    return words.some((word) => /^(-o|--output)/.test(word)) && name === 'time' ? 'It writes a file.' : undefined
  if (readers.has(name)) return undefined
  if (found.prints === true) return undefined
  if (interpreterOf(name) !== undefined) return printsInlineCode(name, words) ? undefined : `"${name}" may do anything.`
  if (programs.has(name)) return whyReaderNotContained(name, words)
  return `"${name}" may do more than read.`
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
  }
  const rules = programs.get(name)
  // In the idiom `[^\/]`, versions of sed agree on where the bracket ends.
  const plain = /^g?sed$/.test(name) ? words.map((one) => one.replaceAll('[^\\/]', '[^ ]')) : words
  if (rules?.partial === true || /^([gmn]?awk|g?sed)$/.test(name)) return rules?.look(plain, name).why
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
  const isSetting = (word: string, index: number): boolean =>
    word === '-c' ? !isPlainGitSetting(before[index + 1] ?? '') : /^(-c|--config-env|--exec-path)/.test(word)
  if (before.some(isSetting)) return 'It passes settings to git.'
  if (at === -1) return undefined
  const verb = words[at] as string
  const rest = words.slice(at + 1)
  if (!gitVerbs.has(verb)) return `"git ${verb}" may change something.`
  const isShown = rest.some((word) => /^(-l|--list|--get.*)$/.test(word))
  const option = rest.find((word) => gitWrites.test(word) && !(isShown && /^--(global|system)$/.test(word)))
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
