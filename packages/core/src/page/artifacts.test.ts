import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import { testToolContext, type TestToolContext } from '../testing/test-tool-context.ts'
import { artifactsFolder, keepVersion, listVersions, readVersion } from './artifacts.ts'

let folder: string
let ctx: TestToolContext
let kept: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-artifacts-'))
  const work = path.join(folder, 'work')
  const jsxFolder = path.join(folder, 'home', 'jsx')
  for (const each of [work, jsxFolder]) mkdirSync(each, { recursive: true })
  const state = createAgentState({ workspace: work, outputFolder: path.join(folder, 'home', 'output'), jsxFolder })
  ctx = testToolContext({ state, messageId: 'm1' })
  kept = artifactsFolder(ctx.state)
})
afterEach(() => rmSync(folder, { recursive: true }))

async function write(name: string, text: string, where = 'work'): Promise<string | undefined> {
  const file = path.join(folder, where === 'jsx' ? 'home/jsx' : where, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  return keepVersion(ctx, file)
}
const versions = async () =>
  (await listVersions(kept)).map(({ artifact, version, title }) => `${artifact} ${version} ${title}`)

test('a page with the same title or id is a new version, and an edit keeps its artifact', async () => {
  await write('m1.jsx', '<div className="x"><h1>Sales 2025</h1></div>', 'jsx')
  await write('m2.jsx', '<div className="y"><h1>Sales 2025</h1></div>', 'jsx')
  await write('m2.jsx', '<div className="y"><h1>Renamed</h1></div>', 'jsx')
  await write('m3.jsx', '<main id="Über uns"><h1>Other</h1></main>', 'jsx')
  await write('m4.jsx', '<main id="über-uns"><h1>Other again</h1></main>', 'jsx')
  await write('m5.jsx', '<p>{broken</p>', 'jsx')
  expect(await versions()).toEqual([
    'page-sales-2025 1 Sales 2025',
    'page-sales-2025 2 Sales 2025',
    'page-sales-2025 3 Renamed',
    'page-über-uns 1 Other',
    'page-über-uns 2 Other again',
  ])
})

test('files with a preview are kept by path; equal content, other files and secrets are not', async () => {
  await write('a.html', '<title>مرحبا 👩‍👩‍👧‍👦</title>')
  await write('a.html', '<title>مرحبا 👩‍👩‍👧‍👦</title>')
  await write('b.md', '# Notes\ntext')
  await write('c.ts', 'x')
  await write('.env.md', 'KEY=1')
  await write('../elsewhere/d.html', 'x')
  const all = await listVersions(kept)
  expect(all.map(({ kind, title, version }) => [kind, title, version])).toEqual([
    ['html', 'مرحبا 👩‍👩‍👧‍👦', 1],
    ['markdown', 'Notes', 1],
  ])
})

test('a title of 10,000 words is cut at a word', async () => {
  await write('a.html', `<h1>${'word '.repeat(10_000)}</h1>`)
  const [first] = await listVersions(kept)
  expect(first?.title.length).toBeLessThan(125)
  expect(first?.title).toMatch(/word…$/)
})

test('500 versions of a page, some made at once, are numbered and listed soon', async () => {
  for (let number = 1; number <= 490; number += 1) await write('a.html', `<h1>Page</h1>${number}`)
  await Promise.all(Array.from({ length: 10 }, (_, index) => write(`b${index}.html`, '<h1>Other</h1>')))
  const spentMs = cpuClock()
  const all = await listVersions(kept)
  expect(spentMs()).toBeLessThan(1000)
  expect(all).toHaveLength(500)
  expect(all.slice(0, 490).map(({ version }) => version)).toEqual(Array.from({ length: 490 }, (_, index) => index + 1))
  expect((await readVersion(kept, all[122] ?? { sha256: '' }))?.toString()).toBe('<h1>Page</h1>123')
})

test('a page of 5 MB is kept, packed; a larger one is not', async () => {
  await write('a.html', `<h1>Big</h1>${'<p>row</p>'.repeat(510_000)}`)
  await write('b.html', 'x'.repeat(5 * 1024 * 1024 + 1))
  const [only, ...more] = await listVersions(kept)
  expect([only?.size, more]).toEqual([5_100_012, []])
  expect(only?.stored).toBeLessThan(100_000)
  expect((await readVersion(kept, only ?? { sha256: '' }))?.length).toBe(5_100_012)
})

test('a torn line is skipped, and a name that is no hash reads nothing', async () => {
  await write('a.html', 'one')
  appendFileSync(path.join(kept, 'versions.jsonl'), '{"artifact":"x","ver')
  expect(await listVersions(kept)).toHaveLength(1)
  expect(await readVersion(kept, { sha256: '../../token' })).toBeUndefined()
  expect(readdirSync(kept)).toHaveLength(2)
})
