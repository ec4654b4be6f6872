import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import { getTools } from '../tool/tool-set.ts'
import type { Tool } from '../tool/tool.ts'
import read from '../tools/read.ts'
import { type CallPreview, previewCall } from './permit-call.ts'

let workspace: TestWorkspace
beforeEach(() => {
  workspace = openTestWorkspace()
})
afterEach(() => workspace.close())

const patch = `*** Begin Patch
*** Update File: a.txt
*** Move to: b.txt
@@
-two
+TWO
*** Add File: c.txt
+new
*** End Patch`

const notebook = JSON.stringify({
  cells: [
    { cell_type: 'code', id: 'x', source: ['a = 1\n', 'b = 2'], outputs: [], metadata: {}, execution_count: null },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
})

function show(name: string, input: object, tool: Tool = getTools([name])[0] as Tool): Promise<CallPreview> {
  return previewCall({ toolCallId: 'c', toolName: name, tool, input }, tool.input.parse(input), workspace.ctx)
}

it.each<[string, object]>([
  ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }],
  ['Write', { file_path: 'a.txt', content: 'one\n2\nthree\n' }],
  ['Write', { file_path: 'deep/new.txt', content: 'hello\n' }],
  ['ApplyPatch', { patch }],
  ['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'x', new_source: 'a = 1\nb = 3' }],
])('before %s is approved, the user sees the exact diff, and nothing has changed yet', async (name, input) => {
  workspace.put('a.txt', 'one\ntwo\nthree\n')
  workspace.put('n.ipynb', notebook)
  await workspace.call(read, { file_path: 'a.txt' })
  await workspace.call(read, { file_path: 'n.ipynb' })
  const [tool] = getTools([name])
  const { content } = await show(name, input)
  expect(workspace.text('a.txt')).toBe('one\ntwo\nthree\n')
  expect(workspace.text('n.ipynb')).toBe(notebook)
  expect(workspace.exists('deep/new.txt')).toBe(false)
  const { output } = await workspace.call(tool as Tool, input)
  expect(content).toMatchObject({ kind: name === 'ApplyPatch' ? 'patch' : 'diff' })
  // Only an approval offers the hunks.
  const diff: unknown = JSON.parse(
    JSON.stringify(content, (key, value: unknown) => (key === 'hunks' ? undefined : value)),
  )
  expect(diff).toEqual(tool?.display?.(output, input).content)
})

it('an input that cannot be previewed, or is too long, is shown as the model sent it', async () => {
  const given = await show('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' })
  expect(given.content).toMatchObject({ kind: 'diff', diff: '-two\n+TWO' })
  const content = Array.from({ length: 5000 }, (_, line) => `line ${line}`).join('\n')
  const long = await show('Write', { file_path: 'long.txt', content })
  expect(long.content).toMatchObject({ kind: 'file', text: content })
})

it('known secrets of a file that is read for the preview are not kept', async () => {
  workspace.put('a.txt', 'key=s3cret-s3cret\ntwo\n')
  await workspace.call(read, { file_path: 'a.txt' })
  const input = { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }
  const tool = getTools(['Edit'])[0] as Tool
  const call = { toolCallId: 'c', toolName: 'Edit', tool, input }
  const shown = await previewCall(call, tool.input.parse(input), workspace.ctx, (text) =>
    text.replaceAll('s3cret-s3cret', '[redacted]'),
  )
  expect(JSON.stringify(shown)).toContain('key=[redacted]')
  expect(JSON.stringify(shown)).not.toContain('s3cret')
})

it('a hanging preview does not block the approval', async () => {
  vi.useFakeTimers()
  try {
    const tool = { ...(getTools(['Write'])[0] as Tool), preview: () => new Promise(() => undefined) }
    const shown = show('Write', { file_path: 'a', content: 'x' }, tool)
    await vi.advanceTimersByTimeAsync(2000)
    expect((await shown).content).toMatchObject({ kind: 'file' })
  } finally {
    vi.useRealTimers()
  }
})
