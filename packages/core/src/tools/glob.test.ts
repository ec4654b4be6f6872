import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentState } from '../run/create-agent-state.ts'
import { testToolContext } from '../testing/test-tool-context.ts'
import glob from './glob.ts'

let base: string
let workspace: string

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'glob-')))
  workspace = path.join(base, 'ws')
  mkdirSync(workspace)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

function write(file: string, age = 0, content = ''): void {
  const full = path.join(workspace, file)
  mkdirSync(path.dirname(full), { recursive: true })
  writeFileSync(full, content)
  utimesSync(full, 1_700_000_000 - age, 1_700_000_000 - age)
}

async function call(input: { pattern: string; path?: string }, cwd = workspace, signal?: AbortSignal) {
  const state = createAgentState({ workspace, outputFolder: path.join(base, 'output') })
  state.cwd = cwd
  const output = await glob.execute(input, testToolContext({ state, ...(signal && { signal }) }))
  return {
    ...(output as Awaited<typeof output & { files: string[]; total: number }>),
    text: glob.toModel!(output as never, input),
  }
}

test('files are sorted newest first, without ignored ones, with hidden ones except .git', async () => {
  write('.gitignore', 9, 'generated.ts\ndist/\n!kept.txt\n')
  for (const [file, age] of [['a.ts', 3], ['src/b.ts', 1], ['generated.ts', 0], ['dist/c.ts', 0], ['.config/d.ts', 2], ['.git/e.ts', 0], ['kept.txt', 0]] as const) write(file, age) // prettier-ignore
  const { files, total, text } = await call({ pattern: '**/*.ts' })
  expect(files).toEqual(['src/b.ts', '.config/d.ts', 'a.ts'])
  expect(total).toBe(3)
  expect(text).toBe('src/b.ts\n.config/d.ts\na.ts')
})

test('an ignored folder that is named is looked into', async () => {
  expect((await call({ pattern: '*.ts', path: 'dist' })).files).toEqual(['dist/c.ts'])
  expect((await call({ pattern: 'dist/**/*.ts' })).files).toEqual(['dist/c.ts'])
  write('build/deep/f.ts')
  write('build/.gitignore', 0, '*\n')
  expect((await call({ pattern: 'build/deep/*.ts' })).files).toEqual(['build/deep/f.ts'])
  expect((await call({ pattern: 'build/**/*.ts' })).files).toEqual([])
})

test('100 are shown and all are counted', async () => {
  for (let i = 0; i < 250; i++) write(`many/${i}.md`, i)
  const { files, total, text } = await call({ pattern: 'many/*.md' })
  expect(files).toHaveLength(100)
  expect(files[0]).toBe('many/0.md')
  expect(files[99]).toBe('many/99.md')
  expect(total).toBe(250)
  expect(text).toContain('the newest 100 of 250 files')
})

test('odd names are found and shown on one line each', async () => {
  for (const file of ['odd/two\nlines.odd', 'odd/sp ace.odd', 'odd/-dash.odd', 'odd/😀.odd', 'odd/q\'uo"te.odd'])
    write(file)
  const { files, text } = await call({ pattern: '**/*.odd' })
  expect(files.toSorted()).toEqual([
    'odd/-dash.odd',
    'odd/q\'uo"te.odd',
    'odd/sp ace.odd',
    'odd/two\nlines.odd',
    'odd/😀.odd',
  ])
  expect(text.split('\n')).toHaveLength(5)
  expect(text).toContain('"odd/two\\nlines.odd"')
})

test('paths are relative to the working directory, absolute outside of it', async () => {
  const moved = path.join(workspace, 'src')
  expect((await call({ pattern: '*.ts' }, moved)).files).toEqual(['b.ts'])
  expect((await call({ pattern: '../*.ts' }, moved)).files).toEqual([path.join(workspace, 'a.ts')])
  expect((await call({ pattern: path.join(workspace, 'src/*.ts') })).files).toEqual(['src/b.ts'])
})

test('empty results have distinct reasons: no such folder, a folder instead of a pattern, ignored files', async () => {
  expect((await call({ pattern: 'nowhere/*.ts' })).text).toContain('The folder "nowhere" does not exist')
  expect((await call({ pattern: 'src' })).text).toContain('use "src/**"')
  expect((await call({ pattern: '*.none' })).text).toMatch(
    /^No files match "\*\.none" in the working directory\.\nFiles ignored by \.gitignore/,
  )
})

test('outside paths, missing paths and files are rejected', async () => {
  symlinkSync('/etc', path.join(workspace, 'out'))
  await expect(call({ pattern: '/etc/*' })).rejects.toThrow('outside the workspace')
  await expect(call({ pattern: '../../*' })).rejects.toThrow('outside the workspace')
  await expect(call({ pattern: 'out/*' })).rejects.toThrow('outside the workspace')
  await expect(call({ pattern: '*', path: 'nowhere' })).rejects.toThrow('does not exist')
  await expect(call({ pattern: '*', path: 'a.ts' })).rejects.toThrow('is a file')
})

test('pipes are skipped', async () => {
  execFileSync('mkfifo', [path.join(workspace, 'src/pipe.ts')])
  expect((await call({ pattern: 'src/*.ts' })).total).toBe(1)
})

test('a stop ends the search', async () => {
  const controller = new AbortController()
  const searching = call({ pattern: '**' }, workspace, controller.signal)
  controller.abort(new Error('stopped by the person'))
  await expect(searching).rejects.toThrow('stopped by the person')
})
