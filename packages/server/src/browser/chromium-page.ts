import { setTimeout as delay } from 'node:timers/promises'
import {
  type BrowserCall,
  type BrowserPage,
  elementText,
  type OutlineNode,
  outlineOf,
  type PageCondition,
  type PageLook,
  parseUrl,
} from '@troupe/core'
import type { Locator, Page } from 'playwright-core'
import { listLinks, maskPasswords, outerHtml, tablesHtml } from './in-page.ts'
import { noElement, performAction } from './page-actions.ts'
import type { SessionBrowser } from './session-browser.ts'
import { viewport } from './launch-chromium.ts'
import { type Tab, watchTab } from './tab.ts'

const openMs = 30_000
const loadMs = 5000
/** Time limit to finish loading after a blocked navigation. */
const unloadTimeoutMs = 1000
const snapshotTimeoutMs = 15_000
const maxLinks = 1000
const maxHtmlLength = 5_000_000
/** Pages can have URLs of several megabytes. */
const maxUrlLength = 2000

export function createChromiumPage(browserOf: () => Promise<SessionBrowser>): BrowserPage {
  /** Hosts the page was opened for. */
  const granted = new Set<string>()
  let browser: SessionBrowser | undefined
  let tab: Tab | undefined
  let last: string | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let isDisposed = false

  return {
    open: (given, call) =>
      inTurn(call, async () => {
        const url = parseUrl(given)
        await browser?.check(url)
        granted.add(hostWithoutWww(url.hostname))
        const { page, ...watched } = await tabOf(call)
        return goTo(page, watched, url, call)
      }),
    look: (call) => onPage(call, (page) => look(page)),
    describe: (ref, call) =>
      onPage(call, async (page) => {
        const node = outlineOf(await outline(page), ref)
        if (node === undefined || typeof node === 'string') throw new Error(noElement(ref))
        return elementText(node)
      }),
    html: ({ ref, tables = false }, call) =>
      onPage(call, async (page, url) => {
        const place = await locatorFor(page, ref)
        const html = tables
          ? (await place.evaluate(tablesHtml)).join('\n')
          : await place.evaluate(outerHtml, maxHtmlLength)
        return { url, html: html.slice(0, maxHtmlLength) }
      }),
    links: (ref, call) =>
      onPage(call, async (page, url) => {
        const links = await (await locatorFor(page, ref)).evaluate(listLinks, maxLinks)
        return { url, links: links.filter((link) => /^(https?|mailto):/.test(link.url)) }
      }),
    act: (act, call) =>
      onPage(call, async (page, url) => {
        if (new URL(url).origin !== act.origin)
          throw new Error(`The page is now at ${url}, not at ${act.origin}. Look at it with BrowserSnapshot first.`)
        const element = act.ref === undefined ? undefined : outlineOf(await outline(page), act.ref)
        if (act.ref !== undefined && element === undefined) throw new Error(noElement(act.ref))
        await performAction(page, act)
        await waitUntilLoaded(page)
        const seen = await look(page)
        const named = typeof element === 'object' ? { element: elementText(withoutText(element)) } : {}
        return { ...seen, ...named }
      }),
    wait: (until, ms, call) => onPage(call, (page) => waitFor(page, until, ms, call)),
    picture: (call) =>
      onPage(call, async (page) => {
        const bytes = await page.screenshot({
          type: 'jpeg',
          quality: 60,
          timeout: snapshotTimeoutMs,
          animations: 'disabled',
        })
        return { bytes, mediaType: 'image/jpeg', ...viewport }
      }),
    async dispose() {
      isDisposed = true
      await discard()
    },
  }

  /** Serializes the calls of one page. An aborted call returns to its caller immediately. */
  function inTurn<T>(call: BrowserCall, work: () => Promise<T>): Promise<T> {
    const { signal } = call
    const done = queue.then(async () => {
      signal.throwIfAborted()
      if (isDisposed) throw new Error('The chat that opened this page has ended.')
      browser = tab === undefined || tab.isGone ? await browserOf() : browser
      return await (browser as SessionBrowser).use(work)
    })
    queue = done.catch(() => undefined)
    return new Promise((resolve, reject) => {
      done.then(resolve, (error: unknown) => reject(plainError(error)))
      const stop = (): void => reject(signal.reason as Error)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  }

  function onPage<T>(call: BrowserCall, work: (page: Page, url: string) => Promise<T>): Promise<T> {
    if (tab === undefined || tab.isGone) {
      const again =
        last === undefined
          ? 'Open one with BrowserSnapshot and "url".'
          : `It was closed; the page was ${last}. Open it again with BrowserSnapshot and "url".`
      return Promise.reject(new Error(`No page is open. ${again}`))
    }
    const { page } = tab
    return inTurn(call, async () => {
      const url = page.url()
      if (mayGo(url)) return work(page, url.slice(0, maxUrlLength))
      throw new Error(`The page did not load (it is at ${url.slice(0, 200)}). Open one with BrowserSnapshot and "url".`)
    })
  }

  async function tabOf(call: BrowserCall): Promise<Tab> {
    if (tab !== undefined && !tab.isGone) return tab
    const page = await (browser as SessionBrowser).newTab(call, (url) => tab?.noteWindow(url))
    if (isDisposed) await page.close()
    page.setDefaultTimeout(snapshotTimeoutMs)
    tab = await watchTab(page, mayGo)
    return tab
  }

  async function goTo(
    page: Page,
    { drainNotes: takeNotes }: Pick<Tab, 'drainNotes'>,
    url: URL,
    { signal }: BrowserCall,
  ): Promise<PageLook> {
    const response = await visit()
      // A navigation of the previous page can cancel this one.
      .catch((error: unknown) => {
        if (tab?.refused?.isRedirect !== false) throw error
        return visit()
      })
      .catch(failed)
    const over = new AbortController()
    const loaded = page.waitForLoadState('domcontentloaded', { timeout: openMs }).catch((error: unknown) => error)
    // If a navigation is blocked during loading, the load event may never fire.
    const problem = await Promise.race([loaded, keptHere(AbortSignal.any([signal, over.signal]))])
    over.abort()
    if (problem instanceof Error) await failed(problem)
    if (tab?.refused === undefined) await waitUntilLoaded(page)
    return { ...(await look(page)), status: response?.status() }

    function visit(): ReturnType<Page['goto']> {
      takeNotes()
      if (tab !== undefined) Object.assign(tab, { refused: undefined, isOpening: true })
      return page.goto(url.href, { timeout: openMs, waitUntil: 'commit', signal })
    }

    async function keptHere(until: AbortSignal): Promise<void> {
      while (tab?.refused === undefined) await delay(100, undefined, { signal: until })
      await delay(unloadTimeoutMs, undefined, { signal: until })
    }

    async function failed(error: Error): Promise<never> {
      const refused = tab?.refused
      if (refused?.isRedirect === true)
        throw new Error(
          `${url.href} redirects to another host. If you want that page, open it: ${refused.url.slice(0, maxUrlLength)}`,
          {
            cause: error,
          },
        )
      // The browser's error page is still loading and would interfere.
      await discard()
      throw error
    }
  }

  async function look(page: Page): Promise<PageLook> {
    const notes: string[] = []
    const nodes = await outline(page).catch((error: unknown): OutlineNode[] => {
      if (!(error instanceof TooLarge)) throw error
      notes.push(error.message)
      return []
    })
    const url = page.url()
    if (!mayGo(url))
      throw new Error(`The page went to ${url.slice(0, 200)}, which was not requested. Open another page.`)
    last = url.slice(0, maxUrlLength)
    const title = (await page.title()).replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed()
    return { url: last, title, outline: nodes, notes: [...(tab?.drainNotes() ?? []), ...notes] }
  }

  async function outline(page: Page): Promise<OutlineNode[]> {
    try {
      const nodes = (await page.ariaSnapshotJSON({ mode: 'ai', timeout: snapshotTimeoutMs })) as OutlineNode[]
      return await maskPasswords(page, nodes)
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error
      if (await answers(page)) throw new TooLarge('The page is too large for an outline. Read it with BrowserExtract.')
      await discard()
      throw new Error('The page stopped responding and was closed. Open it again, or open another page.', {
        cause: error,
      })
    }
  }

  async function discard(): Promise<void> {
    const closing = tab
    tab = undefined
    await closing?.page.close().catch(() => undefined)
  }

  function mayGo(given: string): boolean {
    const url = URL.parse(given)
    return url !== null && /^https?:$/.test(url.protocol) && granted.has(hostWithoutWww(url.hostname))
  }
}

class TooLarge extends Error {}

/** False if the page's scripts block it. */
async function answers(page: Page): Promise<boolean> {
  const answered = page.evaluate('1').then(
    () => true,
    () => false,
  )
  return Promise.race([answered, delay(2000, false)])
}

async function locatorFor(page: Page, ref: string | undefined): Promise<Locator> {
  if (ref === undefined) return page.locator('html')
  const found = page.getByRef(ref)
  if ((await found.count()) === 0) throw new Error(noElement(ref))
  return found
}

/** Some pages never finish loading, so show what is there after a timeout. */
async function waitUntilLoaded(page: Page): Promise<void> {
  await delay(150)
  await page.waitForLoadState('load', { timeout: loadMs }).catch(() => undefined)
}

async function waitFor(page: Page, until: PageCondition, ms: number, { signal }: BrowserCall): Promise<boolean> {
  const options = { timeout: ms }
  const waiting = {
    time: () => delay(ms, undefined, { signal }),
    text: (text: string) =>
      page
        .getByText(text)
        .first()
        .waitFor({ ...options, state: 'visible' }),
    gone: (text: string) =>
      page
        .getByText(text)
        .first()
        .waitFor({ ...options, state: 'hidden' }),
    ref: (ref: string) => page.getByRef(ref).waitFor({ ...options, state: 'visible' }),
    url: (part: string) => page.waitForURL(({ href }) => href.includes(part), { ...options, waitUntil: 'commit' }),
  }
  try {
    if (until.kind === 'time') await waiting.time()
    else if (until.kind === 'url') await waiting.url(until.url)
    else if (until.kind === 'ref') await waiting.ref(until.ref)
    else await waiting[until.kind](until.text)
    return true
  } catch (error) {
    signal.throwIfAborted()
    if ((error as Error).name === 'TimeoutError') return false
    throw error
  }
}

/** Omits a field's text from the report of an action. */
function withoutText({ text: _, ...rest }: Exclude<OutlineNode, string>): Exclude<OutlineNode, string> {
  return rest as Exclude<OutlineNode, string>
}

/** Treats a host with and without `www.` as the same. */
function hostWithoutWww(hostname: string): string {
  return hostname.replace(/\.+$/, '').replace(/^www\./, '')
}

/** Shortens a Playwright error to one sentence. Drops its call log, which quotes typed text. */
function plainError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  // oxlint-disable-next-line no-control-regex
  const line = (error.message.split('\n', 1)[0] ?? '').replace(/\u001B\[\d+m/g, '')
  const method = /^(?:page|locator|frame|keyboard|mouse|elementHandle|browser|browserContext)\.\w+: /.exec(line)?.[0]
  if (method === undefined) return error
  const text = line.slice(method.length).replace(/^Error: /, '')
  const code = /net::(ERR_\w+)/.exec(text)?.[1]
  if (code !== undefined) return new Error(`The page could not be loaded: ${netErrors[code] ?? code}.`)
  if (error.name === 'TimeoutError')
    return new Error(`It took too long: ${text} Look at the page again; something may cover the element.`)
  if (/has been closed|crashed/.test(text))
    return new Error('The page was closed. Open it again with BrowserSnapshot and "url".')
  return new Error(text)
}

const netErrors: Record<string, string> = {
  ERR_ABORTED: 'it was canceled, as downloads are',
  ERR_CONNECTION_REFUSED: 'no server is listening there',
  ERR_TUNNEL_CONNECTION_FAILED: 'its host cannot be reached',
  ERR_EMPTY_RESPONSE: 'its host closed the connection',
  ERR_CONNECTION_RESET: 'its host closed the connection',
  ERR_CERT_AUTHORITY_INVALID: 'its certificate cannot be trusted',
  ERR_CERT_DATE_INVALID: 'its certificate has expired',
  ERR_CERT_COMMON_NAME_INVALID: 'its certificate is for another host',
  ERR_TOO_MANY_REDIRECTS: 'it redirects endlessly',
}
