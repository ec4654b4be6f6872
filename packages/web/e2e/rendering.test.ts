import { scriptedModel, type ScriptTurn } from '@troupe/core/testing'
import type { Metadata } from '@troupe/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace, type TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name =
  chromium === undefined ? 'how answers look (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'how answers look'

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const rich = String.raw`The roots are $x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$, it costs $5 and not $10, and \(e^{i\pi} + 1 = 0\).

$$
\sum_{n=1}^{\infty} \frac{1}{n^2} = \frac{\pi^2}{6}
$$

Hostile: $\href{javascript:alert(1)}{x}$, $\def\a{\a\a}\a$, $\class{evil}{y^2}$ and \(\rule{9999em}{9999em}\).

~~~ts
const answer: number = 42 // <img src=x onerror=alert(1)>
~~~

- In a list:

  ~~~py
  print("x")
  ~~~

| a | b |
|---|---|
| ${'wide'.repeat(60)} | $y^2$ |

![A pixel](data:image/png;base64,${pixel})
`
const scripts: Record<string, ScriptTurn[]> = {
  rich: [[{ text: rich }]],
  long: [[{ text: 'One, two,' }, { finish: 'length' }]],
  refused: [[{ error: { message: 'The key is not valid.', statusCode: 401 }, when: 'before' }]],
}

const stopped = (reason: 'steps' | 'budget', message: string): Metadata => ({ stopped: { reason, message } })

describe.skipIf(chromium === undefined)(name, () => {
  const model = scriptedModel(
    (prompt) => {
      const last = prompt.findLast((message) => message.role === 'user') as { content: { text: string }[] }
      const text = last.content.at(-1)?.text ?? ''
      return scripts[text]?.[0] ?? [{ text: `You said: ${text}` }]
    },
    { provider: 'test', modelId: 'script' },
  )
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      home: { 'config.json': '{"model": "test/script"}' },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('formulas, highlighted code, tables and images; nothing hostile gets through', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const answer = await chat.ask('rich')
    await answer.locator('.math-drawn').nth(2).waitFor()
    expect(await answer.locator('math').count()).toBeGreaterThanOrEqual(4)
    expect(
      await answer.locator('.math-display.math-drawn msup, .math-display.math-drawn munderover').count(),
    ).toBeGreaterThan(0)
    await expect.poll(() => answer.locator('p').first().innerText()).toContain('it costs $5 and not $10')
    await expect.poll(() => answer.locator('math a, math [href], .evil').count()).toBe(0)
    // Text that must not be rendered stays as written.
    await expect.poll(() => answer.textContent()).toContain(String.raw`\def\a{\a\a}\a`)
    const height = await answer.evaluate((element) => element.scrollHeight)
    expect(height).toBeLessThan(3000)
    await answer.locator('.hljs-keyword', { hasText: 'const' }).waitFor()
    await expect
      .poll(() => answer.locator('.code-block code').innerText())
      .toBe('const answer: number = 42 // <img src=x onerror=alert(1)>')
    await answer.locator('.code-inline-block .hljs-built_in', { hasText: 'print' }).waitFor()
    const pre = answer.locator('.code-block pre')
    await answer.getByRole('button', { name: 'Wrap long lines', exact: true }).click()
    await expect.poll(() => pre.evaluate((element) => getComputedStyle(element).whiteSpace)).toBe('pre-wrap')
    await answer.getByRole('button', { name: 'Don’t wrap long lines' }).click()
    const table = answer.getByRole('group', { name: 'Table' })
    await expect.poll(() => table.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    await expect
      .poll(() => chat.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth))
      .toBe(true)

    const image = answer.getByRole('button', { name: 'Enlarge A pixel' })
    await image.focus()
    await chat.page.keyboard.press('Enter')
    const viewer = chat.page.getByRole('dialog', { name: 'A pixel' })
    await viewer.getByRole('button', { name: 'Zoom in' }).click()
    expect(await viewer.locator('img').evaluate((element) => element.clientWidth)).toBeGreaterThan(1)
    await chat.page.keyboard.press('Escape')
    await viewer.waitFor({ state: 'detached' })
    await expect.poll(() => image.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('a provider’s refusal is shown with its reason, and a remedy', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.ask('refused')
    await expect.poll(() => chat.lastAnswer.getByRole('alert').innerText()).toContain('The key is not valid.')
    await expect.poll(() => chat.lastAnswer.getByRole('alert').innerText()).toContain('refused the API key')
    await chat.lastAnswer.getByRole('button', { name: 'Check API key' }).waitFor()
    await chat.lastAnswer.getByRole('button', { name: 'Try again' }).waitFor()
  })

  test('every kind of failure and limit is a card or a line with its own reason, and a way on', async () => {
    const { store, workspace: place } = workspace.server()
    const at = { sessionId: `ends${Date.now()}` }
    await store.sessions.create({ id: at.sessionId, workspaceId: place.id, title: 'How it ended' })
    const errors = ['ProviderRateLimit', 'ProviderOverloaded', 'ProviderConnection', 'ProviderStall', 'ContextTooLong']
    const ends: [string, Metadata][] = [
      ...errors.map((error): [string, Metadata] => [
        `The reason of ${error}`,
        { error: { name: error, message: `The reason of ${error}` } },
      ]),
      ['The turn reached its limit of 3 steps.', stopped('steps', 'The turn reached its limit of 3 steps.')],
      ['The budget is spent.', stopped('budget', 'The budget is spent.')],
      ['Interrupted: Troupe stopped', { interrupted: true }],
      ['Stopped by you after 840 ms', { aborted: true, elapsedMs: 840 }],
    ]
    let parentMessageId: string | null = null
    for (const [index, [, metadata]] of ends.entries()) {
      const [asked, answer] = [`q${index}`, `a${index}`]
      const parts = [{ type: 'text' as const, text: `As far as it came ${index}` }]
      await store.messages.add(at, { id: asked, role: 'user', parentMessageId, parts: [], createdAt: index })
      await store.messages.add(at, {
        id: answer,
        role: 'assistant',
        parentMessageId: asked,
        parts,
        metadata,
        createdAt: index,
      })
      parentMessageId = answer
    }
    const page = await workspace.sharedPage({ width: 1000, height: 2400 })
    await page.evaluate((id) => void (window.location.hash = `s=${id}`), at.sessionId)
    for (const [index, [reason, { error }]] of ends.entries()) {
      const answer = page.getByRole('article', { name: 'Answer' }).filter({ hasText: `As far as it came ${index}` })
      await answer.getByText(reason).waitFor()
      await expect
        .poll(() => answer.getByRole('button', { name: 'Try again' }).count())
        .toBe(error === undefined ? 0 : 1)
      await expect
        .poll(() => answer.getByRole('button', { name: 'Continue' }).count())
        .toBe(index === ends.length - 1 ? 1 : 0)
    }
    const last = page.getByRole('article', { name: 'Answer' }).last()
    await last.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('This message has no answer.').waitFor()
    await page.getByRole('button', { name: 'Answer now' }).click()
    await last.getByText('You said:').waitFor()
  })

  test('a cut answer continues below, and shows how it ended', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.ask('long')
    await chat.lastAnswer.getByText('Cut off at the model’s output limit').waitFor()
    await chat.lastAnswer.getByRole('button', { name: 'Continue' }).click()
    await chat.lastAnswer.getByText(/Continue from exactly this point/).waitFor()
    await chat.finished()
    await expect.poll(() => chat.answers.count()).toBe(2)
    await expect.poll(() => chat.own.count()).toBe(1)
    // The answer was continued: the button is offered only at the end.
    await expect.poll(() => chat.page.getByRole('button', { name: 'Continue' }).count()).toBe(0)
    await expect.poll(() => chat.answers.first().locator('.facts').innerText()).toMatch(/test\/script.*tokens/s)
  })

  test('there were no errors', () => {
    // The context ring may ask about an answer that a test has just deleted.
    expect(workspace.complaints.filter((one) => !/404 .*\/context\?leaf=a8/.test(one))).toEqual([])
  })
})
