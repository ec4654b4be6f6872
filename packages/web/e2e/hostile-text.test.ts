import type { Part, StoredMessage } from '@troupe/core/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hostileVectors } from './hostile-vectors.ts'
import { openWorkspace } from './open-workspace.ts'
import type { TestWorkspace } from './open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'hostile text (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'hostile text'

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '')
  })
  afterEach(() => workspace.closePages())
  afterAll(() => workspace?.close())

  test('in any part of a message, in titles and in search results it is only text', async () => {
    await storeHostileSession(workspace)
    const page = await workspace.open()
    await page.getByRole('navigation').getByRole('button').filter({ hasText: 'hostile' }).first().click()
    await page.getByRole('article', { name: 'Answer' }).first().waitFor()
    let seen = 0
    for (let top = Number.MAX_SAFE_INTEGER; top > 0;) {
      await page.evaluate(() => {
        for (const closed of document.querySelectorAll<HTMLElement>('.list [aria-expanded="false"]')) closed.click()
        for (const element of document.querySelectorAll('.prose *'))
          element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
      })
      seen += await page.locator('.prose').count()
      top = await page.evaluate(() => {
        const scroller = document.querySelector('.list-scroller')
        if (scroller !== null) scroller.scrollTop -= 700
        return scroller?.scrollTop ?? 0
      })
    }
    expect(seen).toBeGreaterThan(hostileVectors.length)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('hit')
    await page.locator('.hit-snippet').first().waitFor()
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
    expect(workspace.complaints).toEqual([])
  })

  test('displays have no links but those of the web and of our own blobs, and no styles', async () => {
    const page = await workspace.open()
    await page.getByRole('navigation').getByRole('button').filter({ hasText: 'hostile' }).first().click()
    await page.getByRole('article', { name: 'Answer' }).first().waitFor()
    const { figures, odd } = await page.evaluate(async () => {
      for (const closed of document.querySelectorAll<HTMLElement>('.tool [aria-expanded="false"]')) closed.click()
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const found: string[] = []
      for (const element of document.querySelectorAll('.tool *')) {
        if (/^(SCRIPT|STYLE|IFRAME|OBJECT|EMBED|FORM|INPUT|LINK|META|BASE|TEMPLATE)$/i.test(element.nodeName))
          found.push(element.nodeName)
        for (const { name: attribute, value } of element.attributes) {
          if (/^(on|style$|srcset$|ping$|formaction$)/.test(attribute)) found.push(`${element.nodeName} ${attribute}`)
          if (/^(href|src)$/.test(attribute) && !/^(https?:\/\/|\/ai\/blobs\/[0-9a-f]{64}$)/.test(value))
            found.push(`${element.nodeName} ${attribute}=${value}`)
        }
      }
      return { figures: document.querySelectorAll('.tool figure').length, odd: found }
    })
    expect(figures).toBeGreaterThan(10)
    expect(odd).toEqual([])
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
    expect(workspace.complaints).toEqual([])
  })

  test('what is left of it keeps to the allow list', async () => {
    const page = await workspace.open()
    await page.getByRole('navigation').getByRole('button').filter({ hasText: 'hostile' }).first().click()
    await page.getByRole('article', { name: 'Answer' }).first().waitFor()
    const odd = await page.evaluate(() => {
      const own = ['BUTTON', 'FIGURE', 'FIGCAPTION', 'DIV', 'SPAN', 'svg', 'path', 'rect', 'PRE']
      const found: string[] = []
      for (const element of document.querySelectorAll('.prose-block *')) {
        const tag = element.nodeName
        if (
          /^(SCRIPT|STYLE|IFRAME|OBJECT|EMBED|FORM|INPUT|SVG|MATH|VIDEO|AUDIO|LINK|META|BASE|TEMPLATE)$/i.test(tag) &&
          !own.includes(tag)
        )
          found.push(tag)
        for (const { name: attribute, value } of element.attributes) {
          if (/^(on|style$|id$|name$|srcset$|ping$|formaction$|background$|data-)/.test(attribute))
            found.push(`${tag} ${attribute}`)
          if (
            (attribute === 'href' || attribute === 'src') &&
            !/^(https?:\/\/|mailto:|data:image\/(png|jpeg|gif|webp);)/.test(value)
          )
            found.push(`${tag} ${attribute}=${value}`)
        }
        if (
          tag === 'A' &&
          element.hasAttribute('href') &&
          element.getAttribute('rel') !== 'noopener noreferrer nofollow'
        )
          found.push('A without rel')
      }
      return found
    })
    expect(odd).toEqual([])
  })
})

async function storeHostileSession(workspace: TestWorkspace): Promise<void> {
  const { store, workspace: place } = workspace.server()
  const at = { sessionId: 'hostile' }
  await store.sessions.create({
    id: at.sessionId,
    workspaceId: place.id,
    title: `hostile ${hostileVectors.slice(0, 4).join(' ')}`.slice(0, 400),
  })
  let parentMessageId: string | null = null
  for (const [index, vector] of hostileVectors.entries()) {
    const user: StoredMessage = {
      id: `u${index}`,
      parentMessageId,
      role: 'user',
      parts: [{ type: 'text', text: vector }],
      createdAt: index * 2,
    }
    const answer: StoredMessage = {
      id: `a${index}`,
      parentMessageId: user.id,
      role: 'assistant',
      parts: partsWith(vector, index),
      metadata: {
        model: vector,
        stopped: { reason: 'denied', message: vector },
        error: { name: vector, message: vector },
      },
      createdAt: index * 2 + 1,
    }
    await store.messages.add(at, user)
    await store.messages.add(at, answer)
    parentMessageId = answer.id
  }
}

type Json = NonNullable<Extract<Part, { toolCallId: string }>['toolMetadata']>[string]

/** The same text wherever a display can hold one, and in places where something else belongs. */
function displaysWith(text: string): Json[] {
  const address = `javascript:window.hit=1//${text}`
  const line = { number: 1, text, match: true }
  return [
    { kind: 'diff', path: text, change: text, from: text, diff: `@@ -1 +1 @@ ${text}\n-${text}\n+${text}` },
    { kind: 'diff', path: text, diff: text, change: 'moved', from: text },
    { kind: 'patch', files: [{ path: text, diff: `--- ${text}\n+++ ${text}\n@@ -1 +1 @@\n+${text}` }, text] },
    { kind: 'terminal', command: text, text: `\x1b[31m${text}\x1b[0m`, status: text, exitCode: text },
    { kind: 'terminal', command: text, text, taskId: text, spilled: { path: text, length: text } },
    { kind: 'file', path: text, text, from: text, lines: text, more: text },
    { kind: 'list', path: text, entries: [{ name: text, kind: text, depth: text, count: 1 }, text], left: text },
    { kind: 'matches', pattern: text, files: [{ path: text, lines: [line, text] }], more: true },
    { kind: 'page', url: address, title: text, status: text, text, characters: 9e9 },
    { kind: 'results', query: text, results: [{ title: text, url: address, text }] },
    { kind: 'image', path: text, mediaType: 'image/png', sha256: text },
    { kind: 'image', path: text, mediaType: text, sha256: '0'.repeat(63) + text },
    { kind: 'checklist', items: [{ content: text, status: text }, text] },
    ...['diff', 'patch', 'terminal', 'file', 'list', 'matches', 'page', 'results', 'checklist'].flatMap((kind) => [
      { kind, text: [text] },
      { kind, diff: null, files: [null], lines: text, entries: text, results: [1], items: [[text]], url: 1 },
    ]),
    { kind: text },
    { kind: 'constructor' },
    { kind: '__proto__' },
  ]
}

/** The same text wherever a message can hold one. */
function partsWith(text: string, index: number): Part[] {
  const notes = { actionName: text, display: { title: text, summary: text, content: text } }
  return [
    { type: 'reasoning', id: 'r', text, state: 'done' },
    { type: 'text', text, state: 'done' },
    {
      type: 'tool-Write',
      toolCallId: `k${index}`,
      state: 'output-available',
      input: { [text]: text },
      output: { html: text },
      toolMetadata: { troupe: notes },
    },
    {
      type: 'dynamic-tool',
      toolName: text,
      toolCallId: `d${index}`,
      state: 'output-error',
      input: text,
      errorText: text,
    },
    {
      type: 'tool-TodoWrite',
      toolCallId: `t${index}`,
      state: 'output-available',
      input: {},
      output: { todos: [{ content: text, status: 'in_progress', activeForm: text }] },
    },
    {
      type: 'tool-TimeNow',
      toolCallId: `n${index}`,
      state: 'output-available',
      input: {},
      output: { iso: text, timezone: text, weekday: text },
    },
    ...displaysWith(text).map((content, at) => ({
      type: 'tool-Own' as const,
      toolCallId: `o${index}-${at}`,
      state: 'output-available' as const,
      input: {},
      output: {},
      toolMetadata: { troupe: { display: { content } } },
    })),
    { type: 'file', url: `javascript:window.hit=1//${text}`, mediaType: 'image/png', filename: text },
    { type: 'file', url: 'https://elsewhere.invalid/file.png', mediaType: 'image/png', filename: text },
    { type: 'source-url', sourceId: 's', url: 'javascript:window.hit=1', title: text },
    { type: 'data-compaction', data: { id: 'c', upTo: { messageId: 'm', step: 0 }, summary: text } },
    { type: 'data-anything', data: { [text]: [text] } },
    { type: 'steering-message', id: 'st', parts: [{ type: 'text', text }] },
  ]
}
