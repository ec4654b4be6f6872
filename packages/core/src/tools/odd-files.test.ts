import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampled } from '../../../protocol/testing/test-effort.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import { openTestShell } from '../testing/test-shell.ts'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import type { Tool } from '../tool/tool.ts'
import applyPatch from './apply-patch.ts'
import bash from './bash.ts'
import edit from './edit.ts'
import glob from './glob.ts'
import grep from './grep.ts'
import listDir from './list-dir.ts'
import notebookEdit from './notebook-edit.ts'
import read from './read.ts'
import write from './write.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

const patch = (...lines: string[]): object => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

describe('a name is only a name', () => {
  const names = [
    'with space',
    ' lead and trail ',
    'two\nlines',
    'tab\there',
    '-rf',
    '--',
    '-',
    '😀 👩‍👩‍👧',
    'u\u0308',
    '\u202ertl',
    '*',
    '[x]',
    '{a,b}',
    '!not',
    '#hash',
    '$(touch ran)',
    '"q"',
    "it's",
    'back\\slash',
    '..x',
    '.hidden',
  ]

  test.each(sampled(names, 3))('%j is written, read, found, edited and patched', async (name) => {
    const created = await ws.call(write, { file_path: name, content: 'needle\n' })
    expect(created.text).toMatch(/^Created .* \(1 line\)\.$/)
    expect((await ws.call(read, { file_path: name })).text).toContain('1\tneedle')
    await ws.call(edit, { file_path: name, old_string: 'needle', new_string: 'needle two' })
    const found = await ws.call(grep, { pattern: 'needle two', path: name, output_mode: 'content' })
    expect(found.text).toContain('1:needle two')
    expect((await ws.call(grep, { pattern: 'needle' })).text).toMatch(/^1 file with matches/)
    expect((await ws.call(glob, { pattern: '*' })).text.trimEnd().split('\n')).toHaveLength(1)
    expect((await ws.call(listDir, {})).text).toContain(/[\n\t]/.test(name) ? JSON.stringify(name) : name)
    // The patch format cannot express these names.
    if (!/\n|^\s|\s$/.test(name))
      await ws.call(applyPatch, patch(`*** Update File: ${name}`, '@@', '-needle two', '+needle three'))
    expect(readdirSync(ws.root)).toEqual([name])
    expect(ws.text(name)).toMatch(/^needle (two|three)\n$/)
  })

  test.each(sampled(names, 3, 1).filter((name) => name !== '-'))('%j is a folder to work in', async (name) => {
    const shell = openTestShell()
    mkdirSync(path.join(shell.workspace, name))
    await shell.call(bash, { command: `cd -- ${`'${name.replaceAll("'", `'\\''`)}'`}` })
    expect(shell.state.cwd).toBe(path.join(shell.workspace, name))
    expect((await shell.call(bash, { command: 'printf "%s." "$PWD"' })).output.text).toBe(`${shell.state.cwd}.`)
    await shell.close()
  })
})

describe('special files are rejected at once, by every tool', () => {
  const calls: [string, Tool, (name: string) => object][] = [
    ['Read', read, (file_path) => ({ file_path })],
    ['Write', write, (file_path) => ({ file_path, content: 'x' })],
    ['Edit', edit, (file_path) => ({ file_path, old_string: 'a', new_string: 'b' })],
    ['NotebookEdit', notebookEdit, (notebook_path) => ({ notebook_path, cell_number: 0, new_source: 'x' })],
    ['ApplyPatch, update', applyPatch, (name) => patch(`*** Update File: ${name}`, '@@', '-a', '+b')],
    ['ApplyPatch, add', applyPatch, (name) => patch(`*** Add File: ${name}`, '+b')],
    ['ApplyPatch, delete', applyPatch, (name) => patch(`*** Delete File: ${name}`)],
    ['Grep', grep, (name) => ({ pattern: 'x', path: name })],
    ['ListDir', listDir, (name) => ({ path: name })],
  ]

  test.each(calls)('%s', async (name, tool, input) => {
    const end = name === 'NotebookEdit' ? '.ipynb' : ''
    execFileSync('mkfifo', [ws.at(`pipe${end}`)])
    const server = createServer().listen(ws.at(`socket${end}`))
    await new Promise((resolve) => server.once('listening', resolve))
    symlinkSync('/dev/zero', ws.at(`zero${end}`))
    symlinkSync('/proc/self/environ', ws.at(`environment${end}`))
    symlinkSync(`circle${end}`, ws.at(`circle${end}`))
    const before = readdirSync(ws.root)
    await expect(ws.call(tool, input(`pipe${end}`))).rejects.toThrow('a named pipe')
    await expect(ws.call(tool, input(`socket${end}`))).rejects.toThrow('a socket')
    await expect(ws.call(tool, input(`zero${end}`))).rejects.toThrow(/outside the workspace|is a system path/)
    await expect(ws.call(tool, input(`environment${end}`))).rejects.toThrow(/outside the workspace|is a system path/)
    await expect(ws.call(tool, input(`circle${end}`))).rejects.toThrow('form a loop')
    expect(readdirSync(ws.root)).toEqual(before)
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('on a full disk', () => {
  let disk: string
  let isMounted = false
  beforeEach(() => {
    disk = ws.at('disk')
    mkdirSync(disk)
    isMounted = mountSmall(disk)
    writeFileSync(path.join(disk, 'a.txt'), `one\n${'x'.repeat(100_000)}\n`)
    writeFileSync(path.join(disk, 'n.ipynb'), notebook('x'.repeat(100_000)))
    if (isMounted) writeFileSync(path.join(disk, 'fill'), 'y'.repeat(790_000))
  })
  afterEach(() => {
    if (isMounted) execFileSync('umount', [disk])
  })

  const calls: [string, Tool, object][] = [
    ['Edit', edit, { file_path: 'disk/a.txt', old_string: 'one', new_string: 'two' }],
    ['NotebookEdit', notebookEdit, { notebook_path: 'disk/n.ipynb', cell_number: 0, new_source: 'y'.repeat(90_000) }],
    [
      'ApplyPatch',
      applyPatch,
      patch('*** Add File: fits.txt', '+fits', '*** Update File: disk/a.txt', '@@', '-one', '+two'),
    ],
    ['Write', write, { file_path: 'disk/new/deep/file', content: 'z'.repeat(200_000) }],
  ]

  test.for(calls)('%s reports it, and every byte is unchanged', async ([, tool, input], { skip }) => {
    if (!isMounted) skip('only root can mount a small disk')
    for (const file_path of ['disk/a.txt', 'disk/n.ipynb']) await ws.call(read, { file_path })
    const before = ['disk/a.txt', 'disk/n.ipynb'].map((name) => ws.bytes(name))
    await expect(ws.call(tool, input)).rejects.toThrow('the disk is full. Free some space, then try again. Nothing was')
    expect(['disk/a.txt', 'disk/n.ipynb'].map((name) => ws.bytes(name))).toEqual(before)
    expect(readdirSync(disk)).toEqual(['a.txt', 'fill', 'n.ipynb'])
    expect(readdirSync(ws.root)).toEqual(['disk'])
    expect(await ws.ctx.state.undo.list({})).toEqual([])
  })

  test('a command runs, and its lost output is reported', async ({ skip }) => {
    if (!isMounted) skip('only root can mount a small disk')
    const shell = openTestShell()
    const state = createAgentState({ workspace: shell.workspace, outputFolder: path.join(disk, 'output') })
    const { output } = await shell.call(bash, { command: 'seq 1 200000; touch done' }, { state })
    expect(output.exitCode).toBe(0)
    expect(output.text).toMatch(/^1\n2\n/)
    expect(output.text).toMatch(/199999\n200000\n$/)
    expect(output.text).toContain('could not be written completely')
    expect(output.spilled).toBeUndefined()
    expect(readdirSync(shell.workspace)).toEqual(['done'])
    await state.tasks.dispose()
    await shell.close()
  })

  function notebook(source: string): string {
    return JSON.stringify({ cells: [{ cell_type: 'code', metadata: {}, outputs: [], source }], nbformat: 4 })
  }
})

/** Mounts a disk of 1 MiB. Requires root. */
function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
