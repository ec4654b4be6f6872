import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { currentProgram } from '../packages/cli/bin/current-program.mjs'

/** A separate checkout that uses this one's bundle as the program. Its `src/main.ts` only prints that it ran. */
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe program ')))
const root = path.dirname(import.meta.dirname)
const checkout = path.join(folder, 'checkout')
const home = path.join(folder, 'home')
/** The bundle of `npm test`, or one of our own if that is outdated. */
let bundle: string
const source = path.join(checkout, 'source.ts')
const run = promisify(execFile)

beforeAll(async () => {
  bundle = currentProgram(root)?.folder ?? path.join(checkout, '.cache', 'program', '1')
  if (!existsSync(bundle)) await run(process.execPath, [path.join(root, 'scripts/lib/bundle-program.mjs'), bundle])
  const bin = path.join(root, 'packages/cli/bin')
  for (const name of ['start.mjs', 'current-program.mjs', 'take-program.mjs'])
    cpSync(path.join(bin, name), path.join(checkout, 'packages/cli/bin', name))
  mkdirSync(path.join(checkout, 'packages/cli/src'))
  mkdirSync(path.dirname(current()), { recursive: true })
  mkdirSync(path.join(folder, 'work'))
  symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'))
  writeFileSync(path.join(checkout, 'packages/cli/src/main.ts'), `console.log('from its sources' as string)`)
  writeFileSync(source, '')
  utimesSync(source, 1, 1)
  const { main, entries } = JSON.parse(readFileSync(path.join(bundle, 'made.json'), 'utf8')) as Record<string, unknown>
  writeCurrent({ root: checkout, folder: bundle, main, entries, madeOf: { [source]: 1000 } })
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('answers, and runs tools that are found in their folder', async () => {
  const { stdout } = await troupe(['-p', 'What time is it in Tokyo?', '--output-format', 'stream-json'])
  expect(stdout).toContain('"type":"tool-output-available"')
  expect(stdout).toContain('Asia/Tokyo')
}, 60_000)

test("a user's own tools get the program’s packages", async () => {
  const tools = path.join(home, 'tools')
  const report = path.join(folder, 'report.json')
  mkdirSync(tools, { recursive: true })
  writeFileSync(
    path.join(tools, 'mine.ts'),
    `import { writeFileSync } from 'node:fs'
import { defineTool } from '@troupe/core'
import { z } from 'zod'
writeFileSync(${JSON.stringify(report)}, JSON.stringify(['@troupe/core', '@troupe/protocol/error', 'zod'].map((name) => import.meta.resolve(name))))
export default defineTool({ description: 'Mine.', input: z.object({}), group: 'system', readOnly: true, execute: (): string => 'mine' })
`,
  )
  const { stdout, stderr } = await troupe(['-p', 'repeat: calm'])
  expect(stderr).toBe('')
  expect(stdout).toContain('calm')
  for (const url of JSON.parse(readFileSync(report, 'utf8')) as string[])
    expect(url).toContain(pathToFileURL(bundle).href)
}, 60_000)

test('finds files next to a source: the database thread', async () => {
  const { stdout } = await troupe(['doctor', '--json']).catch((error: unknown) => error as { stdout: string })
  const intact = { name: 'database', status: 'ok', text: expect.stringContaining('no damage found') as string }
  expect(JSON.parse(stdout)).toContainEqual(intact)
}, 60_000)

test('shows stacks of the sources', async () => {
  const failed = troupe(['-p', 'hello', '-m', 'nobody/nothing'], { TROUPE_DEBUG: '1' })
  await expect(failed).rejects.toMatchObject({ stderr: expect.stringMatching(/packages\/cli\/src\/\S+\.ts:\d+/) })
}, 60_000)

test('is not used after one of its sources has changed', async () => {
  const json = readFileSync(current(), 'utf8')
  const starts = async (): Promise<string> => (await troupe(['version'])).stdout
  try {
    expect(await starts()).toMatch(/^troupe \d/)
    utimesSync(source, 2, 2)
    expect(await starts()).toBe('from its sources\n')
    utimesSync(source, 1, 1)
    expect(await starts()).toMatch(/^troupe \d/)
    writeCurrent({ ...(JSON.parse(json) as object), root: path.dirname(checkout) })
    expect(await starts()).toBe('from its sources\n')
    writeFileSync(current(), json.slice(0, 100))
    expect(await starts()).toBe('from its sources\n')
    rmSync(current())
    expect(await starts()).toBe('from its sources\n')
  } finally {
    writeFileSync(current(), json)
  }
}, 60_000)

function current(): string {
  return path.join(checkout, '.cache', 'program', 'current.json')
}

function writeCurrent(program: object): void {
  writeFileSync(current(), JSON.stringify(program))
}

function troupe(args: string[], env: Record<string, string> = {}): Promise<{ stdout: string; stderr: string }> {
  const flags = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning']
  const own = { HOME: folder, TROUPE_HOME: home, TROUPE_MODEL: 'demo/tour' }
  const running = run(process.execPath, [...flags, path.join(checkout, 'packages/cli/bin/start.mjs'), ...args], {
    cwd: path.join(folder, 'work'),
    env: { PATH: process.env['PATH'], CI: '1', ...own, ...env },
  })
  running.child.stdin?.end()
  return running
}
