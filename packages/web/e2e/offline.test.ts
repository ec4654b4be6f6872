import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'offline (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'offline'

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '')
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('the page has an installable manifest', async () => {
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

  test('opened chats can be read while the server is unreachable, marked as kept; then the newest state is shown', async () => {
    const chat = chatPage(await openKeeping(workspace))
    await chat.ask('Repeat after me: kept for later')
    await chat.page.getByRole('button', { name: 'New chat' }).first().click()
    const entry = chat.page.getByRole('navigation').getByRole('button', { name: /^Repeat after me: kept/ })
    await workspace.restart(async () => {
      await entry.first().click()
      await chat.lastAnswer.getByText('kept for later').waitFor()
      await chat.page.getByText(/^Reconnecting…/).waitFor()
    })
    // The old server's credential is invalid: the page proves its identity by itself.
    await chat.page.getByText(/^Reconnecting…/).waitFor({ state: 'detached' })
    expect(await (await chat.ask('Repeat after me: back again')).textContent()).toContain('back again')
    await chat.page.reload()
    await expect.poll(() => chat.own.count()).toBe(2)
    const lost = workspace.complaints.splice(0)
    expect(
      lost.filter(
        (complaint) => !/ERR_CONNECTION|ERR_FAILED|ERR_INCOMPLETE|ERR_EMPTY|dynamically imported/.test(complaint),
      ),
    ).toEqual([])
  })

  test('another server on the port finds no chat in the browser, and cannot log in later', async () => {
    const chat = chatPage(await openKeeping(workspace))
    await chat.ask('Repeat after me: CONFIDENTIAL-42')
    await chat.page.reload()
    await chat.finished()
    const address = `http://127.0.0.1:${workspace.server().port}`
    let taken: Taken | undefined
    await workspace.restart(async () => {
      const thief = createServer((request, response) => {
        response.setHeader('content-type', 'text/html')
        response.end(request.url === '/service-worker.js' ? '' : '<!doctype html><title>taken</title>')
      })
      await new Promise<void>((resolve) => void thief.listen(Number(new URL(address).port), '127.0.0.1', resolve))
      await chat.page.goto(`${address}/?thief`)
      await expect.poll(() => chat.page.title()).toBe('taken')
      taken = await chat.page.evaluate(takeAll)
      thief.closeAllConnections()
      await new Promise((resolve) => thief.close(resolve))
    })
    expect(taken?.stored).toContain('troupe.page')
    expect(taken?.stored).not.toContain('CONFIDENTIAL-42')
    expect(taken?.canExport).toBe(false)
    const { credential, pageId } = taken?.page ?? { credential: '', pageId: '' }
    const ask = (path: string, init: RequestInit) => fetch(address + path, init).then(({ status }) => status)
    expect(await ask('/ai/sessions', { headers: { authorization: `Page ${credential}` } })).toBe(401)
    // Signed for a nonce the script made up, not one from the server.
    const body = JSON.stringify({ pageId, nonce: taken?.nonce, signature: taken?.signature })
    const headers = { 'content-type': 'application/json', origin: address }
    expect(await ask('/ai/auth', { method: 'POST', headers, body })).toBe(401)
    workspace.complaints.splice(0)
  })

  test('another local server gets no secret, and the page without its credential is locked', async () => {
    const chat = chatPage(await openKeeping(workspace))
    const heard: string[] = []
    const other = createServer((request, response) => {
      heard.push(JSON.stringify(request.headers))
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>other</title>')
    })
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    const tab = await chat.page.context().newPage()
    await tab.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    expect(await tab.evaluate(() => fetch('/again').then(({ ok }) => ok))).toBe(true)
    expect(heard.length).toBeGreaterThan(1)
    expect(heard.join()).not.toMatch(/cookie|authorization|troupe/i)
    other.closeAllConnections()
    await new Promise((resolve) => other.close(resolve))
    await chat.page.evaluate(() => localStorage.clear())
    await chat.page.reload()
    await chat.page.getByRole('heading', { name: 'This page is locked' }).waitFor()
    workspace.complaints.splice(0)
  })

  test.runIf(full)('the service worker shows notifications, and a click opens the inbox', async () => {
    const page = await workspace.newPage({ serviceWorkers: 'allow', permissions: ['notifications'] })
    await page.addInitScript("localStorage.setItem('troupe.notify', 'on'); document.hasFocus = () => false")
    // Not every headless browser can show notifications, so record them instead.
    await page.addInitScript(() => {
      const shown: (NotificationOptions & { title: string; close(): void })[] = []
      Object.assign(window, { shown })
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
      Object.assign(ServiceWorkerRegistration.prototype, {
        showNotification(title: string, options: NotificationOptions) {
          const one = { title, ...options, close: () => void shown.splice(shown.indexOf(one), 1) }
          shown.push(one)
          return Promise.resolve()
        },
        getNotifications: ({ tag }: NotificationOptions = {}) =>
          Promise.resolve(shown.filter((one) => tag === undefined || one.tag === tag)),
      })
    })
    await page.goto(workspace.server().newUrl())
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.evaluate(denyAll)
    await chatPage(page).send('Run two commands')
    const titles = () =>
      page.evaluate(() =>
        (window as unknown as { shown: { title: string; data: unknown }[] }).shown.map(({ title, data }) => [
          title,
          data,
        ]),
      )
    await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor()
    await expect.poll(titles, { timeout: 10_000 }).toEqual([['Run a command', { opens: 'inbox' }]])
    // Simulates the worker's click handler: only a real user click may bring a window forward.
    const [worker] = page.context().serviceWorkers()
    await worker
      ?.evaluate(() => (globalThis as never as { comeForward: (opens: string) => unknown }).comeForward('inbox'))
      .catch(() => undefined)
    await page.getByRole('dialog', { name: 'Needs your attention' }).getByRole('article').waitFor()
    await page
      .getByRole('dialog', { name: 'Needs your attention' })
      .getByRole('button', { name: 'Deny', exact: true })
      .click()
    await expect.poll(titles, { timeout: 10_000 }).toEqual([])
  })
})

/** An ask left by an earlier attempt would trigger a notification too. */
async function denyAll(): Promise<void> {
  const { asks } = (await (await apiFetch('/ai/asks')).json()) as { asks: { id: string }[] }
  for (const { id } of asks)
    await apiFetch(`/ai/asks/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ answer: { type: 'deny' } }),
    })
}

async function openKeeping(workspace: TestWorkspace): Promise<Page> {
  const page = await workspace.open({ serviceWorkers: 'allow' })
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  return page
}

interface Taken {
  stored: string
  page: { credential: string; pageId: string }
  canExport: boolean
  nonce: string
  signature: string
}

/** Collects everything a same-origin script can access: all stored data, and the use of the key. */
async function takeAll(): Promise<Taken> {
  const stored = [JSON.stringify(Object.entries(localStorage)), JSON.stringify(Object.entries(sessionStorage))]
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const key of await cache.keys()) stored.push(key.url, (await (await cache.match(key))?.text()) ?? '')
  }
  const pair = await new Promise<CryptoKeyPair>((resolve, reject) => {
    const opening = indexedDB.open('troupe')
    opening.addEventListener('error', () => reject(new Error('no storage')))
    opening.addEventListener('success', () => {
      const request = opening.result.transaction('keys').objectStore('keys').get('page')
      request.addEventListener('success', () => resolve(request.result as CryptoKeyPair))
    })
  })
  const nonce = `${Date.now()}.guess.${'A'.repeat(43)}`
  const text = new TextEncoder().encode(`troupe page\n${location.origin}\n${nonce}`)
  const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, text)
  return {
    stored: stored.join('\n'),
    page: JSON.parse(localStorage.getItem('troupe.page') ?? '{}') as Taken['page'],
    canExport: pair.privateKey.extractable,
    nonce,
    signature: btoa(String.fromCharCode(...new Uint8Array(signed)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', ''),
  }
}
