import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs'

const mostEntries = 3000
const mostFiles = 256

/**
 * Returns all files that `find` may print, possibly a few more. Returns undefined if unknown or too many. `words`: the
 * arguments without the program name. `print0`: true if the output is separated by NUL.
 */
export function filesOfFind(words: readonly string[], cwd: string): { files: string[]; print0: boolean } | undefined {
  let at = 0
  while (words[at] === '-H' || words[at] === '-P') at++
  const roots: string[] = []
  for (; at < words.length && /^[\w./]/.test(words[at] as string); at++) roots.push(words[at] as string)
  const tests = readTests(words.slice(at))
  if (tests === undefined) return undefined
  const files: string[] = []
  let looked = 0
  const visit = (name: string, depth: number, kind: Kind): boolean => {
    if (tests.pruned.some((pruned) => pruned(name))) return true
    const isMet =
      tests.named.every((named) => named(name)) &&
      !tests.excluded.some((excluded) => excluded(name)) &&
      (!tests.onlyFiles || kind.isFile()) &&
      depth >= tests.least
    if (isMet) files.push(name)
    if (files.length > mostFiles) return false
    if (!kind.isDirectory() || depth >= tests.most) return true
    const entries = entriesOf(absolute(name))
    looked += entries.length
    if (looked > mostEntries) return false
    // The decoded name differs from the real one, so the file cannot be inspected.
    if (entries.some(({ name: entry }) => entry.includes('\uFFFD'))) return false
    return entries.every((entry) => visit(`${name}${name.endsWith('/') ? '' : '/'}${entry.name}`, depth + 1, entry))
  }
  const absolute = (name: string): string => (name.startsWith('/') ? name : `${cwd}/${name}`)
  const all = (roots.length === 0 ? ['.'] : roots).every((root) => {
    const stats = lstatSync(absolute(root), { throwIfNoEntry: false })
    return stats === undefined || visit(root, 0, stats)
  })
  return all ? { files, print0: tests.print0 } : undefined
}

/** Returns the symlinks in a folder at any depth, following links. Returns undefined if unknown or too many entries. */
export function linksBelow(folder: string): string[] | undefined {
  const links: string[] = []
  const left = [folder]
  const seen = new Set<string>()
  let looked = 0
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for (const entry of entriesOf(at)) {
      if (++looked > mostEntries || entry.name.includes('\uFFFD')) return undefined
      const file = `${at}/${entry.name}`
      if (entry.isSymbolicLink()) {
        links.push(file)
        const real = realOf(file)
        if (real !== undefined && !seen.has(real)) left.push(real)
        if (real !== undefined) seen.add(real)
      } else if (entry.isDirectory()) {
        left.push(file)
      }
    }
  }
  return links
}

function realOf(link: string): string | undefined {
  try {
    return realpathSync(link)
  } catch {
    return undefined
  }
}

type Kind = Pick<Dirent, 'isFile' | 'isDirectory'>

/** Returns no entries for an unreadable folder: `find` cannot read it either. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

type Test = (name: string) => boolean

interface Tests {
  named: Test[]
  excluded: Test[]
  pruned: Test[]
  onlyFiles: boolean
  most: number
  least: number
  print0: boolean
}

const flags = /^-(empty|executable|readable|writable|depth|xdev|mount|daystart|nowarn|print|print0)$/
const others = /^-(size|perm|user|group|mtime|atime|ctime|mmin|amin|cmin|newermt|links)$/

/** Parses tests joined by "and". Unknown tests count as passed. */
function readTests(words: readonly string[]): Tests | undefined {
  const tests: Tests = {
    named: [],
    excluded: [],
    pruned: [],
    onlyFiles: false,
    most: Infinity,
    least: 0,
    print0: false,
  }
  let at = 0
  // `-path ./x -prune -o …`
  for (;;) {
    const group = readChoice(words.slice(at))
    if (group === undefined || words[at + group.length] !== '-prune' || words[at + group.length + 1] !== '-o') break
    tests.pruned.push(...group.tests)
    at += group.length + 2
  }
  // With `-depth`, folders come after their contents and `-prune` has no effect.
  if (tests.pruned.length > 0 && words.includes('-depth')) return undefined
  const printed = tests.pruned.length === 0 || words.some((word) => /^-print0?$/.test(word))
  for (; at < words.length; at++) {
    const word = words[at] as string
    const group = readChoice(words.slice(at))
    if (group !== undefined && group.length > 2) {
      // A name must match one of them. Those that are not plain may match anything.
      tests.named.push((name) => group.tests.some((isMet) => isMet(name)))
      if (group.isOpen) tests.named.pop()
      at += group.length - 1
      continue
    }
    const not = word === '!' || word === '-not'
    const test = not ? (words[++at] ?? '') : word
    if (test === '-a' || test === '-and') continue
    if (flags.test(test)) {
      if (test === '-print0') tests.print0 = true
      continue
    }
    const value = words[++at]
    if (value === undefined) return undefined
    if (/^-i?(name|path|wholename)$/.test(test)) {
      const match = matching(test, value)
      if (match !== undefined && !not) tests.named.push(match)
      // Case folding depends on the locale.
      else if (match !== undefined && !test.startsWith('-i')) tests.excluded.push(match)
    } else if (test === '-type') {
      tests.onlyFiles ||= value === 'f' && !not
    } else if (/^-(max|min)depth$/.test(test) && /^\d+$/.test(value) && !not) {
      if (test === '-maxdepth') tests.most = Number(value)
      else tests.least = Number(value)
    } else if (!others.test(test)) {
      return undefined
    }
  }
  return printed && !(tests.print0 && words.includes('-print')) ? tests : undefined
}

/** Reads `-name x`, `( -name x -o -name y )`, or all of `-name x -o -name y`. `length`: the number of its words. */
function readChoice(words: readonly string[]): { tests: Test[]; length: number; isOpen: boolean } | undefined {
  const isBracketed = words[0] === '('
  const tests: Test[] = []
  let isOpen = false
  for (let at = isBracketed ? 1 : 0; ; at += 3) {
    const [test = '', pattern] = words.slice(at, at + 2)
    if (!/^-i?(name|path)$/.test(test) || pattern === undefined) return undefined
    const match = matching(test, pattern)
    if (match !== undefined) tests.push(match)
    isOpen ||= match === undefined
    const next = words[at + 2]
    if (isBracketed && next === ')') return { tests, length: at + 3, isOpen }
    if (next === '-o' && (isBracketed || /^-i?(name|path)$/.test(words[at + 3] ?? ''))) continue
    if (isBracketed) return undefined
    const length = at + 2
    // Without brackets, the words after it would belong to the last one only.
    return tests.length + Number(isOpen) < 2 || length === words.length ? { tests, length, isOpen } : undefined
  }
}

/** Returns undefined for a non-plain pattern: the test is then ignored. */
function matching(test: string, pattern: string): Test | undefined {
  // Character boundaries depend on the locale too.
  if (/[?[\]\\]|[^ -~]/.test(pattern)) return undefined
  const source = pattern.replaceAll(/[.+^$()|{}]/g, '\\$&').replaceAll('*', '.*')
  const expression = new RegExp(`^${source}$`, test.startsWith('-i') ? 'si' : 's')
  const isName = test.endsWith('-name') || test.endsWith('iname')
  return (name) =>
    (test.startsWith('-i') && /[^ -~]/.test(name)) ||
    expression.test(isName ? (name.replace(/\/+$/, '').split('/').at(-1) ?? '') : name)
}
