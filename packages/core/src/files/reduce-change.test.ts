import { Buffer } from 'node:buffer'
import type { DiffDisplay, PatchDisplay } from '@troupe/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import type { Tool } from '../tool/tool.ts'
import applyPatch from '../tools/apply-patch.ts'
import edit from '../tools/edit.ts'
import notebookEdit from '../tools/notebook-edit.ts'
import read from '../tools/read.ts'
import write from '../tools/write.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

interface Accepting {
  ids: string[]
  /** Reduces and runs the call with these hunks, by position. */
  accept(
    ...positions: number[]
  ): Promise<{ input: never; accepted: number; total: number; rejected: string; text: string }>
}

/** Previews a call as an approval does. */
async function preview(tool: Tool, input: object): Promise<Accepting> {
  const parsed: unknown = tool.input.parse(input)
  const shown = (await tool.preview?.(parsed, ws.ctx)) as DiffDisplay | PatchDisplay
  const ids = (shown.kind === 'patch' ? shown.files : [shown]).flatMap(({ hunks }) => hunks?.map(({ id }) => id) ?? [])
  return {
    ids,
    async accept(...positions) {
      const reduced = await tool.reduce!(parsed, new Set(positions.map((position) => ids[position]!)), ws.ctx)
      const { text } = await ws.call(tool, reduced.input as object)
      return { ...(reduced as never as { input: never; accepted: number; total: number; rejected: string }), text }
    },
  }
}

async function withFile(content: string | Uint8Array, name = 'a.txt'): Promise<void> {
  ws.put(name, content)
  await ws.call(read, { file_path: name })
}

const lines = (...texts: string[]): string => texts.map((text) => `${text}\n`).join('')
const now = (name = 'a.txt'): string => ws.bytes(name).toString()

describe('Write', () => {
  test('makes only the accepted changes, and says what was rejected', async () => {
    await withFile(lines('a', 'b', 'c', 'd', 'e'))
    const { ids, accept } = await preview(write, { file_path: 'a.txt', content: lines('A', 'b', 'C', 'd', 'E') })
    expect(ids).toHaveLength(3)
    const { accepted, total, rejected, input } = await accept(0, 2)
    expect(now()).toBe(lines('A', 'b', 'c', 'd', 'E'))
    expect({ accepted, total, input }).toEqual({
      accepted: 2,
      total: 3,
      input: { file_path: 'a.txt', content: lines('A', 'b', 'c', 'd', 'E') },
    })
    expect(rejected).toBe('--- a.txt\n@@ -3,1 +3,1 @@\n-c\n+C')
  })

  test.each([
    ['CRLF', 'a\r\nb\r\nc\r\n', 'A\nb\nC\n', 'a\r\nb\r\nC\r\n'],
    ['no newline at the end', 'a\nb\nc', 'A\nb\nc\n', 'a\nb\nc\n'],
    ['at the start and the end', 'a\nb', 'x\na\nb\ny\n', 'a\nb\ny\n'],
    ['other scripts', '甲\n中\n😀\n', 'é\n中\nשלום 👩‍👧\n', '甲\n中\nשלום 👩‍👧\n'],
    ['deleted lines', 'a\nb\nc\n', 'b\n', 'a\nb\n'],
  ])('%s', async (_, before, content, after) => {
    await withFile(before)
    const { ids, accept } = await preview(write, { file_path: 'a.txt', content })
    expect(ids).toHaveLength(2)
    await accept(1)
    expect(now()).toBe(after)
  })

  test('UTF-16 and Latin-1 stay what they are', async () => {
    await withFile(Buffer.from('\ufeffä\nb\nc\n', 'utf16le'))
    await (await preview(write, { file_path: 'a.txt', content: 'ö\nb\n中\n' })).accept(1)
    expect(ws.bytes('a.txt')).toEqual(Buffer.from('\ufeffä\nb\n中\n', 'utf16le'))
    await withFile(Buffer.from('ä\nb\nc\n', 'latin1'), 'b.txt')
    await (await preview(write, { file_path: 'b.txt', content: 'ö\nb\nü\n' })).accept(1)
    expect(ws.bytes('b.txt')).toEqual(Buffer.from('ä\nb\nü\n', 'latin1'))
  })

  test('a new file is one hunk', async () => {
    const { ids, accept } = await preview(write, { file_path: 'new/b.txt', content: lines('a', 'b') })
    expect(ids).toHaveLength(1)
    expect((await accept(0)).input).toEqual({ file_path: 'new/b.txt', content: lines('a', 'b') })
    expect(now('new/b.txt')).toBe(lines('a', 'b'))
  })

  test('a file that changed since is not written, and a hunk of another file is not accepted', async () => {
    await withFile(lines('a', 'b', 'c'))
    const { accept, ids } = await preview(write, { file_path: 'a.txt', content: lines('A', 'b', 'C') })
    ws.put('a.txt', lines('a', 'b', 'c', 'mine'))
    await expect(accept(0)).rejects.toThrow(/Read it again|no longer as it was/)
    expect(now()).toBe(lines('a', 'b', 'c', 'mine'))
    await withFile(lines('a', 'b', 'c'), 'other.txt')
    const other = write.input.parse({ file_path: 'other.txt', content: lines('A', 'b', 'C') })
    await expect(write.reduce!(other, new Set([ids[0]!]), ws.ctx)).rejects.toThrow('no longer as it was')
  })
})

describe('Edit', () => {
  const text = lines('same', 'a', 'x', 'same', 'b', 'same', 'c')

  test('becomes an edit of the accepted lines, unique in the file', async () => {
    await withFile(lines('same', 'b', 'same', '', '', '') + text)
    const change = { old_string: 'a\nx\nsame\nb\nsame\nc', new_string: 'A\nx\nsame\nB\nsame\nC' }
    const { ids, accept } = await preview(edit, { file_path: 'a.txt', ...change })
    expect(ids).toHaveLength(3)
    await accept(1)
    expect(now()).toBe(lines('same', 'b', 'same', '', '', '') + text.replace('x\nsame\nb', 'x\nsame\nB'))
  })

  test('some of all occurrences are replaced', async () => {
    await withFile(lines('one', '1', '2', '3', '4', '5', '6', '7', '8', 'one', '', 'one'))
    const all = { file_path: 'a.txt', old_string: 'one', new_string: 'two', replace_all: true }
    const { ids, accept } = await preview(edit, all)
    expect(ids).toHaveLength(3)
    await accept(0, 2)
    expect(now()).toBe(lines('two', '1', '2', '3', '4', '5', '6', '7', '8', 'one', '', 'two'))
  })

  test('a change elsewhere in the file does not matter, one in the lines shown does', async () => {
    const file = lines('head', ...'1234567890'.split(''), 'a', 'b', 'c', 'd', 'e')
    await withFile(file)
    const change = { old_string: 'a\nb\nc', new_string: 'A\nb\nC' }
    const { accept } = await preview(edit, { file_path: 'a.txt', ...change })
    ws.put('a.txt', file.replace('3\n', '3\nmore\n').replace('\ne\n', '\nE\n'))
    await expect(accept(1)).rejects.toThrow('no longer as it was')
    ws.put('a.txt', `new\n${file}`)
    await accept(1)
    expect(now()).toBe(`new\n${file.replace('c\n', 'C\n')}`)
  })

  test('any choice of changes to any lines is made, by Edit as by Write', async () => {
    const line = fc.constantFrom('a', 'b', '', '  x', 'ü', '中', '}')
    const property = fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 14 }),
      fc.array(line, { minLength: 1, maxLength: 14 }),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }),
      async (before, after, end, choices) => {
        const [old, wanted] = [`${before.join('\n')}\nend\n`, `${after.join('\n')}\nend\n`]
        if (wanted === old) return
        const made: string[] = []
        const change = { file_path: 'a.txt', old_string: old, new_string: wanted }
        for (const [tool, input] of [
          [write, { file_path: 'a.txt', content: wanted }],
          [edit, change],
        ] as const) {
          await withFile(old.replaceAll('\n', end))
          const { ids, accept } = await preview(tool as Tool, input)
          const positions = ids.map((_, index) => index).filter((index) => choices[index])
          if (positions.length > 0) await accept(...positions)
          if (positions.length === ids.length) expect(now()).toBe(wanted.replaceAll('\n', end))
          made.push(now())
        }
        expect(made[0]).toBe(made[1])
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })
})

describe('ApplyPatch', () => {
  const patch = `*** Begin Patch
*** Update File: a.txt
@@
-a
+A
 b
-c
+C
*** Add File: new.txt
+one
+two
*** Delete File: gone.txt
*** Update File: from.txt
*** Move to: to.txt
@@
 x
-y
+Y
*** End Patch`

  beforeEach(async () => {
    await withFile('a\r\nb\r\nc')
    await withFile(lines('x', 'y'), 'from.txt')
    await withFile(lines('gone'), 'gone.txt')
  })

  const state = (): unknown =>
    ['a.txt', 'new.txt', 'gone.txt', 'from.txt', 'to.txt'].map((name) => (ws.exists(name) ? now(name) : null))

  test.each([
    ['a change of the first file', [0], ['A\r\nb\r\nc', null, 'gone\n', 'x\ny\n', null]],
    ['a line at the end without a newline', [1], ['a\r\nb\r\nC\r\n', null, 'gone\n', 'x\ny\n', null]],
    ['the new file only', [2], ['a\r\nb\r\nc', 'one\ntwo\n', 'gone\n', 'x\ny\n', null]],
    ['the deletion only', [3], ['a\r\nb\r\nc', null, null, 'x\ny\n', null]],
    ['the move without its change', [4], ['a\r\nb\r\nc', null, 'gone\n', null, 'x\ny\n']],
    ['the change without the move', [5], ['a\r\nb\r\nc', null, 'gone\n', 'x\nY\n', null]],
    ['all but one', [0, 1, 2, 4, 5], ['A\r\nb\r\nC\r\n', 'one\ntwo\n', 'gone\n', null, 'x\nY\n']],
  ])('%s', async (_, positions, expected) => {
    const { ids, accept } = await preview(applyPatch, { patch })
    expect(ids).toHaveLength(6)
    const { rejected } = await accept(...positions)
    expect(state()).toEqual(expected)
    expect(rejected).toContain('--- ')
  })

  test('one file that changed since stops all of them', async () => {
    const { accept } = await preview(applyPatch, { patch })
    ws.put('a.txt', 'a\r\nB\r\nc')
    await expect(accept(2)).rejects.toThrow('a.txt')
    expect(ws.exists('new.txt')).toBe(false)
  })
})

test('a notebook cell keeps the rejected lines', async () => {
  const cells = [{ cell_type: 'code', id: 'c1', metadata: {}, outputs: [], source: ['a\n', 'b\n', 'c'] }]
  await withFile(JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }), 'n.ipynb')
  const input = { notebook_path: 'n.ipynb', cell_id: 'c1', new_source: 'A\nb\nC' }
  const { ids, accept } = await preview(notebookEdit, input)
  expect(ids).toHaveLength(2)
  expect((await accept(1)).input).toMatchObject({ new_source: 'a\nb\nC' })
  expect(JSON.parse(now('n.ipynb'))).toMatchObject({ cells: [{ source: ['a\n', 'b\n', 'C'] }] })
})
