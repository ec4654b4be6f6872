import { gzipSync } from 'node:zlib'
import { scriptedModel } from '@troupe/core/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'an interrupted page (skipped: no Chromium)' : 'an interrupted page'

describe.skipIf(chromium === undefined)(name, () => {
  const model = scriptedModel(
    (prompt) => {
      const last = prompt.findLast((message) => message.role === 'user')
      const text = (last?.content[0] as { text: string } | undefined)?.text ?? ''
      return [
        { text: 'First, ' },
        { gate: `${text} 1` },
        { text: 'second, ' },
        { gate: `${text} 2` },
        { text: 'third.' },
      ]
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

  test('without a network for a while, nothing of the run is lost or repeated', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('offline')
    await chat.lastAnswer.getByText('First,').waitFor()
    await chat.page.context().setOffline(true)
    model.open('offline 1')
    await model.reached('offline 2')
    await chat.page.context().setOffline(false)
    await chat.lastAnswer.getByText('second,').waitFor()
    model.open('offline 2')
    await chat.finished()
    expect(await said(chat)).toEqual(['First,', 'second,', 'third.'])
    expect([await chat.own.count(), await chat.answers.count()]).toEqual([1, 1])
    await chat.page.context().setOffline(true)
    await chat.page.getByText(/^Reconnecting/).waitFor()
    await chat.send('later')
    await chat.page.getByText('Not sent yet.').waitFor()
    await chat.page.context().setOffline(false)
    await model.reached('later 1')
    model.open('later 1')
    model.open('later 2')
    await chat.finished()
    expect([await chat.own.count(), await chat.answers.count()]).toEqual([2, 2])
    const lost = workspace.complaints.splice(0)
    expect(lost.filter((complaint) => !/ERR_INTERNET_DISCONNECTED|ERR_NETWORK|ERR_INCOMPLETE/.test(complaint))).toEqual(
      [],
    )
  })

  test('a page that slept during the run wakes up with all of it', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const session = await chat.page.context().newCDPSession(chat.page)
    await chat.send('sleep')
    await chat.lastAnswer.getByText('First,').waitFor()
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    model.open('sleep 1')
    await model.reached('sleep 2')
    model.open('sleep 2')
    await expect.poll(() => runs(workspace), { timeout: 15_000 }).toBe(0)
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    await chat.finished()
    expect(await said(chat)).toEqual(['First,', 'second,', 'third.'])
    expect([await chat.own.count(), await chat.answers.count()]).toEqual([1, 1])
  })

  test.runIf(full)('two tabs, one reloaded in the middle, end with the same one answer', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('tabs')
    await chat.lastAnswer.getByText('First,').waitFor()
    const second = chatPage(await chat.page.context().newPage())
    await second.page.goto(chat.page.url())
    await second.lastAnswer.getByText('First,').waitFor()
    model.open('tabs 1')
    await second.lastAnswer.getByText('second,').waitFor()
    await second.page.reload()
    await second.lastAnswer.getByText('second,').waitFor()
    model.open('tabs 2')
    await Promise.all([chat.finished(), second.finished()])
    for (const tab of [chat, second]) {
      expect(await said(tab)).toEqual(['First,', 'second,', 'third.'])
      expect([await tab.own.count(), await tab.answers.count()]).toEqual([1, 1])
    }
  })

  test('before the first message or the first screen, at most 230 KB of scripts load, none of them twice', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('weight')
    model.open('weight 1')
    await model.reached('weight 2')
    model.open('weight 2')
    await chat.finished()
    const page = await chat.page.context().newPage()
    // Modules that an idle page preloads, and menus on a first mouse move, which Chromium sometimes reports where it
    // last was: on a busy machine both come before the message.
    await page.addInitScript(() => {
      window.requestIdleCallback = () => 0
      window.addEventListener('pointermove', (event) => event.stopImmediatePropagation(), true)
    })
    const [first = ''] = chat.page.url().split('#')
    for (const [url, shown] of [
      [chat.page.url(), 'article'],
      [first, '.recent-folders'],
    ] as const) {
      await page.goto('about:blank')
      await page.goto(url, { waitUntil: 'commit' })
      const asked = await page.evaluate(async (selector) => {
        while (document.querySelector(selector) === null) await new Promise((resolve) => requestAnimationFrame(resolve))
        return performance
          .getEntriesByType('resource')
          .map(({ name: address }) => address.slice(location.origin.length))
      }, shown)
      const scripts = asked.filter((path) => path.endsWith('.js'))
      const sizes = scripts.map(async (path) => {
        const answer = await page.request.get(new URL(path, page.url()).href)
        return gzipSync(await answer.body(), { level: 9 }).length
      })
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
      expect(bytes).toBeGreaterThan(100_000)
      expect(bytes).toBeLessThanOrEqual(230_000)
      expect(asked.filter((path, index) => asked.indexOf(path) !== index)).toEqual([])
    }
  })

  test('there were no errors', () => {
    expect(workspace.complaints).toEqual([])
  })
})

function said(chat: ReturnType<typeof chatPage>): Promise<string[]> {
  return chat.lastAnswer.locator('.prose').allInnerTexts()
}

async function runs(workspace: TestWorkspace): Promise<number> {
  const answer = await workspace.server().fetch('/ai/sessions')
  const { sessions } = (await answer.json()) as { sessions: { run: unknown }[] }
  return sessions.filter(({ run }) => run !== null).length
}
