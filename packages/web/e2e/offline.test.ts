import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chatPage } from './chat-page.ts'
import { openWorkspace } from './open-workspace.ts'
import type { TestWorkspace } from './open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'offline (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'offline'

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '')
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('the page says what it takes to be installed', async () => {
    const page = await workspace.open()
    const session = await page.context().newCDPSession(page)
    const { errors, manifest } = await session.send('Page.getAppManifest').then(async ({ errors: found, url }) => ({
      errors: found,
      manifest: (await (await page.request.get(url)).json()) as { icons: { src: string; sizes: string }[] },
    }))
    expect(errors).toEqual([])
    expect(manifest).toMatchObject({ name: 'Troupe', display: 'standalone', start_url: '/' })
    for (const { src, sizes } of manifest.icons) {
      const size = await page.evaluate(async (address) => {
        const image = new Image()
        image.src = address
        await image.decode()
        return `${image.naturalWidth}x${image.naturalHeight}`
      }, src)
      if (sizes !== 'any') expect(size).toBe(sizes)
    }
  })

  test('what was read can be read without the server, and is said to be kept; with it the newest is shown', async () => {
    const chat = chatPage(await openKeeping(workspace))
    await chat.ask('Repeat after me: kept for later')
    // From now on the page is under the care of the worker, from its first request.
    await chat.page.reload()
    await chat.finished()
    await keptCount(chat.page, /messages\?/)
    await workspace.restart(async () => {
      await chat.page.reload()
      await chat.lastAnswer.getByText('kept for later').waitFor()
      await chat.page.getByText(/The server cannot be reached. You see what was kept at/).waitFor()
      await chat.page
        .getByRole('navigation')
        .getByRole('button', { name: /^Repeat after me: kept/ })
        .first()
        .waitFor()
    })
    await chat.page.getByText('The server cannot be reached').waitFor({ state: 'detached' })
    expect(await (await chat.ask('Repeat after me: back again')).textContent()).toContain('back again')
    await expect.poll(() => chat.own.count()).toBe(2)
    const lost = workspace.complaints.splice(0)
    expect(lost.filter((complaint) => !/ERR_CONNECTION|ERR_FAILED|ERR_INCOMPLETE|ERR_EMPTY/.test(complaint))).toEqual(
      [],
    )
  })

  test('what the first visit has read is kept, though nobody was there to keep it then', async () => {
    const response = await workspace.server().fetch('/ai/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        sessionId: 'visited',
        message: { id: 'visited-1', role: 'user', parts: [{ type: 'text', text: 'Repeat after me: seen once' }] },
        responseMode: 'json',
      }),
    })
    expect(response.ok).toBe(true)
    const { page, ...chat } = chatPage(await workspace.newPage({ serviceWorkers: 'allow' }))
    await page.goto(`${workspace.server().newUrl()}&s=visited`)
    await chat.lastAnswer.getByText('seen once').waitFor()
    await keptCount(page, /sessions\?view=active/)
    await keptCount(page, /visited\/messages\?/)
    await keptCount(page, /ai\/folders$/)
  })

  test('nothing is kept of what is done, streamed or set, and all of it goes when the page is locked', async () => {
    const chat = chatPage(await openKeeping(workspace))
    await chat.ask('Repeat after me: a secret')
    await chat.page.reload()
    await chat.finished()
    await keptCount(chat.page, /messages\?/)
    const kept = await keptPaths(chat.page)
    const allowed = /^\/(assets\/|icons\/|[\w.-]*$|ai\/(sessions|models|workspace|folders|blobs)([/?]|$))/
    expect(kept.filter((path) => !allowed.test(path) || /\/(stream|context)|[?&]q=/.test(path))).toEqual([])
    await chat.page.context().clearCookies()
    await chat.page.reload()
    await chat.page.getByRole('heading', { name: 'This page is locked' }).waitFor()
    await chat.page.waitForFunction(async () => (await (await caches.open('answers-1')).keys()).length === 0)
    expect(workspace.complaints.splice(0).filter((complaint) => !complaint.includes('401'))).toEqual([])
  })

  test('the service worker shows notifications, and a click on one leads the page to the inbox', async () => {
    const page = await workspace.newPage({ serviceWorkers: 'allow', permissions: ['notifications'] })
    await page.addInitScript("localStorage.setItem('troupe.notify', 'on'); document.hasFocus = () => false")
    await page.goto(workspace.server().newUrl())
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.evaluate(denyAll)
    await chatPage(page).send('Run two commands')
    const titles = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration()
        return (await registration?.getNotifications())?.map(({ title, data }) => [title, data as unknown])
      })
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await expect.poll(titles, { timeout: 10_000 }).toEqual([['Run a command', { opens: 'inbox' }]])
    // What the worker does on a click; only a person's own click may bring a window forward.
    const [worker] = page.context().serviceWorkers()
    await worker
      ?.evaluate(() => (globalThis as never as { comeForward: (opens: string) => unknown }).comeForward('inbox'))
      .catch(() => undefined)
    await page.getByRole('dialog', { name: 'Waiting for you' }).getByRole('article').waitFor()
    await page
      .getByRole('dialog', { name: 'Waiting for you' })
      .getByRole('button', { name: 'Deny', exact: true })
      .click()
    await expect.poll(titles, { timeout: 10_000 }).toEqual([])
  })
})

/** What an earlier try has left waiting is told of, too. */
async function denyAll(): Promise<void> {
  const { asks } = (await (await fetch('/ai/asks')).json()) as { asks: { id: string }[] }
  for (const { id } of asks)
    await fetch(`/ai/asks/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ answer: { type: 'deny' } }),
    })
}

/** A page whose service worker is at work. */
async function openKeeping(workspace: TestWorkspace): Promise<Page> {
  const page = await workspace.open({ serviceWorkers: 'allow' })
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  return page
}

async function keptCount(page: Page, pattern: RegExp): Promise<void> {
  await page.waitForFunction(async (source) => {
    const keys = await (await caches.open('answers-1')).keys()
    return keys.some(({ url }) => new RegExp(source).test(url))
  }, pattern.source)
}

function keptPaths(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const all = await Promise.all((await caches.keys()).map(async (one) => (await caches.open(one)).keys()))
    return all.flat().map(({ url }) => url.slice(location.origin.length))
  })
}
