import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !/\.test\.tsx?$|\.d\.ts$|\/fixtures\//.test(file),
)
/** Folders with one registry entry per file. */
const registries = /\/(tools|cards|displays|providers|readers|sections|kinds|built-in|migrations|languages)$/

const imports = new Map(
  files.map((file) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    const found = [...source.matchAll(/\b(?:from|import\()\s*'(\.[^'?]+\.tsx?)'/g)]
    return [file, found.map(([, target = '']) => path.join(path.dirname(file), target))]
  }),
)

test('the layout is read', () => {
  expect(files.length).toBeGreaterThan(700)
  expect([...imports.values()].flat().length).toBeGreaterThan(3000)
})

test('no folder has more than 25 source files', () => {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1)
  expect([...counts].filter(([folder, count]) => count > 25 && !registries.test(folder))).toEqual([])
})

test('files are topics: at most 8 of them per thousand lines', () => {
  const lines = files.reduce((sum, file) => sum + readFileSync(path.join(root, file), 'utf8').split('\n').length - 1, 0)
  expect((files.length / lines) * 1000).toBeLessThanOrEqual(8)
})

test('less than 2 % of comments open with a free relative clause', () => {
  const comments = globSync('{packages/*/{src,e2e,crash},scripts,bench}/**/*.{ts,tsx,mjs}', { cwd: root }).flatMap(
    (file) =>
      // The first line of each comment.
      [...readFileSync(path.join(root, file), 'utf8').matchAll(/(?:\/\*\*\s+(?:\* )?|(?<!\/\/.*\n\s*)\/\/ )(.*)/g)].map(
        ([, text = '']) => text,
      ),
  )
  expect(comments.length).toBeGreaterThan(9000)
  const relative = comments.filter((text) => /^(What|How|Whether|Where|Who|Whose)\b/.test(text))
  expect(relative.length / comments.length).toBeLessThan(0.02)
})

test('no two folders import each other', () => {
  const edges = new Map<string, string>()
  for (const [file, targets] of imports)
    for (const target of targets) {
      const [from, to] = [path.dirname(file), path.dirname(target)]
      if (from !== to && !from.endsWith('src')) edges.set(`${from} ${to}`, `${file} imports ${target}`)
    }
  const mutual = [...edges].flatMap(([edge, reason]) => {
    const [from, to] = edge.split(' ')
    return edges.has(`${to} ${from}`) ? [reason] : []
  })
  expect(mutual).toEqual([])
})

test('no files import each other in a circle, types included', () => {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' > '))
    if (way.includes(file) || done.has(file)) return
    const lazy = lazyImports(file)
    for (const target of imports.get(file) ?? []) if (!lazy.has(target)) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(circles).toEqual([])
})

test('the base rule of a class is in one style sheet', () => {
  const owners = new Map<string, Set<string>>()
  for (const file of globSync('packages/web/src/**/*.css', { cwd: root })) {
    const source = readFileSync(path.join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    for (const [, selectors = ''] of source.matchAll(/([^{}@;]+)\{/g))
      for (const selector of selectors.split(/,(?![^(]*\))/)) {
        const name = /^\.([\w-]+)$/.exec(selector.trim())?.[1]
        if (name !== undefined) owners.set(name, (owners.get(name) ?? new Set()).add(file))
      }
  }
  expect(owners.size).toBeGreaterThan(500)
  // High contrast adjusts what others own.
  for (const files of owners.values()) files.delete('packages/web/src/contrast.css')
  expect([...owners].filter(([, files]) => files.size > 1).map(([name, files]) => [name, ...files])).toEqual([])
})

function lazyImports(file: string): Set<string> {
  const source = readFileSync(path.join(root, file), 'utf8')
  const statically = new Set([...source.matchAll(/\bfrom\s*'(\.[^']+)'/g)].map(([, target]) => target))
  const lazily = [...source.matchAll(/\bimport\(\s*'(\.[^']+)'/g)].map(([, target = '']) => target)
  return new Set(lazily.filter((each) => !statically.has(each)).map((each) => path.join(path.dirname(file), each)))
}
