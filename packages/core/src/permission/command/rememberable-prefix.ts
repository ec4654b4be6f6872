import { quoteWords } from '../command-pattern.ts'
import { interpreterOf, shells, wrappers } from './wrappers.ts'

/**
 * Beginnings under which nothing else can be run, whatever words follow. Not here, although they seem to belong: what
 * takes a program as an option (`git fetch`, `git grep`, `sort`, `rg`, `find`, `cargo`, `go build`, `npm run` with
 * options), and what runs settings of its own (`eslint`, `pytest`).
 */
const safePrefixes: ReadonlySet<string> = new Set([
  ...'status log diff show blame add commit rev-parse ls-files describe shortlog'
    .split(' ')
    .map((verb) => `git ${verb}`),
  ...'ps images logs inspect'.split(' ').map((verb) => `docker ${verb}`),
  ...'pr issue run repo release'.split(' ').flatMap((noun) => [`gh ${noun} view`, `gh ${noun} list`]),
  ...'ls cat head tail wc stat du df grep touch mkdir rmdir cut tr nl'.split(' '),
])

/** What runs anything in ways of its own: not even the very same words are offered. */
const unrestrictedPrograms: ReadonlySet<string> = new Set(
  `eval source . exec trap alias export declare typeset set shopt enable hash env sudo doas su pkexec xargs parallel ssh
  scp sftp rsync nc ncat netcat socat telnet at batch crontab watch entr expect screen tmux script vi vim nvim emacs ed ex
  gdb lldb strace systemctl launchctl dd mount umount chroot nsenter unshare curl wget find awk gawk mawk sed`.split(
    /\s+/,
  ),
)

/**
 * The pattern that is offered for remembering a command: `npm run build` for itself, `git diff *` for `git diff --stat`.
 * Never one under which something else could run: otherwise the very words, or nothing when these are code.
 */
export function rememberablePrefix(argv: readonly string[]): string | null {
  const [name = '', ...words] = argv
  if (name === '' || argv.some((word) => word.length > 200 || /[\n\r\0]/.test(word))) return null
  for (const count of [1, 2, 3]) {
    const first = argv.slice(0, count)
    if (first.length < count || !safePrefixes.has(first.join(' '))) continue
    return argv.length > count ? `${quoteWords(first)} *` : quoteWords(first)
  }
  const bare = name.slice(name.lastIndexOf('/') + 1)
  if (unrestrictedPrograms.has(bare)) return null
  // A file that it is named, not code that it is given.
  if (shells.has(bare) || interpreterOf(bare) !== undefined)
    return !/[./]/.test(words[0] ?? '') || words.some((word) => word.startsWith('-')) ? null : quoteWords(argv)
  const wrapper = wrappers.get(bare)
  if (wrapper !== undefined && (wrapper.verbs === undefined || wrapper.verbs.includes(words[0] ?? ''))) return null
  return bare === 'git' && words[0]?.startsWith('-') !== false ? null : quoteWords(argv)
}
