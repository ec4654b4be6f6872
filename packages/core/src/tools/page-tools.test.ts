import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgentState } from '../run/create-agent-state.ts'
import { testToolContext } from '../testing/test-tool-context.ts'
import { openTestWorkspace } from '../testing/test-workspace.ts'
import { getBuiltinTools, shownTools } from '../tool/tool-set.ts'
import { type AskRequest, type Tool, unwrapResult } from '../tool/tool.ts'
import notify from './notify.ts'
import openUrl from './open-url.ts'
import pickFile from './pick-file.ts'
import readClipboard from './read-clipboard.ts'
import read from './read.ts'
import showPanel from './show-panel.ts'
import write from './write.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'page-tools-'))
})
afterAll(() => rm(folder, { recursive: true }))

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

test('a page tool’s description includes the page’s notes, and is built once for the same notes', () => {
  const find = (...lines: string[]) =>
    shownTools(getBuiltinTools(), [], (action) => (action === 'show-panel' ? lines : false)).find(
      ({ name }) => name === 'ShowPanel',
    )
  expect(find()).toBe(getBuiltinTools().find(({ name }) => name === 'ShowPanel'))
  const told = find('orders: what was ordered')
  expect(told?.description).toMatch(/next to the chat[^]*\norders: what was ordered$/)
  expect(find('orders: what was ordered')).toBe(told)
  expect(find('other: words')?.description).not.toContain('orders')
})

describe('OpenUrl', () => {
  test('opens a full URL and reports its state', async () => {
    const page = { url: 'https://example.com/', viewKey: 'browser:https://example.com/' }
    const { output, text, asked } = await call(openUrl, { url: 'example.com' }, { ...page, loaded: true })
    expect(asked).toMatchObject([{ kind: 'browser', content: { action: 'open-url', input: { url: page.url } } }])
    expect(output).toEqual({ ...page, loaded: true })
    expect(text).toContain('It has loaded.')
    expect((await call(openUrl, { url: 'localhost:3000' }, page)).text).toContain('It is unknown whether it has loaded')
    const note = 'The host example.com was not found.'
    await expect(call(openUrl, { url: 'example.com' }, { ...page, loaded: false, note })).rejects.toThrow(
      new RegExp(`could not be read\\. ${note} The user has a link to it`),
    )
  })

  test('other schemes are rejected before asking, and its access is the URL it opens', async () => {
    const ctx = testToolContext()
    expect(await openUrl.validate?.({ url: 'javascript:alert(1)' }, ctx)).toMatch('Only http and https')
    expect(await openUrl.validate?.({ url: 'https://a:b@c.de' }, ctx)).toMatch('user name or password')
    expect(openUrl.touches?.({ url: 'example.com' }, { cwd: '/' })).toEqual([
      { kind: 'url', url: 'https://example.com/' },
    ])
    expect(openUrl.input.safeParse({ url: 'x', timeoutSec: 90_000 }).success).toBe(false)
  })
})

test('a long clipboard is stored as a file, an empty one is reported', async () => {
  expect((await call(readClipboard, {}, { text: 'copied' })).text).toBe('copied')
  expect((await call(readClipboard, {}, { text: '' })).text).toBe('The clipboard contains no text.')
  const long = await call(readClipboard, {}, { text: 'x'.repeat(50_000) })
  expect(long.output).toMatchObject({ characters: 50_000 })
  const { path: file } = long.output as { path: string }
  expect(await readFile(file, 'utf8')).toHaveLength(50_000)
})

test('picked files become files in the output folder, with any name', async () => {
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
  await expect(call(pickFile, {}, { files: [file('x', one)] })).rejects.toThrow('was not received')
  await expect(call(pickFile, {}, { files: [{ ...file('x', one), sha256: '../x' }] })).rejects.toThrow('invalid answer')
})

test('a notification reports how it was shown, a panel whether it is visible', async () => {
  expect((await call(notify, { title: 'Done' }, { shown: 'notice' })).text).toContain('is shown in the page')
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

describe('ShowPanel', () => {
  const workspace = openTestWorkspace()
  afterAll(() => workspace.close())
  /** Calls it with a page that shows everything. Returns the request to the page. */
  async function show(input: object) {
    const asked: AskRequest[] = []
    const ask = (request: AskRequest) => {
      asked.push(request)
      return Promise.resolve({ type: 'answers' as const, answers: { status: 'success', output: { viewKey: 'x' } } })
    }
    const { output, text } = await workspace.call(showPanel, input, { ask })
    expect(text).toBe('The panel x is open.')
    const [{ content }] = asked as [AskRequest]
    return { output, input: (content as { input: Record<string, unknown> }).input }
  }

  test('a diff compares with the state before the session, or with a given text', async () => {
    workspace.put('a.txt', 'one\ntwo\n')
    await expect(show({ kind: 'diff', target: 'a.txt' })).rejects.toThrow('Give the earlier text as "before"')
    await workspace.call(read, { file_path: 'a.txt' })
    await workspace.call(write, { file_path: 'a.txt', content: 'one\n2\n' })
    await workspace.call(write, { file_path: 'a.txt', content: 'one\n2\nthree\n' })
    const { input, output } = await show({ kind: 'diff', target: 'a.txt', title: 'Mine' })
    const content = { kind: 'diff', path: 'a.txt', change: 'changed', added: 2, removed: 1 }
    expect(input).toMatchObject({ kind: 'diff', target: 'a.txt', title: 'Mine', content })
    expect((input['content'] as { diff: string }).diff).toBe('@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n')
    // The card can open it again.
    expect(output).toMatchObject({ content })
    const given = await show({ kind: 'diff', target: 'a.txt', before: 'one\n2\n' })
    expect(given.input).toMatchObject({ content: { added: 1, removed: 0 } })
    expect(given.input).not.toHaveProperty('before')
    const texts = await show({ kind: 'diff', before: 'a', after: 'b', title: 'Two poems' })
    expect(texts.input).toMatchObject({ content: { path: 'Two poems', added: 1, removed: 1 } })
    await workspace.call(write, { file_path: 'new.txt', content: 'x\n' })
    expect((await show({ kind: 'diff', target: 'new.txt' })).input).toMatchObject({ content: { change: 'created' } })
    workspace.put('picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0]))
    await expect(show({ kind: 'diff', target: 'picture.png', before: 'x' })).rejects.toThrow('not a text file')
  })

  test('a chart is an option, a file with one, or the title of a shown one', async () => {
    const option = { series: [{ type: 'bar', data: [1, 2] }] }
    const content = { kind: 'chart', option }
    expect((await show({ kind: 'chart', option })).input).toMatchObject({ content })
    expect((await show({ kind: 'chart', option: JSON.stringify(option) })).input).toMatchObject({ content })
    workspace.put('chart.json', JSON.stringify({ option, title: 'Sales' }))
    expect((await show({ kind: 'chart', target: 'chart.json' })).input).toMatchObject({
      content: { ...content, title: 'Sales' },
    })
    expect((await show({ kind: 'chart', target: 'Sales of May' })).input).toEqual({
      kind: 'chart',
      target: 'Sales of May',
    })
    await expect(show({ kind: 'chart', option: { series: [], link: 'x' } })).rejects.toThrow('not allowed')
    workspace.put('broken.json', '{')
    await expect(show({ kind: 'chart', target: 'broken.json' })).rejects.toThrow('not valid JSON')
    const large = { series: [{ data: Array.from({ length: 30_000 }, () => 1) }] }
    await expect(show({ kind: 'chart', option: large })).rejects.toThrow('ChartRender')
  })

  test('panels of the page get their data; others need their target', async () => {
    expect((await show({ kind: 'orders', data: { customer: 7 } })).input).toEqual({
      kind: 'orders',
      data: { customer: 7 },
    })
    const complain = (input: object) => showPanel.validate?.(showPanel.input.parse(input), workspace.ctx)
    expect(complain({ kind: 'browser', target: 'https://example.com' })).toContain('OpenUrl')
    expect(complain({ kind: 'file' })).toContain('target')
    expect(complain({ kind: 'diff', before: 'x' })).toContain('"after"')
    expect(complain({ kind: 'chart' })).toContain('"option"')
    expect(complain({ kind: 'orders', data: { x: 'y'.repeat(60_000) } })).toContain('50000')
    expect(showPanel.input.safeParse({ kind: '../x' }).success).toBe(false)
  })

  test('files that it reads itself follow the rules for reading', () => {
    const touched = (input: object) => showPanel.touches?.(showPanel.input.parse(input), { cwd: '/' })
    expect(touched({ kind: 'diff', target: '.env' })).toEqual([{ kind: 'read', path: '.env' }])
    expect(touched({ kind: 'chart', target: 'a.json' })).toEqual([{ kind: 'read', path: 'a.json' }])
    expect(touched({ kind: 'diff', target: 'names only', before: 'a', after: 'b' })).toEqual([])
    expect(touched({ kind: 'file', target: 'a.ts' })).toEqual([])
  })
})

test('the description says that a person has ten minutes', () => {
  for (const { description, input } of [readClipboard, pickFile]) {
    expect(description).toContain('ten minutes')
    expect(JSON.stringify(z.toJSONSchema(input))).toContain('Default 600')
  }
})
