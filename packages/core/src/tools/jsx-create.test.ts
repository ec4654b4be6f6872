import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decide } from '../permission/decide.ts'
import { createPolicy } from '../permission/policy.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import { testToolContext, type TestToolContext } from '../testing/test-tool-context.ts'
import { type Tool, unwrapResult } from '../tool/tool.ts'
import applyPatch from './apply-patch.ts'
import edit from './edit.ts'
import jsxCreate from './jsx-create.ts'
import read from './read.ts'
import write from './write.ts'

let folder: string
let previews: string
let ctx: TestToolContext
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-jsx-'))
  previews = path.join(folder, 'home', 'jsx')
  const state = createAgentState({
    workspace: folder,
    outputFolder: path.join(folder, 'home', 'output'),
    jsxFolder: previews,
  })
  ctx = testToolContext({ state: { ...state, roots: [path.join(folder, 'work')] }, messageId: 'm1' })
})
afterEach(() => rmSync(folder, { recursive: true }))

async function call(tool: Tool, input: unknown): Promise<{ output: unknown; modelText?: string }> {
  return unwrapResult(await tool.execute(input, ctx))
}

const good = '<Card title="Hello"><Text>there</Text></Card>'

test('a valid source becomes a file of the answer', async () => {
  const { output } = await call(jsxCreate, good)
  expect(output).toEqual({ ok: true, path: path.join(previews, 'm1.jsx'), messageId: 'm1' })
  expect(readFileSync(path.join(previews, 'm1.jsx'), 'utf8')).toBe(good)
})

test('the card has the page’s own title, and the model learns what was left out', async () => {
  expect(jsxCreate.display?.({ ok: true, path: '', messageId: '' }, good)).toEqual({ title: 'Hello' })
  expect(jsxCreate.display?.({ ok: true, path: '', messageId: '' }, '<Text>x</Text>')).toEqual({ title: 'Preview' })
  const { modelText = '' } = await call(jsxCreate, '<h1 className="p-4 nope" onClick="go()">Hi</h1>')
  expect(JSON.parse(modelText)).toMatchObject({
    ok: true,
    notes: [
      'Handlers must be functions, such as onClick={() => …}. Removed: onClick.',
      'Unknown classes were ignored: nope.',
    ],
  })
})

test('a second call in the same answer has its own file', async () => {
  await call(jsxCreate, good)
  const { output } = await call(jsxCreate, '<Text>second</Text>')
  expect(output).toMatchObject({ path: path.join(previews, 'm1-2.jsx') })
  expect(readFileSync(path.join(previews, 'm1.jsx'), 'utf8')).toBe(good)
  expect(readdirSync(previews)).toEqual(['m1-2.jsx', 'm1.jsx'])
})

test('an invalid source is kept, the error names file, line and column, and tools that change files mend it', async () => {
  const file = path.join(previews, 'm1.jsx')
  await expect(call(jsxCreate, '<Card>\n  <Text>{total}</Text>\n</Card>')).rejects.toThrow(
    `line 2, column 10: "total" is not defined. Write the value itself, or define it above: const total = … It is saved in ${file}`,
  )
  expect(readFileSync(file, 'utf8')).toContain('{total}')

  const patch = (from: string, to: string) =>
    call(applyPatch, {
      patch: `*** Begin Patch\n*** Update File: ${file}\n@@\n <Card>\n-  <Text>${from}</Text>\n+  <Text>${to}</Text>\n </Card>\n*** End Patch`,
    })
  expect((await patch('{total}', '{sum}')).modelText).toContain('invalid and not shown: line 2, column 10')
  expect((await patch('{sum}', '42')).modelText).toContain('The preview is valid and shown.')
  const edited = await call(edit, { file_path: file, old_string: '42', new_string: '<b>42', replace_all: false })
  expect(edited.modelText).toContain('not shown: line 2, column 14')
  await call(read, { file_path: file })
  expect((await call(write, { file_path: file, content: good })).modelText).toContain('valid and shown')
})

test('previews need no approval; other files in the folder do', async () => {
  const policy = createPolicy({}, { troupeHome: path.join(folder, 'home') })
  const decided = async (tool: Tool, input: unknown) => (await decide({ tool, input }, ctx, policy)).decision
  expect(await decided(jsxCreate, good)).toBe('allow')
  expect(await decided(write, { file_path: path.join(previews, 'm1.jsx'), content: good })).toBe('allow')
  expect(await decided(write, { file_path: path.join(previews, '../token'), content: 'x' })).toBe('ask')
  expect(await decided(write, { file_path: path.join(folder, 'work', 'a.txt'), content: 'x' })).toBe('ask')
})
