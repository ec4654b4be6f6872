import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgentState } from '../run/create-agent-state.ts'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import edit from './edit.ts'
import read from './read.ts'
import write from './write.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

const isRoot = process.getuid?.() === 0

async function written(before: string | Uint8Array, content: string): Promise<Buffer> {
  ws.put('a.txt', before)
  await ws.call(read, { file_path: 'a.txt' })
  await ws.call(write, { file_path: 'a.txt', content })
  return ws.bytes('a.txt')
}

test('a new file is written with the folders above it', async () => {
  const { text, output } = await ws.call(write, { file_path: 'deep/er/a.txt', content: 'one\r\ntwo\n' })
  expect(text).toBe('Created deep/er/a.txt (2 lines).')
  expect(ws.text('deep/er/a.txt')).toBe('one\r\ntwo\n')
  expect(readdirSync(ws.at('deep/er'))).toEqual(['a.txt'])
  expect(write.display?.(output, { file_path: '', content: '' })).toEqual({
    title: 'Create deep/er/a.txt',
    summary: '+2 -0',
    content: {
      kind: 'diff',
      path: 'deep/er/a.txt',
      change: 'created',
      diff: '@@ -0,0 +1,2 @@\n+one\n+two\n',
      added: 2,
      removed: 0,
    },
  })
  writeFileSync(ws.at('plain'), '')
  expect(statSync(ws.at('deep/er/a.txt')).mode).toBe(statSync(ws.at('plain')).mode)
})

test('an agent can overwrite its own file; empty content is valid', async () => {
  await ws.call(write, { file_path: 'a.txt', content: 'one\n' })
  const { text } = await ws.call(write, { file_path: 'a.txt', content: 'two\n' })
  expect(text).toBe('Changed a.txt (+1 -1).\n@@ -1 +1 @@\n-one\n+two')
  await ws.call(write, { file_path: 'a.txt', content: '' })
  expect(ws.text('a.txt')).toBe('')
  expect((await ws.call(write, { file_path: 'a.txt', content: '' })).text).toContain('Nothing was changed')
})

test('an existing file must have been read, whole, by this agent, and be unchanged since', async () => {
  ws.put('a.txt', 'one\ntwo\n')
  const input = { file_path: 'a.txt', content: 'new\n' }
  await expect(ws.call(write, input)).rejects.toThrow('"a.txt" exists and you have not read it yet. Read it first.')
  await ws.call(read, { file_path: 'a.txt', limit: 1 })
  await expect(ws.call(write, input)).rejects.toThrow('only part of "a.txt"')
  await expect(ws.call(write, input)).rejects.toThrow('(offset 2)')
  await ws.call(read, { file_path: 'a.txt', offset: 2 })
  await expect(ws.call(write, input, ws.another())).rejects.toThrow('not read it yet')
  writeFileSync(ws.at('a.txt'), 'one\ntwx\n')
  await expect(ws.call(write, input)).rejects.toThrow('has changed since you read it')
  expect(ws.text('a.txt')).toBe('one\ntwx\n')
  await ws.call(read, { file_path: 'a.txt' })
  await ws.call(write, input)
  expect(ws.text('a.txt')).toBe('new\n')
})

test('a long file can be replaced after it was read completely', async () => {
  const lines = Array.from({ length: 9000 }, (_, index) => `line ${index} ${'x'.repeat(40)}\n`)
  ws.put('long.txt', lines.join(''))
  const input = { file_path: 'long.txt', content: 'short\n' }
  for (let offset = 1; ;) {
    await expect(ws.call(write, input)).rejects.toThrow(/ead it first|Read the rest first/)
    const { output } = await ws.call(read, { file_path: 'long.txt', offset })
    if (output.kind !== 'text' || output.next === undefined) break
    offset = output.next
  }
  await ws.call(write, input)
  expect(ws.text('long.txt')).toBe('short\n')
})

test('an edit keeps the read state: whole stays whole, a part stays a part', async () => {
  ws.put('a.txt', 'one\ntwo\n')
  await ws.call(read, { file_path: 'a.txt' })
  await ws.call(edit, { file_path: 'a.txt', old_string: 'one', new_string: '1' })
  await ws.call(write, { file_path: 'a.txt', content: 'x\ny\n' })
  ws.put('b.txt', 'one\ntwo\n')
  await ws.call(read, { file_path: 'b.txt', limit: 1 })
  await ws.call(edit, { file_path: 'b.txt', old_string: 'one', new_string: '1' })
  await expect(ws.call(write, { file_path: 'b.txt', content: 'x' })).rejects.toThrow('only part')
})

test.each<[string, string, string, string]>([
  ['CRLF file, LF content', 'a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
  ['CRLF file, CRLF content', 'a\r\nb\r\n', 'x\r\ny\r\n', 'x\r\ny\r\n'],
  ['CRLF file, mixed content', 'a\r\nb\r\n', 'x\r\ny\n', 'x\r\ny\r\n'],
  ['LF file, CRLF content', 'a\nb\n', 'x\r\ny\r\n', 'x\ny\n'],
  ['mostly CRLF', 'a\r\nb\r\nc\n', 'x\ny\n', 'x\r\ny\r\n'],
  ['mostly LF', 'a\r\nb\nc\n', 'x\r\ny\n', 'x\ny\n'],
  ['as many of each, CRLF first', 'a\r\nb\n', 'x\n', 'x\r\n'],
  ['as many of each, LF first', 'a\nb\r\n', 'x\r\n', 'x\n'],
  ['none before', 'a', 'x\r\ny\n', 'x\r\ny\n'],
  ['a lone carriage return is text', 'a\n', 'x\ry\n', 'x\ry\n'],
])('line endings are kept: %s', async (_, before, content, expected) => {
  expect(JSON.stringify((await written(before, content)).toString())).toBe(JSON.stringify(expected))
})

test.each<[string, (text: string) => Buffer]>([
  ['UTF-8 with mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16 LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['Latin-1', (text) => Buffer.from(text, 'latin1')],
])('%s is kept', async (_, encode) => {
  expect((await written(encode('été\r\n'), 'à\nbientôt\n')).equals(encode('à\r\nbientôt\r\n'))).toBe(true)
  expect((await written(encode('été\r\n'), '\ufeffencore\n')).equals(encode('encore\r\n'))).toBe(true)
})

test('characters outside the encoding are rejected and nothing changes', async () => {
  const before = Buffer.from('été\n', 'latin1')
  await expect(written(before, '漢字\n')).rejects.toThrow('Latin-1, which has no "漢"')
  expect(ws.bytes('a.txt').equals(before)).toBe(true)
})

test('an image that was read can be replaced by text', async () => {
  ws.put('pic.svg', Buffer.from('89504e470d0a1a0a00000000', 'hex'))
  await ws.call(read, { file_path: 'pic.svg' })
  await ws.call(write, { file_path: 'pic.svg', content: '<svg/>\n' })
  expect(ws.text('pic.svg')).toBe('<svg/>\n')
})

test('a placeholder for code that is left out is refused in a file that exists', async () => {
  await expect(written('a\nb\n', 'A\n// ... rest of the code ...\n')).rejects.toThrow('instead of code')
  expect(ws.text('a.txt')).toBe('a\nb\n')
})

test('permissions and owner are kept; links are followed inside and refused outside', async () => {
  ws.put('run.sh', 'one\n')
  chmodSync(ws.at('run.sh'), 0o4711)
  if (isRoot) chownSync(ws.at('run.sh'), 1234, 2345)
  const { uid, gid } = statSync(ws.at('run.sh'))
  chmodSync(ws.at('run.sh'), 0o4711)
  symlinkSync('run.sh', ws.at('link'))
  await ws.call(read, { file_path: 'link' })
  await ws.call(write, { file_path: 'link', content: 'two\n' })
  expect(statSync(ws.at('run.sh'))).toMatchObject({ uid, gid })
  expect(statSync(ws.at('run.sh')).mode & 0o7777).toBe(0o4711)
  expect(ws.text('run.sh')).toBe('two\n')
  symlinkSync('../outside', ws.at('out'))
  await expect(ws.call(write, { file_path: 'out', content: 'x' })).rejects.toThrow('outside the workspace')
  mkdirSync(path.join(ws.root, '../folder'))
  symlinkSync('../folder', ws.at('folder'))
  await expect(ws.call(write, { file_path: 'folder/new.txt', content: 'x' })).rejects.toThrow('outside the workspace')
  expect(readdirSync(path.join(ws.root, '../folder'))).toEqual([])
})

test('a read-only file, a folder and a path through a file are refused', async () => {
  ws.put('a.txt', 'one\n')
  chmodSync(ws.at('a.txt'), 0o444)
  await ws.call(read, { file_path: 'a.txt' })
  await expect(ws.call(write, { file_path: 'a.txt', content: 'x' })).rejects.toThrow(
    '"a.txt" is read-only, so it was not changed',
  )
  mkdirSync(ws.at('folder'))
  await expect(ws.call(write, { file_path: 'folder', content: 'x' })).rejects.toThrow('is a folder')
  await expect(ws.call(write, { file_path: 'folder/', content: 'x' })).rejects.toThrow('is a folder')
  await expect(ws.call(write, { file_path: 'a.txt/b', content: 'x' })).rejects.toThrow('is a file, not a folder')
  await expect(ws.call(write, { file_path: 'n'.repeat(300), content: 'x' })).rejects.toThrow('too long')
  expect(readdirSync(ws.root).toSorted()).toEqual(['a.txt', 'folder'])
})

test.skipIf(isRoot)('an unwritable folder leaves everything unchanged', async () => {
  ws.put('closed/a.txt', 'one\n')
  chmodSync(ws.at('closed'), 0o555)
  await ws.call(read, { file_path: 'closed/a.txt' })
  await expect(ws.call(write, { file_path: 'closed/a.txt', content: 'x' })).rejects.toThrow('permission denied')
  await expect(ws.call(write, { file_path: 'closed/new/b.txt', content: 'x' })).rejects.toThrow('permission denied')
  expect(ws.text('closed/a.txt')).toBe('one\n')
})

test('a full disk is reported, and leaves no partial file', async ({ skip }) => {
  const disk = path.join(ws.root, '../disk')
  mkdirSync(disk)
  if (!mountSmall(disk)) skip('only root can mount a small disk')
  try {
    const state = createAgentState({
      workspace: disk,
      outputFolder: path.join(ws.root, '../output'),
      undoFolder: path.join(ws.root, '../undo'),
    })
    writeFileSync(path.join(disk, 'a.txt'), 'precious\n')
    await ws.call(read, { file_path: 'a.txt' }, { state })
    const content = 'x'.repeat(4 * 2 ** 20)
    await expect(ws.call(write, { file_path: 'a.txt', content }, { state })).rejects.toThrow(
      '"a.txt" was not written: the disk is full. Free some space, then try again. Nothing was changed.',
    )
    await expect(ws.call(write, { file_path: 'new/b.txt', content }, { state })).rejects.toThrow('the disk is full')
    expect(execFileSync('find', [disk, '-type', 'f'], { encoding: 'utf8' })).toBe(`${path.join(disk, 'a.txt')}\n`)
    expect(readdirSync(disk)).toEqual(['a.txt'])
    expect(execFileSync('cat', [path.join(disk, 'a.txt')], { encoding: 'utf8' })).toBe('precious\n')
    expect(await state.undo.list({})).toEqual([])
    const full = createAgentState({
      workspace: ws.root,
      outputFolder: path.join(disk, 'output'),
      undoFolder: path.join(disk, 'undo'),
    })
    ws.put('big.txt', content)
    await ws.call(read, { file_path: 'big.txt' }, { state: full })
    await expect(
      ws.call(edit, { file_path: 'big.txt', old_string: content, new_string: 'y' }, { state: full }),
    ).rejects.toThrow('the disk is full')
    expect(ws.text('big.txt')).toBe(content)
    expect(readdirSync(ws.root)).toEqual(['big.txt'])
  } finally {
    execFileSync('umount', [disk])
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

test('two concurrent writes leave one of them, whole', async () => {
  const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000))
  await ws.call(write, { file_path: 'a.txt', content: 'start' })
  await Promise.all(contents.map((content) => ws.call(write, { file_path: 'a.txt', content })))
  expect(contents).toContain(ws.text('a.txt'))
  const fresh = await Promise.allSettled(
    contents.map((content) => ws.call(write, { file_path: 'new.txt', content }, ws.another())),
  )
  expect(fresh.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
  expect(contents).toContain(ws.text('new.txt'))
})

test('a file created between check and write is not overwritten', async () => {
  const { undo } = ws.ctx.state
  const state = {
    ...ws.ctx.state,
    undo: {
      ...undo,
      async before(...given: Parameters<typeof undo.before>) {
        writeFileSync(ws.at('new.txt'), 'theirs')
        return undo.before(...given)
      },
    },
  }
  await expect(ws.call(write, { file_path: 'new.txt', content: 'mine' }, { state })).rejects.toThrow(
    'was just created by someone else',
  )
  expect(ws.text('new.txt')).toBe('theirs')
  expect(readdirSync(ws.root)).toEqual(['new.txt'])
})

test('a very long change shows a part of its diff, with a note', async () => {
  const lines = (word: string): string => Array.from({ length: 5000 }, (_, index) => `${word} ${index}\n`).join('')
  await ws.call(write, { file_path: 'a.txt', content: lines('before') })
  const { text, output } = await ws.call(write, { file_path: 'a.txt', content: lines('after') })
  expect(output).toMatchObject({ added: 5000, removed: 5000, cut: true })
  expect(text.length).toBeLessThan(7000)
  expect(text).toMatch(/\(the diff continues\)$/)
})

test('a new file with a placeholder line is rejected', async () => {
  const content = 'class A {\n  // rest of methods ...\n}\n'
  await expect(ws.call(write, { file_path: 'new.ts', content })).rejects.toThrow(/instead of code/)
  expect(ws.exists('new.ts')).toBe(false)
})
