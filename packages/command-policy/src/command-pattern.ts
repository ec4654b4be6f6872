import { interpreterOf, shells, wrappers } from './wrappers.ts'

/** What can be told of the words of a command before it runs. */
interface CommandWords {
  /** The literal words from the start on. */
  words: readonly string[]
  /** False: further words follow that cannot be told. */
  complete: boolean
}

export type CommandMatch = 'yes' | 'no' | 'maybe'

/** `npm run *` as words: each is a text, a text with `*` in it, or any number of words. */
export interface CommandPattern {
  readonly words: readonly (string | ((word: string) => boolean) | typeof anyWords)[]
  /** The first word, where it is a plain text: most rules need not be looked at then. */
  readonly first: string | undefined
  /** The same for a rule that allows: a `*` in the place of the program is a program by its name, not a whole command. */
  readonly allowed: CommandPattern['words']
  /** Without a `*`: it means one command, letter by letter. */
  readonly exact: boolean
}

const anyWords = Symbol('any words')

/**
 * Words parted by blanks; quotes and `\` as in a shell keep blanks and `*` as they are. A `*` alone is any words or
 * none, a `*` within a word any characters of it; `git diff:*` is `git diff *`. Throws an Error for the person.
 */
export function parseCommandPattern(pattern: string): CommandPattern {
  const words = splitWords(pattern.replace(/:\*$/, ' *')).map(compileWord)
  if (words.length === 0) throw new Error('there are no words in it.')
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

/** Whether a rule with that pattern allows the words. */
export function allowsCommand(pattern: CommandPattern, given: CommandWords): boolean {
  return matchCommand({ ...pattern, words: pattern.allowed }, given) === 'yes'
}

/** `maybe`: it depends on words that cannot be told. */
export function matchCommand(pattern: CommandPattern, { words, complete }: CommandWords): CommandMatch {
  const { words: wanted } = pattern
  // The first words tell nearly always, without any of the care that stars need.
  for (let at = 0; at < words.length; at++) {
    const want = wanted[at]
    if (want === undefined) return 'no'
    if (typeof want !== 'string') break
    if (want !== words[at]) return 'no'
  }
  // All places in the pattern that the words so far can lead to.
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
 * For rules that forbid: the program may stand with its folder, options before the subcommand are passed over
 * (`git -C x push` is `git push`), and short options may come in another order or apart (`rm -f -r` is `rm -rf`).
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

/** The words as a pattern that means exactly them. */
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
  /** Where in the text a `*` stands for something. */
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

/** Whether a word is these parts with anything between them, in one pass. */
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

/** As it is spelled, without its folder, and as a file system that ignores case knows it. */
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
  // Each option before the first other word may have that word as its value.
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
