import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import type { ScriptedModel, ScriptTurn } from '@troupe/core/testing'
import type { Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'page tools (skipped: no Chromium)' : 'page tools'

const wide = { width: 1440, height: 900 }
const patiently = { timeout: 15_000 }
const call = (tool: string, input: object): ScriptTurn => [{ call: { name: tool, input } }]
const chart = (value: number) => ({ xAxis: { data: ['May'] }, yAxis: {}, series: [{ type: 'bar', data: [value] }] })
const openPage = call('OpenUrl', { url: 'example.com/read' })
const scripts: Record<string, ScriptTurn[]> = {
  'open it': [openPage, [{ text: 'It is open.' }]],
  clipboard: [call('ReadClipboard', { reason: 'You said you copied a poem.' }), [{ text: 'Thanks.' }]],
  pick: [call('PickFile', { accept: '.txt' }), [{ text: 'Got it.' }]],
  notify: [call('Notify', { title: 'The build', body: 'is green' }), [{ text: 'Told.' }]],
  show: [call('ShowPanel', { kind: 'file', target: 'small.ts', line: 1 }), [{ text: 'Shown.' }]],
  'show more': [
    [
      { call: { name: 'ChartRender', input: { title: 'Rain', option: chart(3) } } },
      { call: { name: 'ShowPanel', input: { kind: 'diff', target: 'small.ts', before: 'const one = 0\n' } } },
      { call: { name: 'ShowPanel', input: { kind: 'chart', title: 'Sun', option: chart(7) } } },
      { call: { name: 'ShowPanel', input: { kind: 'branches', title: 'The map' } } },
      { call: { name: 'ShowPanel', input: { kind: 'debug' } } },
    ],
    call('ShowPanel', { kind: 'chart', target: 'Rain' }),
    [{ text: 'All shown.' }],
  ],
  'write, then clipboard': [
    [
      { call: { name: 'Write', input: { file_path: 'new.txt', content: 'x' } } },
      { call: { name: 'ReadClipboard', input: {} } },
    ],
    [{ text: 'Thanks.' }],
  ],
}

describe.skipIf(chromium === undefined || !full)(name, () => {
  let workspace: TestWorkspace
  let model: ScriptedModel
  beforeAll(async () => {
    model = scriptedModel(
      (prompt) => {
        const last = prompt.findLastIndex((message) => message.role === 'user')
        const said = prompt[last]?.content.at(-1) as { text: string } | undefined
        const step = prompt.slice(last).filter(({ role }) => role === 'assistant').length
        return scripts[said?.text ?? '']?.[step] ?? [{ text: 'Heard.' }]
      },
      { provider: 'test', modelId: 'script' },
    )
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      files: { 'small.ts': 'const one = 1\n' },
      home: {
        'config.json': JSON.stringify({
          model: 'test/script',
          permissions: { allow: ['WebFetch(domain:example.com)'] },
        }),
      },
    })
  })
  afterEach(async (context) => {
    await workspace.closePages(context)
    workspace.complaints.splice(0)
  })
  afterAll(() => workspace?.close())

  const stack = (page: Page) => page.getByRole('complementary', { name: 'Panels' })
  const card = (page: Page, tool: string) => page.getByRole('group', { name: new RegExp(`^${tool}: `) }).last()
  const page200 = {
    page: {
      url: 'https://example.com/read',
      status: 200,
      title: 'A page',
      mediaType: 'text/html',
      text: '# Words\n\nto **read**. <img src=x onerror=alert(1)>',
      isMarkdown: true,
    },
  }
  /** Tests make no external requests: serves the content the server would have read. */
  async function readable(page: Page, answer: (route: Route) => unknown = (route) => route.fulfill({ json: page200 })) {
    let reads = 0
    await page.context().route('**/ai/reader', async (route) => {
      reads++
      await answer(route)
    })
    return () => reads
  }
  const said = async (page: Page | string) => {
    const [, sessionId] = /s=([\w-]+)/.exec(typeof page === 'string' ? page : page.url()) ?? []
    const response = await workspace.server().fetch(`/ai/sessions/${sessionId}/messages?limit=9`)
    return JSON.stringify(((await response.json()) as { messages: unknown[] }).messages.at(-1))
  }

  test('a web page opens next to the chat, its text is read there, and the run continues', async () => {
    const page = await workspace.sharedPage(wide)
    const chat = chatPage(page)
    const reads = await readable(page)
    // A lost acknowledgment is sent again.
    let lost = 0
    await page.route('**/ai/tools/ack', async (route) => {
      if (++lost === 1) await route.abort()
      else if (lost === 2) await route.fulfill({ status: 503, json: { error: { name: 'Away', message: 'away' } } })
      else await route.continue()
    })
    await chat.ask('open it')
    await expect.poll(() => chat.lastAnswer.innerText()).toContain('It is open.')
    await stack(page).getByRole('heading', { name: 'Words' }).waitFor()
    await expect.poll(() => stack(page).getByRole('tab').innerText()).toBe('A page')
    await expect.poll(() => stack(page).locator('img').count()).toBe(0)
    expect([reads(), lost]).toEqual([1, 3])
    const stored = await said(page)
    expect(stored).toContain('"loaded":true')
    expect(stored).toContain('browser:https://example.com/read')
    // A panel opened by a tool does not take the focus.
    expect(await chat.field.evaluate((field) => field === document.activeElement)).toBe(true)
    await stack(page).getByRole('button', { name: 'Close', exact: true }).click()
    await card(page, 'OpenUrl').getByRole('button', { name: 'Open in panel' }).click()
    await stack(page).getByRole('heading', { name: 'Words' }).waitFor()
    expect(workspace.complaints.filter((line) => !line.includes('/ai/tools/ack'))).toEqual([])
  })

  test('of two tabs, the one that started the run acts; if it dies, the other does', async () => {
    const first = await workspace.open({ viewport: wide })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const reads = await readable(first, async (route) => {
      await released
      // The requesting page may be gone.
      await route.fulfill({ json: page200 }).catch(() => undefined)
    })
    await chatPage(first).send('open it')
    await expect.poll(reads, patiently).toBe(1)
    const second = await first.context().newPage()
    await second.setViewportSize(wide)
    await second.goto(first.url())
    await card(second, 'OpenUrl').waitFor()
    // This page shows it too, yet only one may act.
    const acks: string[] = []
    second.on('request', (request) => {
      if (request.url().endsWith('/ai/tools/ack')) acks.push(request.postData() ?? '')
    })
    await second.getByRole('button', { name: 'New chat' }).first().waitFor()
    expect(acks).toEqual([])
    await first.close()
    release()
    await chatPage(second).lastAnswer.getByText('It is open.').waitFor()
    expect(await said(second)).toContain('"loaded":true')
    expect(acks).toHaveLength(1)
    expect(workspace.complaints).toEqual([])
  })

  test('a server restart and a reload in the middle lose and repeat nothing', async () => {
    const page = await workspace.open({ viewport: wide })
    const chat = chatPage(page)
    const reads = await readable(page)
    // The action is done, but the acknowledgment is lost.
    await page.route('**/ai/tools/ack', (route) => route.abort())
    await chat.send('open it')
    await expect.poll(reads, patiently).toBe(1)
    await stack(page).getByRole('heading', { name: 'Words' }).waitFor()
    await workspace.restart()
    await page.unroute('**/ai/tools/ack')
    await page.reload()
    await chat.lastAnswer.getByText('It is open.').waitFor()
    expect(await said(page)).toContain('"loaded":true')
    // Read once for the tool call, and once because the reloaded page shows it.
    expect(reads()).toBeLessThanOrEqual(2)
    await expect.poll(() => stack(page).getByRole('tab').count()).toBe(1)
  })

  test('a reload aborts the request of an action, and the reloaded page performs it', async () => {
    const page = await workspace.open({ viewport: wide })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const reads = await readable(page, async (route) => {
      if (reads() === 1) await released
      // The first request was aborted.
      await route.fulfill({ json: page200 }).catch(() => undefined)
    })
    await chatPage(page).send('open it')
    await expect.poll(reads, patiently).toBe(1)
    await page.reload()
    release()
    await chatPage(page).lastAnswer.getByText('It is open.').waitFor()
    expect(await said(page)).toContain('"loaded":true')
  })

  test('a chat in the background is served, too, and its panels wait there', async () => {
    const page = await workspace.sharedPage(wide)
    const chat = chatPage(page)
    await readable(page)
    const later = `later ${Date.now()}`
    scripts[later] = [[{ gate: later }, ...openPage], [{ text: 'Once more.' }]]
    await chat.send(later)
    await page.waitForURL(/s=/)
    const address = page.url()
    await chat.newSession()
    await chat.field.waitFor()
    model.open(later)
    await expect.poll(() => said(address), { timeout: 25_000, interval: 500 }).toContain('"loaded":true')
    await expect.poll(() => stack(page).count()).toBe(0)
    await page.getByRole('navigation').getByRole('button', { name: later }).first().click()
    await stack(page).getByRole('heading', { name: 'Words' }).waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test('the clipboard is shared only by a click, even after a server restart', async () => {
    const page = await workspace.open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const chat = chatPage(page)
    await chat.send('clipboard')
    await card(page, 'ReadClipboard').getByText('You said you copied a poem.').waitFor()
    await page.evaluate(() => navigator.clipboard.writeText('roses are red'))
    await workspace.restart()
    await page.reload()
    workspace.complaints.splice(0)
    await card(page, 'ReadClipboard').getByRole('button', { name: 'Share clipboard' }).click()
    await chat.finished()
    expect(await said(page)).toContain('roses are red')
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('roses')

    // Actions that wait for a click are in the inbox too.
    await chat.send('clipboard')
    await chat.waiting(1)
    await page.keyboard.press('Control+i')
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await chat.finished()
    expect(await said(page)).toContain('The person declined.')
    expect(workspace.complaints).toEqual([])
  })

  test('a request for a click is answered in another browser, and a refusal is reported there', async () => {
    const first = await workspace.sharedPage()
    const chat = chatPage(first)
    await chat.send('write, then clipboard')
    // An answer before the ask would be lost.
    await card(first, 'ReadClipboard').waitFor()
    await expect.poll(() => card(first, 'ReadClipboard').getByRole('button', { name: 'Decline' }).count()).toBe(0)
    await first.getByRole('button', { name: 'Allow once' }).click()
    await card(first, 'ReadClipboard').getByRole('button', { name: 'Decline' }).waitFor()
    const other = await workspace.open()
    await other
      .getByRole('navigation')
      .getByRole('button', { name: /write, then/ })
      .first()
      .click()
    const there = card(other, 'ReadClipboard')
    const decline = there.getByRole('button', { name: 'Decline' })
    // If an acknowledgment fails, the page shows the reason and the buttons work again.
    await other.route('**/ai/tools/ack', (route) =>
      route.fulfill({ status: 403, json: { error: { name: 'ForeignClient', message: 'Not from here.' } } }),
    )
    await decline.click()
    await there.getByRole('alert').getByText('Not from here.').waitFor()
    await other.unroute('**/ai/tools/ack')
    await decline.click()
    await chat.finished()
    expect(await said(first)).toContain('The person declined.')

    const file = path.join(workspace.folder, '..', 'theirs.txt')
    await writeFile(file, 'from the other browser')
    await chat.send('pick')
    await card(first, 'PickFile').getByRole('button', { name: 'Choose…' }).waitFor()
    await other.reload()
    const choosing = other.waitForEvent('filechooser')
    await chatPage(other).waiting(1)
    await other.keyboard.press('Control+i')
    await other.getByRole('dialog').getByRole('button', { name: 'Choose…' }).click()
    await (await choosing).setFiles(file)
    await chat.finished()
    expect(await said(first)).toMatch(/output\/picked-[\w-]+\/theirs\.txt/)
    expect(workspace.complaints.filter((line) => !line.includes('403'))).toEqual([])
  })

  test('the user picks a file, a notice is shown, a panel is shown', async () => {
    const page = await workspace.sharedPage(wide)
    const chat = chatPage(page)
    const file = path.join(workspace.folder, '..', 'mine.txt')
    await writeFile(file, 'my own words')
    await chat.send('pick')
    const choosing = page.waitForEvent('filechooser')
    await card(page, 'PickFile').getByRole('button', { name: 'Choose…' }).click()
    await (await choosing).setFiles(file)
    await chat.finished()
    expect(await said(page)).toMatch(/output\/picked-[\w-]+\/mine\.txt/)
    await chat.ask('notify')
    await page.getByText('The build: is green').last().waitFor()
    await chat.ask('show')
    await stack(page).getByText('const one = 1').waitFor()
    expect(await said(page)).toContain('"inSight":true')

    await chat.ask('show more')
    const tab = (label: string) => stack(page).getByRole('tab', { name: label })
    await tab('Rain').and(page.locator('[aria-selected="true"]')).waitFor()
    await stack(page).getByRole('figure', { name: 'Chart: Rain' }).waitFor()
    // The file itself is a tab too.
    await tab('small.ts').last().click()
    await stack(page).getByText('const one = 0').waitFor()
    await tab('Sun').click()
    await stack(page).getByRole('figure', { name: 'Chart: Sun' }).waitFor()
    await tab('The map').waitFor()
    expect(await said(page)).toContain('Unknown panel kind.')
    await card(page, 'ShowPanel')
      .getByRole('button', { name: /chart Rain/ })
      .click()
    await tab('Rain').click()
    await stack(page).getByRole('button', { name: 'Close', exact: true }).click()
    await tab('Rain').waitFor({ state: 'detached' })
    await card(page, 'ShowPanel').getByRole('button', { name: 'Open in panel' }).click()
    await tab('Rain').waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test('a page on this machine is a link until the user opens it', async () => {
    const page = await workspace.sharedPage(wide)
    const chat = chatPage(page)
    await readable(page)
    scripts['local'] = [call('OpenUrl', { url: 'localhost:1/app' }), [{ text: 'There.' }]]
    await chat.send('local')
    await card(page, 'OpenUrl').locator('..').getByRole('button', { name: 'Allow once' }).click()
    await chat.finished()
    expect(await said(page)).not.toContain('"loaded"')
    const link = stack(page).getByRole('link', { name: 'Open in new tab' }).last()
    await expect.poll(() => link.getAttribute('href')).toBe('http://localhost:1/app')
    await expect.poll(() => link.getAttribute('rel')).toContain('noopener')
    await stack(page).getByRole('button', { name: 'Read here' }).click()
    await stack(page).getByRole('heading', { name: 'Words' }).waitFor()
    expect(workspace.complaints).toEqual([])
  })
})
