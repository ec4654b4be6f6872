import type { Part, StoredMessage } from '@troupe/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hostileVectors, triedVectors } from './testing/hostile-vectors.ts'
import { openWorkspace, type TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'hostile text (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'hostile text'

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '')
    await storeHostileSession(workspace)
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('there are more than two thousand of them', () => {
    expect(hostileVectors.length).toBeGreaterThan(2000)
  })

  test('in any part of a message it is only text, and its markup is on the allow list', async () => {
    // Tall enough to draw many messages at once.
    const page = await workspace.sharedPage({ width: 1200, height: 3000 })
    await page.getByRole('navigation').getByRole('button').filter({ hasText: 'hostile' }).first().click()
    await page.getByRole('article', { name: 'Answer' }).first().waitFor()
    const shown = new Set<number>()
    while (!shown.has(0)) {
      const { numbers, odd } = await page.evaluate(lookAround)
      expect(odd).toEqual([])
      for (const number of numbers) shown.add(number)
    }
    expect(shown.size).toBe(triedVectors.length)
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
    expect(workspace.complaints).toEqual([])
  })

  test('in titles and in search results it is only text', async () => {
    const page = await workspace.sharedPage({ width: 1200, height: 3000 })
    const rows = page
      .getByRole('navigation')
      .getByRole('button')
      .filter({ hasText: /^hostile \d/ })
    await rows.nth(Math.floor(triedVectors.length / 100)).waitFor()
    await page.keyboard.press('Control+Shift+F')
    await page.keyboard.type('hit')
    await page.locator('.hit-snippet').nth(20).waitFor()
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
    expect(await page.locator('.sidebar :is(script, style, iframe, img, form)').count()).toBe(0)
    expect(workspace.complaints).toEqual([])
  })
})

/** Runs in the page: opens and touches everything drawn, reports unexpected elements, and scrolls on. */
async function lookAround(): Promise<{ numbers: number[]; odd: string[] }> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  // previews.test.ts opens the same vectors as previews.
  const folded = '.list [aria-expanded="false"]:not([aria-haspopup], .fence-preview *)'
  for (const closed of document.querySelectorAll<HTMLElement>(folded)) closed.click()
  await frame()
  await frame()
  const odd: string[] = []
  const forbidden =
    /^(SCRIPT|STYLE|IFRAME|OBJECT|EMBED|FORM|INPUT|SELECT|TEXTAREA|VIDEO|AUDIO|LINK|META|BASE|TEMPLATE)$/i
  const address = /^(https?:\/\/|mailto:|data:image\/(png|jpeg|gif|webp);|\/ai\/blobs\/[0-9a-f]{64}$)/
  for (const element of document.querySelectorAll('.prose-block *, .tool *, .reasoning *, .source, .bubble *')) {
    for (const event of ['mouseover', 'pointerenter', 'focusin', 'animationstart', 'toggle'])
      element.dispatchEvent(new Event(event, { bubbles: true }))
    // Choices of ours: changes of a diff, code or preview. Markup of others keeps no such classes.
    const isChoice = element.matches('.diff-hunk label > input, .segment > input')
    if (forbidden.test(element.nodeName) && !isChoice) odd.push(element.nodeName)
    const isOwn = element.closest('button, figcaption, svg, .table-scroll, .math-drawn, .tool') !== null
    for (const { name: attribute, value } of element.attributes) {
      if (/^(on|srcset$|ping$|formaction$|background$|action$|poster$)/.test(attribute))
        odd.push(`${element.nodeName} ${attribute}`)
      if (!isOwn && element.className !== 'reasoning-body' && /^(style$|id$|name$|data-)/.test(attribute))
        odd.push(`${element.nodeName} ${attribute}`)
      if (/(href|src)$/.test(attribute) && !address.test(value)) odd.push(`${element.nodeName} ${attribute}=${value}`)
    }
    if (element.matches('a[href]:not([rel="noopener noreferrer nofollow"])')) odd.push('A without rel')
  }
  const numbers = [...document.querySelectorAll('.prose')].flatMap(({ textContent }) => {
    const number = /Vector (\d+)\./.exec(textContent)?.[1]
    return number === undefined ? [] : [Number(number)]
  })
  const top = document.querySelector('.list article')?.getBoundingClientRect().top ?? 0
  document.querySelector('.list-scroller')?.scrollBy(0, Math.min(top, 0) - 2000)
  await frame()
  return { numbers, odd }
}

/** At least two dozen messages, so that every kind of part is used. */
const together = Math.min(40, Math.ceil(triedVectors.length / 24))

/**
 * Stores a conversation with every vector as the text of an answer, and in turn in every other text field of a message.
 */
async function storeHostileSession(workspace: TestWorkspace): Promise<void> {
  const { store, workspace: place } = workspace.server()
  const groups = Array.from({ length: Math.ceil(triedVectors.length / together) }, (_, index) =>
    triedVectors.slice(index * together, (index + 1) * together),
  )
  for (const [index, group] of groups.entries())
    await store.sessions.create({
      id: `t${index}`,
      workspaceId: place.id,
      title: `hostile ${index} ${group.join(' ')}`,
    })
  let parentMessageId: string | null = null
  const at = { sessionId: 't0' }
  for (const [index, group] of groups.entries()) {
    const user: StoredMessage = {
      id: `u${index}`,
      parentMessageId,
      role: 'user',
      parts: [{ type: 'text', text: group.join('\n') }],
      createdAt: index * 2,
    }
    const answer: StoredMessage = {
      id: `a${index}`,
      parentMessageId: user.id,
      role: 'assistant',
      parts: [
        ...group.map((vector, inGroup): Part => {
          return { type: 'text', text: `Vector ${index * together + inGroup}.\n\n${vector}`, state: 'done' }
        }),
        ...partsWith(group, index),
      ],
      metadata: metadataWith(group[index % group.length] as string),
      createdAt: index * 2 + 1,
    }
    await store.messages.add(at, user)
    await store.messages.add(at, answer)
    parentMessageId = answer.id
  }
}

function metadataWith(text: string): NonNullable<StoredMessage['metadata']> {
  return { model: text, stopped: { reason: 'denied', message: text }, error: { name: text, message: text } }
}

type Json = NonNullable<Extract<Part, { toolCallId: string }>['toolMetadata']>[string]

/** Returns displays with the texts in every text field, and in fields of other types. */
function displaysWith(texts: string[]): Json[] {
  const [text = ''] = texts
  const all = texts.join('\n')
  const address = `javascript:window.hit=1//${text}`
  const names = texts.map((name) => ({ name, kind: name, depth: name, count: 1 }))
  return [
    { kind: 'diff', path: text, change: text, from: text, diff: `@@ -1 +1 @@ ${text}\n-${all}\n+${all}` },
    { kind: 'diff', path: text, diff: all, change: 'moved', from: text },
    { kind: 'patch', files: [{ path: text, diff: `--- ${text}\n+++ ${text}\n@@ -1 +1 @@\n+${all}` }, text] },
    { kind: 'terminal', command: all, text: `\x1b[31m${all}\x1b[0m`, status: text, exitCode: text },
    { kind: 'terminal', command: text, text: all, taskId: text, spilled: { path: text, length: text } },
    { kind: 'file', path: text, text: all, from: text, lines: text, more: text },
    { kind: 'list', path: text, entries: [...names, text], left: text },
    { kind: 'matches', pattern: text, files: texts.map(matchesIn), more: true },
    { kind: 'page', url: address, title: text, status: text, text: all, characters: 9e9 },
    { kind: 'results', query: text, results: texts.map((title) => ({ title, url: address, text: title })) },
    { kind: 'image', path: text, mediaType: 'image/png', sha256: text },
    { kind: 'image', path: text, mediaType: text, sha256: '0'.repeat(63) + text },
    { kind: 'checklist', items: [...texts.map((content) => ({ content, status: content })), text] },
    ...['diff', 'patch', 'terminal', 'file', 'list', 'matches', 'page', 'results', 'checklist'].flatMap((kind) => [
      { kind, text: [text] },
      { kind, diff: null, files: [null], lines: text, entries: text, results: [1], items: [[text]], url: 1 },
    ]),
    { kind: text },
    { kind: 'constructor' },
    { kind: '__proto__' },
  ]
}

function matchesIn(text: string) {
  return { path: text, lines: [{ number: 1, text, match: true }, text] }
}

/** Returns parts with the texts in all other text fields, and some of the displays in turn. */
function partsWith(texts: string[], index: number): Part[] {
  const text = texts[index % texts.length] as string
  const notes = { actionName: text, display: { title: text, summary: text, content: text } }
  const displays = displaysWith(texts.toSorted(() => (index % 2 === 0 ? 1 : -1)))
  return [
    ...texts
      .slice(0, 3)
      .map((reasoning, at): Part => ({ type: 'reasoning', id: `r${at}`, text: reasoning, state: 'done' })),
    {
      type: 'tool-Write',
      toolCallId: `k${index}`,
      state: 'output-available',
      input: Object.fromEntries(texts.map((one) => [one, one])),
      output: { html: texts },
      toolMetadata: { troupe: notes },
    },
    {
      type: 'dynamic-tool',
      toolName: text,
      toolCallId: `d${index}`,
      state: 'output-error',
      input: text,
      errorText: texts.join('\n'),
    },
    {
      type: 'tool-TodoWrite',
      toolCallId: `t${index}`,
      state: 'output-available',
      input: {},
      output: { todos: texts.map((content) => ({ content, status: 'in_progress', activeForm: content })) },
    },
    {
      type: 'tool-TimeNow',
      toolCallId: `n${index}`,
      state: 'output-available',
      input: {},
      output: { iso: text, timezone: text, weekday: text },
    },
    ...displays
      .filter((_, at) => at % 7 === index % 7)
      .map((content, at) => ({
        type: 'tool-Own' as const,
        toolCallId: `o${index}-${at}`,
        state: 'output-available' as const,
        input: {},
        output: {},
        toolMetadata: { troupe: { display: { content } } },
      })),
    ...texts.map((filename): Part => ({
      type: 'file',
      url: `javascript:window.hit=1//${filename}`,
      mediaType: 'image/png',
      filename,
    })),
    { type: 'file', url: 'https://elsewhere.invalid/file.png', mediaType: 'image/png', filename: text },
    { type: 'source-url', sourceId: 's', url: 'javascript:window.hit=1', title: text },
    { type: 'data-compaction', data: { id: 'c', upTo: { messageId: 'm', step: 0 }, summary: text } },
    { type: 'data-anything', data: { [text]: texts } },
    { type: 'steering-message', id: 'st', parts: [{ type: 'text', text }] },
  ]
}
