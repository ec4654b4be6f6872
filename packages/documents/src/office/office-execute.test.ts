import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  createAgentState,
  findLibreOffice,
  findTool,
  getBuiltinTools,
  type Tool,
  type ToolContext,
  unwrapResult,
} from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDocuments } from '../open-documents.ts'

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-office-test-')))
const root = path.join(base, 'workspace')
const documents = openDocuments()
let ctx: ToolContext
beforeAll(() => {
  mkdirSync(root)
  const state = createAgentState({
    workspace: root,
    outputFolder: path.join(base, 'output'),
    undoFolder: path.join(base, 'undo'),
  })
  const put = (bytes: Uint8Array, mediaType: string) =>
    Promise.resolve({ sha256: 'a'.repeat(64), size: bytes.length, mediaType })
  ctx = { ...testToolContext({ state }), documents, blobs: { put, get: () => Promise.resolve(undefined) } }
})
afterAll(() => {
  documents.close()
  rmSync(base, { recursive: true, force: true })
})

let calls = 0
async function call(
  name: string,
  input: object,
  context = ctx,
): Promise<{ output: Record<string, unknown>; text: string }> {
  const tool = findTool(name, getBuiltinTools()) as Tool
  const parsed: unknown = tool.input.parse(input)
  const own = { ...context, toolCallId: `call-${++calls}` }
  const { output, modelText } = unwrapResult(await tool.execute(parsed, own))
  return { output: output as Record<string, unknown>, text: modelText ?? '' }
}

const insert = (markdown: string): object => ({ action: 'insert', markdown })

test('a document is created, edited after it was read, and undone', async () => {
  const created = await call('office-execute', { path: 'a.docx', actions: [insert('# Title\n\nHello world')] })
  expect(created.text).toContain('Created a.docx')
  const before = readFileSync(path.join(root, 'a.docx'))
  const replace = { action: 'replace_text', find: 'world', replace: 'there' }
  const { output } = await call('OfficeExecute', { path: 'a.docx', actions: [replace] })
  expect(output).toMatchObject({ change: 'changed', added: 1, removed: 1 })
  expect(output['diff']).toContain('-Hello world\n+Hello there')
  const [last] = await ctx.state.undo.list({})
  await ctx.state.undo.undo([last!])
  expect(readFileSync(path.join(root, 'a.docx')).equals(before)).toBe(true)
})

test('a failed action changes nothing', async () => {
  await call('OfficeExecute', { path: 'b.docx', actions: [insert('One')] })
  const before = readFileSync(path.join(root, 'b.docx'))
  const wrong = { path: 'b.docx', actions: [insert('Two'), { action: 'delete', at: 'Nowhere' }] }
  await expect(call('OfficeExecute', wrong)).rejects.toThrow('Action 2 (delete) failed, so nothing was changed')
  expect(readFileSync(path.join(root, 'b.docx')).equals(before)).toBe(true)
})

test('a file that was not read, or changed since, is refused', async () => {
  await call('OfficeExecute', { path: 'c.docx', actions: [insert('One')] })
  const bytes = readFileSync(path.join(root, 'c.docx'))
  writeFileSync(path.join(root, 'd.docx'), bytes)
  await expect(call('OfficeExecute', { path: 'd.docx', actions: [insert('x')] })).rejects.toThrow('not read it yet')
  writeFileSync(path.join(root, 'c.docx'), Buffer.concat([bytes, Buffer.from(' ')]))
  await expect(call('OfficeExecute', { path: 'c.docx', actions: [insert('x')] })).rejects.toThrow('changed since')
})

test('the approval shows the change', async () => {
  await call('OfficeExecute', { path: 'e.docx', actions: [insert('One\n\nTwo')] })
  const tool = findTool('OfficeExecute', getBuiltinTools()) as Tool
  const input: unknown = tool.input.parse({ path: 'e.docx', actions: [{ action: 'delete', at: 'One' }] })
  expect(await tool.preview?.(input, ctx)).toMatchObject({ kind: 'diff', path: 'e.docx', removed: 1, added: 0 })
})

test.skipIf(findLibreOffice() === undefined)(
  'a document is converted to PDF and rendered (needs LibreOffice)',
  async () => {
    await call('OfficeExecute', { path: 'f.docx', actions: [insert('# Rendered')] })
    await call('OfficeExecute', { path: 'f.pdf', from: 'f.docx' })
    expect(readFileSync(path.join(root, 'f.pdf')).subarray(0, 5).toString()).toBe('%PDF-')
    const { output } = await call('OfficeExecute', { path: 'f.docx', actions: [insert('More'), { action: 'render' }] })
    expect(output['images']).toMatchObject([{ anchor: 'p. 1', mediaType: 'image/png', blob: 'a'.repeat(64) }])
  },
  60_000,
)

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('without LibreOffice, a PDF is printed from Markdown with its pictures, or from the text of a document', async () => {
  vi.stubEnv('LIBREOFFICE_PATH', '/nowhere/soffice')
  const pages: string[] = []
  const pdf = (html: string) => Promise.resolve(Buffer.from(`%PDF-${pages.push(html)}`))
  const printing = { ...ctx, printer: { isAvailable: () => true, pdf } }
  try {
    writeFileSync(path.join(root, 'dot.png'), dot, 'base64')
    const markdown =
      '# Plan <b>\n\n- one\n- [two](javascript:x)\n\n![A dot](dot.png)\n\n| a | b |\n|---|--:|\n| 1 | 2 |'
    const created = await call('OfficeExecute', { path: 'plan.pdf', actions: [insert(markdown)] }, printing)
    expect(created.text).toContain('Printed with Chromium')
    expect(readFileSync(path.join(root, 'plan.pdf'), 'utf8')).toBe('%PDF-1')
    expect(pages[0]).toContain(`src="data:image/png;base64,${dot}"`)
    expect(pages[0]).toContain('<td dir="auto" style="text-align:right">2</td>')
    expect(pages[0]).not.toContain('javascript:')

    const actions = [insert('# Offer\n\n1. first\n2. second\n\nThe end & more')]
    await call('OfficeExecute', { path: 'offer.docx', actions }, printing)
    await call('OfficeExecute', { path: 'offer.pdf', from: 'offer.docx' }, printing)
    for (const part of ['<h1 dir="auto">Offer</h1>', '<ol start="2"', 'The end &amp; more'])
      expect(pages[1]).toContain(part)
    expect(pages[1]).not.toContain('¶')

    await expect(call('OfficeExecute', { path: 'none.pdf', from: 'offer.docx' })).rejects.toThrow(
      'Neither LibreOffice nor Chromium is installed',
    )
    const sheet = [{ action: 'set_cells', cell: 'A1', values: [[1]] }]
    await expect(call('OfficeExecute', { path: 'sums.ods', actions: sheet }, printing)).rejects.toThrow(
      'LibreOffice is not installed',
    )
  } finally {
    vi.unstubAllEnvs()
  }
})
