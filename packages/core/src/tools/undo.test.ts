import { chmodSync, linkSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { markOf } from '../files/undo-folder.ts'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import type { ToolContext } from '../tool/tool.ts'
import applyPatch from './apply-patch.ts'
import edit from './edit.ts'
import notebookEdit from './notebook-edit.ts'
import read from './read.ts'
import undo from './undo.ts'
import write from './write.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

interface At {
  messageId?: string
  step?: number
  toolCallId?: string
}

const given = ({ step = 1, ...at }: At): Partial<ToolContext> => ({ ...at, run: { ...ws.ctx.run, step } })

let calls = 0
const put = (file_path: string, content: string, at: At = {}): Promise<unknown> =>
  ws.call(write, { file_path, content }, given({ toolCallId: `write-${++calls}`, ...at }))
const undone = async (input: object, at: At = {}): Promise<string> =>
  (await ws.call(undo, input, given({ toolCallId: `undo-${++calls}`, ...at }))).text

test('the newest call is undone, then the one before it', async () => {
  await put('a.txt', 'one\n')
  await put('a.txt', 'two\n')
  expect(await undone({ scope: 'call' })).toBe(
    'Restored (read them again before you change them):\n  a.txt\nOnly changes made by file tools can be undone, not those made by commands.',
  )
  expect(ws.text('a.txt')).toBe('one\n')
  expect(await undone({ scope: 'call' })).toMatch(/^Removed, because they did not exist before:\n {2}a\.txt\nOnly/)
  expect(ws.exists('a.txt')).toBe(false)
  await expect(undone({ scope: 'call' })).rejects.toThrow('There is nothing to undo')
})

test('each tool that changes files can be undone, byte for byte', async () => {
  const latin = Buffer.from('caf\xe9\r\nb\r\n', 'latin1')
  ws.put('latin.txt', latin)
  ws.put('n.ipynb', '{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": "x"}], "nbformat": 4}')
  ws.put('gone.txt', 'gone\n')
  const notebook = ws.bytes('n.ipynb')
  for (const file_path of ['latin.txt', 'n.ipynb']) await ws.call(read, { file_path })
  await ws.call(edit, { file_path: 'latin.txt', old_string: 'b', new_string: 'c' })
  await ws.call(notebookEdit, { notebook_path: 'n.ipynb', cell_number: 0, new_source: 'y' })
  await ws.call(applyPatch, {
    patch:
      '*** Begin Patch\n*** Add File: new/a.txt\n+x\n*** Delete File: gone.txt\n*** Update File: latin.txt\n*** Move to: moved.txt\n*** End Patch',
  })
  await undone({ scope: 'turn' })
  expect(ws.bytes('latin.txt').equals(latin)).toBe(true)
  expect(ws.bytes('n.ipynb').equals(notebook)).toBe(true)
  expect(ws.text('gone.txt')).toBe('gone\n')
  expect([ws.exists('moved.txt'), ws.exists('new/a.txt')]).toEqual([false, false])
})

test('a call, a step, a turn or everything since a message', async () => {
  await put('a', '1', { messageId: 'm1', step: 1, toolCallId: 'c1' })
  await put('b', '1', { messageId: 'm1', step: 2, toolCallId: 'c2' })
  await put('c', '1', { messageId: 'm2', step: 1, toolCallId: 'c3' })
  await put('d', '1', { messageId: 'm3', step: 1, toolCallId: 'c4' })
  const files = (): string => readdirSync(ws.root).toSorted().join('')
  await undone({ scope: 'step', id: 'm1:1' })
  expect(files()).toBe('bcd')
  await undone({ scope: 'step', id: '2' }, { messageId: 'm1' })
  expect(files()).toBe('cd')
  await undone({ scope: 'call', id: 'c4' })
  expect(files()).toBe('c')
  await undone({ scope: 'turn', id: 'm2' })
  expect(files()).toBe('')
  await put('e', '1', { messageId: 'm4' })
  await put('f', '1', { messageId: 'm5' })
  await put('g', '1', { messageId: 'm6' })
  await undone({ scope: 'message', id: 'm5' }, { messageId: 'm7' })
  expect(files()).toBe('e')
})

test('an unknown change lists the known ones', async () => {
  await put('a', '1', { messageId: 'm1', toolCallId: 'c1' })
  await expect(undone({ scope: 'call', id: 'nope' })).rejects.toThrow(
    'There is no recorded change for call nope. These can be undone, newest first: c1.',
  )
  await expect(undone({ scope: 'turn', id: 'nope' })).rejects.toThrow('These can be undone, newest first: m1')
  await expect(undone({ scope: 'message' })).rejects.toThrow('Give the id of the message')
  const other = { session: { id: 'another' } }
  await expect(ws.call(undo, { scope: 'call' }, other)).rejects.toThrow('nothing to undo')
})

test('an undo can be undone, and a turn that undid something is undone without it', async () => {
  await put('a', 'one', { messageId: 'm1' })
  await put('a', 'two', { messageId: 'm2', toolCallId: 'c2' })
  await undone({ scope: 'call', id: 'c2' }, { messageId: 'm2', toolCallId: 'u1' })
  expect(ws.text('a')).toBe('one')
  await undone({ scope: 'call', id: 'u1' }, { messageId: 'm2', toolCallId: 'u2' })
  expect(ws.text('a')).toBe('two')
  await undone({ scope: 'turn', id: 'm2' }, { messageId: 'm3' })
  expect(ws.text('a')).toBe('one')
})

test('files changed by others are skipped and listed, the rest is restored', async () => {
  await put('a', 'one')
  await put('b', 'one')
  writeFileSync(ws.at('a'), 'theirs')
  const text = await undone({ scope: 'turn' })
  expect(text).toContain('Removed, because they did not exist before:\n  b\n')
  expect(text).toContain('Skipped:\n  a: it has been changed since by someone else or by a command')
  expect(ws.text('a')).toBe('theirs')
  const { output } = await ws.call(undo, { scope: 'turn' })
  expect(undo.display?.(output, { scope: 'turn' })).toEqual({
    title: 'Undo a turn',
    summary: '0 restored, 1 skipped',
    content: { kind: 'list', path: 'Restored or removed', entries: [], left: 0 },
  })
})

test('commands in between are listed as not undoable', async () => {
  const mark = markOf({ ...ws.ctx, messageId: 'm1', toolCallId: 'bash-1' })
  await put('a', 'one', { messageId: 'm1' })
  await ws.ctx.state.undo.command(mark, 'npm install\necho done')
  await ws.ctx.state.undo.command({ ...mark, messageId: 'm2', toolCallId: 'bash-2' }, 'rm -rf build')
  const text = await undone({ scope: 'turn', id: 'm1' }, { messageId: 'm3' })
  expect(text).toContain('Changes made by these commands cannot be undone:\n  npm install')
  expect(text).not.toContain('rm -rf build')
  const again = await ws.call(undo, { scope: 'call', id: 'bash-1' })
  expect(again.text).toBe('Nothing was restored.\nChanges made by these commands cannot be undone:\n  npm install')
})

test('restored files must be read again before they are changed', async () => {
  await put('a', 'one\n')
  await put('a', 'two\n')
  await undone({ scope: 'call' })
  await expect(put('a', 'three\n')).rejects.toThrow('not read it yet')
})

test('a folder that became a link is not written through', async () => {
  mkdirSync(ws.at('folder'))
  await put('folder/a', 'one')
  await put('folder/a', 'two')
  renameSync(ws.at('folder'), `${ws.root}/../outside`)
  symlinkSync('../outside', ws.at('folder'))
  expect(await undone({ scope: 'call' })).toContain('folder/a: its path now goes through a link')
})

test('for a long file, only the changed parts are stored, and it is restored byte for byte', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index % 100} ${'é'.repeat(index % 7)}`)
  ws.put('long.txt', lines.join('\r\n'))
  const before = ws.bytes('long.txt')
  await ws.call(read, { file_path: 'long.txt', limit: 10 })
  const change = { file_path: 'long.txt', old_string: 'line 42 ', new_string: 'changed\nline 42 ', replace_all: true }
  await ws.call(edit, change)
  await ws.call(edit, { file_path: 'long.txt', old_string: `line 0 \n`, new_string: '', replace_all: true })
  const kept = readdirSync(`${ws.root}/../undo/objects`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(`${entry.parentPath}/${entry.name}`).size)
  expect(Math.max(...kept)).toBeLessThan(20_000)
  await undone({ scope: 'turn' })
  expect(ws.bytes('long.txt').equals(before)).toBe(true)
  await undone({ scope: 'call', id: `undo-${calls}` })
  expect(ws.text('long.txt')).toContain('changed\r\nline 42 ')
})

test('a file with hard links is restored under its own name, with permissions; the others are unchanged', async () => {
  ws.put('run.sh', 'one\n')
  chmodSync(ws.at('run.sh'), 0o4750)
  linkSync(ws.at('run.sh'), ws.at('other.sh'))
  await ws.call(read, { file_path: 'run.sh' })
  await put('run.sh', 'two\n')
  writeFileSync(ws.at('other.sh'), 'theirs\n')
  await undone({ scope: 'call' })
  expect([ws.text('run.sh'), ws.text('other.sh')]).toEqual(['one\n', 'theirs\n'])
  expect(statSync(ws.at('run.sh')).mode & 0o7777).toBe(0o4750)
})

test('folders created for a file are removed with it, unless they have other contents', async () => {
  await put('p/q/r.txt', 'one\n')
  await put('p/q/s.txt', 'two\n')
  await undone({ scope: 'call' })
  expect(readdirSync(ws.at('p/q'))).toEqual(['r.txt'])
  await undone({ scope: 'call' })
  expect(ws.exists('p')).toBe(false)
  await put('p/q/r.txt', 'one\n')
  ws.put('p/own.txt', 'mine')
  await undone({ scope: 'call' })
  expect(readdirSync(ws.at('p'))).toEqual(['own.txt'])
})

test('earlier folders are kept, and names are escaped', async () => {
  mkdirSync(ws.at('empty'))
  await put('empty/a\u001b[2J\nb', 'one\n')
  expect(await undone({ scope: 'call' })).toContain('  "empty/a\\u001b[2J\\nb"\n')
  expect(readdirSync(ws.root)).toEqual(['empty'])
})
