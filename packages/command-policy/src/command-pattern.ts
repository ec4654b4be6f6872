import { interpreterOf, shells, wrappers } from './wrappers.ts'

interface CommandWords {
  words: readonly string[]
  /** False if unknown words follow. */
  complete: boolean
}

export type CommandMatch = 'yes' | 'no' | 'maybe'

/** A pattern such as `npm run *`, split into words. Each is a literal, a literal with `*`, or any number of words. */
export interface CommandPattern {
  readonly words: readonly (string | ((word: string) => boolean) | typeof anyWords)[]
  /** The first word if literal. Lets callers skip most rules. */
  readonly first: string | undefined
  /** Stricter form for allow rules: a `*` in place of the program matches one program name, not a whole command. */
  readonly allowed: CommandPattern['words']
  /** True without a `*`: the pattern matches exactly one command. */
  readonly exact: boolean
}

const anyWords = Symbol('any words')

/**
 * Parses blank-separated words. Shell quotes and `\` keep blanks and `*` literal. A lone `*` matches any number of
 * words, a `*` within a word any characters. `git diff:*` means `git diff *`. Throws an Error with a message for the
 * user.
 */
export function parseCommandPattern(pattern: string): CommandPattern {
  const words = splitWords(pattern.replace(/:\*$/, ' *')).map(compileWord)
  if (words.length === 0) throw new Error('it is empty.')
  const [first] = words
  return {
    words,
    allowed: first === anyWords && words.length > 1 ? [isProgramName, ...words.slice(1)] : words,
    first: typeof first === 'string' ? first : undefined,
    exact: words.every((word) => typeof word === 'string'),
  }
}

function isProgramName(word: string): boolean {
  return !word.includes('/')
}

export function allowsCommand(pattern: CommandPattern, given: CommandWords): boolean {
  return matchCommand({ ...pattern, words: pattern.allowed }, given) === 'yes'
}

/** `maybe`: the result depends on unknown words. */
export function matchCommand(pattern: CommandPattern, { words, complete }: CommandWords): CommandMatch {
  const { words: wanted } = pattern
  // Fast path: the first words nearly always decide, without wildcard handling.
  for (let at = 0; at < words.length; at++) {
    const want = wanted[at]
    if (want === undefined) return 'no'
    if (typeof want !== 'string') break
    if (want !== words[at]) return 'no'
  }
  // All pattern positions reachable after the words so far.
  let places = reach(wanted, [0])
  for (const word of words) {
    const next: number[] = []
    for (const place of places) {
      const want = wanted[place]
      if (want === undefined) continue
      if (want === anyWords) next.push(place)
      else if (typeof want === 'string' ? want === word : want(word)) next.push(place + 1)
    }
    places = reach(wanted, next)
    if (places.length === 0) return 'no'
  }
  if (complete) return places.includes(wanted.length) ? 'yes' : 'no'
  const isOpen = places.includes(wanted.length) && wanted.at(-1) === anyWords
  return isOpen ? 'yes' : 'maybe'
}

/**
 * Matches for deny rules. The program may include its folder. Options before the subcommand are skipped (`git -C x
 * push` is `git push`). Short options may be reordered or split (`rm -f -r` is `rm -rf`).
 */
export function matchWidely(pattern: CommandPattern, given: CommandWords): CommandMatch {
  let best: CommandMatch = 'no'
  for (const words of readings(given.words)) {
    const match = stricter(matchCommand(pattern, { ...given, words }), matchFlags(pattern, { ...given, words }))
    if (match === 'yes') return 'yes'
    if (match === 'maybe') best = 'maybe'
  }
  return best
}

export function quoteWords(words: readonly string[]): string {
  return words.map((word) => (/^[^\s'"\\*()]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}

function reach(wanted: CommandPattern['words'], places: readonly number[]): number[] {
  const all = new Set<number>()
  for (let place of places) {
    all.add(place)
    while (wanted[place] === anyWords) all.add(++place)
  }
  return [...all]
}

interface Word {
  text: string
  stars: number[]
}

function compileWord({ text, stars }: Word): CommandPattern['words'][number] {
  if (stars.length === 0) return text
  if (stars.length === text.length) return anyWords
  const parts: string[] = []
  let from = 0
  for (const star of [...stars, text.length]) {
    parts.push(text.slice(from, star))
    from = star + 1
  }
  return (word) => fitsParts(parts, word)
}

/** True if the word consists of these parts with anything between them. Runs in one pass. */
function fitsParts(parts: readonly string[], word: string): boolean {
  const [start = '', ...rest] = parts
  const end = rest.pop() ?? ''
  if (word.length < start.length + end.length || !word.startsWith(start) || !word.endsWith(end)) return false
  let at = start.length
  for (const part of rest) {
    const found = word.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= word.length - end.length
}

function splitWords(pattern: string): Word[] {
  const words: Word[] = []
  let word: Word | undefined
  let quote = ''
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!
    if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= { text: '', stars: [] }
    if (char === quote) quote = ''
    else if (quote === '' && (char === '"' || char === "'")) quote = char
    else if (char === '\\' && quote !== "'" && i + 1 < pattern.length) word.text += pattern[++i]!
    else {
      if (char === '*' && quote === '') word.stars.push(word.text.length)
      word.text += char
    }
  }
  if (quote !== '') throw new Error(`the quote ${quote} is not closed.`)
  if (word !== undefined) words.push(word)
  return words
}

/** The name as given, without its folder, and lowercased for case-insensitive file systems. */
export function programNames(program: string): string[] {
  const bare = program.slice(program.lastIndexOf('/') + 1)
  return [...new Set([program, bare, bare.toLowerCase()])]
}

function stricter(one: CommandMatch, other: CommandMatch): CommandMatch {
  if (one === 'yes' || other === 'yes') return 'yes'
  return one === 'maybe' ? one : other
}

function readings(words: readonly string[]): string[][] {
  const [program, ...rest] = words
  if (program === undefined) return [[]]
  const tails = [rest]
  // Any option before the first other word may take that word as its value.
  for (let at = 0; at < 10 && rest[at]?.startsWith('-') === true;) {
    tails.push(rest.slice(at + 1), rest.slice(at + 2))
    at += rest[at + 1]?.startsWith('-') === true ? 1 : 2
  }
  return programNames(program).flatMap((name) => tails.map((tail) => [name, ...tail]))
}

const cluster = /^-[A-Za-z]{1,4}$/

function matchFlags(pattern: CommandPattern, given: CommandWords): CommandMatch {
  const isFlag = (word: unknown): word is string => typeof word === 'string' && cluster.test(word)
  const wanted = lettersOf(pattern.words.filter(isFlag))
  if (wanted.size === 0) return 'no'
  const rest = matchCommand(
    { ...pattern, words: pattern.words.filter((word) => !isFlag(word)) },
    { ...given, words: given.words.filter((word) => !isFlag(word)) },
  )
  if (rest === 'no' || wanted.isSubsetOf(lettersOf(given.words.filter(isFlag)))) return rest
  return given.complete ? 'no' : 'maybe'
}

function lettersOf(flags: readonly string[]): Set<string> {
  return new Set(flags.flatMap((flag) => flag.slice(1).split('')))
}

/**
 * Prefixes under which nothing else can run, whatever words follow. Excluded on purpose: programs that take a program
 * as an option (`git fetch`, `git grep`, `sort`, `rg`, `find`, `cargo`, `go build`, `npm run` with options), and
 * programs that execute their own config (`eslint`, `pytest`).
 */
const safePrefixes: ReadonlySet<string> = new Set([
  ...'status log diff show blame add commit rev-parse ls-files describe shortlog'
    .split(' ')
    .map((verb) => `git ${verb}`),
  ...'ps images logs inspect'.split(' ').map((verb) => `docker ${verb}`),
  ...'pr issue run repo release'.split(' ').flatMap((noun) => [`gh ${noun} view`, `gh ${noun} list`]),
  ...'ls cat head tail wc stat du df grep touch mkdir rmdir cut tr nl'.split(' '),
])

/** Programs that can run anything. Not even an exact pattern is suggested for them. */
const unrestrictedPrograms: ReadonlySet<string> = new Set(
  `eval source . exec trap alias export declare typeset set shopt enable hash env sudo doas su pkexec xargs parallel ssh
  scp sftp rsync nc ncat netcat socat telnet at batch crontab watch entr expect screen tmux script vi vim nvim emacs ed ex
  gdb lldb strace systemctl launchctl dd mount umount chroot nsenter unshare curl wget find awk gawk mawk sed`.split(
    /\s+/,
  ),
)

/**
 * Suggests the pattern to remember for a command: `npm run build` for itself, `git diff *` for `git diff --stat`. Never
 * suggests a pattern that could run something else. Falls back to the exact words, or to null if they are code.
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
  // Only a script file is allowed, not inline code.
  if (shells.has(bare) || interpreterOf(bare) !== undefined)
    return !/[./]/.test(words[0] ?? '') || words.some((word) => word.startsWith('-')) ? null : quoteWords(argv)
  const wrapper = wrappers.get(bare)
  if (wrapper !== undefined && (wrapper.verbs === undefined || wrapper.verbs.includes(words[0] ?? ''))) return null
  return bare === 'git' && words[0]?.startsWith('-') !== false ? null : quoteWords(argv)
}
