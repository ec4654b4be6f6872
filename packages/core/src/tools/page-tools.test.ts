import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgentState } from '../create-agent-state.ts'
import { shownTools } from '../mcp/tool-search.ts'
import { testToolContext } from '../testing/test-tool-context.ts'
import { getBuiltinTools } from '../tool-set.ts'
import { unwrapResult, type AskRequest, type Tool } from '../tool.ts'
import notify from './notify.ts'
import openUrl from './open-url.ts'
import pickFile from './pick-file.ts'
import readClipboard from './read-clipboard.ts'
import showPanel from './show-panel.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'page-tools-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Calls a tool whose page says this. */
async function call(tool: Tool, input: object, output: unknown, blobs: Record<string, string> = {}) {
  const asked: AskRequest[] = []
  const ctx = testToolContext({
    state: createAgentState({ workspace: folder, outputFolder: path.join(folder, 'output') }),
    ask: (request) => {
      asked.push(request)
      return Promise.resolve({ type: 'answers', answers: { status: 'success', output } })
    },
    blobs: {
      put: () => Promise.reject(new Error('not here')),
      get: (sha256) => {
        const text = blobs[sha256]
        return Promise.resolve(text === undefined ? undefined : { bytes: Buffer.from(text), mediaType: 'text/plain' })
      },
    },
  })
  const parsed: unknown = tool.input.parse(input)
  const result = unwrapResult(await (tool.execute(parsed, ctx) as Promise<unknown>))
  return { ...result, text: result.modelText ?? tool.toModel?.(result.output, parsed), asked }
}

test('tools of pages are shown to a model only while a page offers them', () => {
  const names = (offers?: (action: string) => boolean) =>
    shownTools(getBuiltinTools(), [], offers)
      .filter(({ group }) => group === 'page')
      .map(({ name }) => name)
  expect(names()).toEqual([])
  expect(names((action) => action === 'open-url')).toEqual(['OpenUrl'])
  expect(names(() => true)).toEqual(
    expect.arrayContaining(['Notify', 'OpenUrl', 'PickFile', 'ReadClipboard', 'ShowPanel']),
  )
})

describe('OpenUrl', () => {
  test('opens a whole address and tells what can be known of it', async () => {
    const page = { url: 'https://example.com/', viewKey: 'browser:https://example.com/' }
    const { output, text, asked } = await call(openUrl, { url: 'example.com' }, { ...page, loaded: true })
    expect(asked).toMatchObject([{ kind: 'browser', content: { action: 'open-url', input: { url: page.url } } }])
    expect(output).toEqual({ ...page, loaded: true })
    expect(text).toContain('It has loaded.')
    expect((await call(openUrl, { url: 'localhost:3000' }, page)).text).toContain('cannot be observed')
  })

  test('other schemes are refused before anything is asked, and what it touches is what it opens', async () => {
    const ctx = testToolContext()
    expect(await openUrl.validate?.({ url: 'javascript:alert(1)' }, ctx)).toMatch('only http and https')
    expect(await openUrl.validate?.({ url: 'https://a:b@c.de' }, ctx)).toMatch('user name or password')
    expect(openUrl.touches?.({ url: 'example.com' }, { cwd: '/' })).toEqual([
      { kind: 'url', url: 'https://example.com/' },
    ])
    expect(openUrl.input.safeParse({ url: 'x', timeoutSec: 90_000 }).success).toBe(false)
  })
})

test('a long clipboard is kept as a file, an empty one is said to be empty', async () => {
  expect((await call(readClipboard, {}, { text: 'copied' })).text).toBe('copied')
  expect((await call(readClipboard, {}, { text: '' })).text).toBe('The clipboard holds no text.')
  const long = await call(readClipboard, {}, { text: 'x'.repeat(50_000) })
  expect(long.output).toMatchObject({ characters: 50_000 })
  const { path: file } = long.output as { path: string }
  expect(await readFile(file, 'utf8')).toHaveLength(50_000)
})

test('picked files become files in the output folder, whatever they are called', async () => {
  const [one, two] = ['a'.repeat(64), 'b'.repeat(64)]
  const file = (name: string, sha256: string) => ({ name, sha256, size: 3, mediaType: 'text/plain' })
  const files = [file('../../etc/passwd', one), file('data.csv', two), file('DATA.csv', one)]
  const { output } = await call(pickFile, { multiple: true }, { files }, { [one]: 'one', [two]: 'two' })
  const copies = (output as { files: { path: string }[] }).files
  expect(copies.map((copy) => path.relative(folder, copy.path))).toEqual([
    'output/picked-call-1/-..-etc-passwd',
    'output/picked-call-1/data.csv',
    'output/picked-call-1/DATA-2.csv',
  ])
  expect(await Promise.all(copies.map((copy) => readFile(copy.path, 'utf8')))).toEqual(['one', 'two', 'one'])
  await expect(call(pickFile, {}, { files: [file('x', one)] })).rejects.toThrow('did not arrive')
  await expect(call(pickFile, {}, { files: [{ ...file('x', one), sha256: '../x' }] })).rejects.toThrow('cannot be read')
})

test('a notification says how it was shown, a panel whether it is in sight', async () => {
  expect((await call(notify, { title: 'Done' }, { shown: 'notice' })).text).toContain('stands in the page')
  const shown = await call(
    showPanel,
    { kind: 'file', target: 'a.ts', line: 3 },
    { viewKey: 'file:a.ts', inSight: false },
  )
  expect(shown.asked).toMatchObject([
    { content: { action: 'show-panel', input: { kind: 'file', target: 'a.ts', line: 3 } } },
  ])
  expect(shown.text).toContain('looking at something else')
})
