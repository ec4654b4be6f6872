import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { cardTexts } from './languages/en/cards.ts'
import { lateTexts } from './languages/en/settings.ts'
import { teamTexts } from './languages/en/team.ts'
import { en } from './languages/en.ts'

const root = path.resolve(import.meta.dirname, '..')
const sources = new Map(
  globSync('**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !/\.test\.|^testing\/|^texts\/languages\//.test(file))
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
)

const resolved = (from: string, target: string): string => path.posix.join(path.posix.dirname(from), target)
const ownFile = (file: string): string[] => (sources.has(file) ? [file] : [])

/** Files that a file loads with itself. */
function staticImports(file: string): string[] {
  const source = sources.get(file) ?? ''
  const named = source
    .matchAll(/^(?:import|export)(?! type\b)([^'"=(]*?)['"](\.[^'"]+)['"]/gm)
    .filter(([, names = '']) => !/^ *\{(\s*type \w+( as \w+)?,?)+\s*\} from $/.test(names))
    .map(([, , target]) => ['', target])
  const eager = source.matchAll(/import\.meta\.glob[^(]*\('(\.[^']+)', \{ eager: true/g)
  return [
    ...named.flatMap(([, target = '']) => ownFile(resolved(file, target))),
    ...eager.flatMap(([, pattern = '']) => globbed(resolved(file, pattern))),
  ]
}

/** Files that begin a chunk of their own. */
function lazyImports(file: string): string[] {
  const source = sources.get(file) ?? ''
  const named = source.matchAll(/\bimport\('(\.[^']+)'\)/g)
  const globs = source.matchAll(/import\.meta\.glob[^(]*\('(\.[^']+)'\)/g)
  return [
    ...named.flatMap(([, target = '']) => ownFile(resolved(file, target))),
    ...globs.flatMap(([, pattern = '']) => globbed(resolved(file, pattern))),
  ]
}

function globbed(pattern: string): string[] {
  return [...sources.keys()].filter((file) => path.matchesGlob(file, pattern))
}

function closure(entry: string): Set<string> {
  const found = new Set([entry])
  for (const file of found) for (const next of staticImports(file)) found.add(next)
  return found
}

/** Its titles are read by dialogs that load later. */
const onlyNames = 'shortcuts/shortcuts.ts'

function missing(files: Set<string>, texts: Record<string, unknown>): string[] {
  return [...files].flatMap((file) => {
    if (file === onlyNames) return []
    const reads = (sources.get(file) ?? '').matchAll(/\bt\.(\w+)\.(\w+)/g)
    return reads
      .filter(([, area = '', key = '']) => !Object.hasOwn((texts[area] as object | undefined) ?? {}, key))
      .map(([text]) => `${file}: ${text}`)
      .toArray()
  })
}

const first = closure('main.tsx')

test('the first load reads no text that loads later', () => {
  expect(first.size).toBeGreaterThan(100)
  expect(missing(first, en)).toEqual([])
})

test('whatever loads later brings the texts that it reads', () => {
  const parents = new Map<string, string[]>()
  for (const file of sources.keys())
    for (const entry of lazyImports(file))
      if (!first.has(entry)) parents.set(entry, [...(parents.get(entry) ?? []), file])
  const chunks = new Map([...parents.keys()].map((entry) => [entry, closure(entry)]))
  expect(chunks.size).toBeGreaterThan(40)

  /** True if the chunk loads a file, or everything that loads the chunk did so before. */
  const brings = (entry: string, file: string, seen: readonly string[] = []): boolean => {
    if (chunks.get(entry)?.has(file) === true) return true
    return (parents.get(entry) ?? []).every((parent) => {
      if (first.has(parent) || seen.includes(entry)) return false
      const around = [...chunks].filter(([, files]) => files.has(parent)).map(([one]) => one)
      return around.length > 0 && around.every((one) => brings(one, file, [...seen, entry]))
    })
  }
  const faults = [...chunks].flatMap(([entry, files]) => {
    const texts = {
      ...en,
      ...(brings(entry, 'texts/show-late.ts') && lateTexts),
      ...(brings(entry, 'texts/show-cards.ts') && cardTexts),
      ...(brings(entry, 'texts/show-team.ts') && teamTexts),
    }
    return missing(new Set([...files].filter((file) => !first.has(file))), texts).map((fault) => `${entry} > ${fault}`)
  })
  expect(faults).toEqual([])
})
