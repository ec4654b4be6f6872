import { rmSync } from 'node:fs'
import path from 'node:path'
import {
  type AddressGuard,
  type Browser,
  type BrowserPage,
  checkedAddresses,
  fetchError,
  type Isolation,
  refusalOf,
  type Tool,
} from '@troupe/core'
import { findChromium, noChromium } from './find-chromium.ts'
import type { CheckHost } from './guard-proxy.ts'
import type { SessionBrowser } from './session-browser.ts'

interface BrowsersOptions {
  home: string
  env: NodeJS.ProcessEnv
  /** Chromium path, and local or private addresses the user allows pages to reach, with or without a port. */
  settings(): { path?: string | undefined; allow?: readonly string[] | undefined }
  /** Hosts that an administrator allows. Default: all. */
  allowsHost?: ((host: string) => boolean) | undefined
  /** The server's own port. No page may reach it, regardless of `allow`. */
  ownPort(): number
  idleMs?: number
  /** Maximum running browsers. The least recently used one is closed. */
  most?: number
  resolve?: AddressGuard['resolve']
}

/** The browsers of all sessions. Browser code is loaded when the first page opens. */
export interface Browsers extends Browser {
  /** Removes the browser tools if no Chromium is available. */
  offered(tools: readonly Tool[]): readonly Tool[]
  /** Path of Chromium. Undefined if there is none. */
  chromium(): string | undefined
  drop(sessionId: string): Promise<void>
  close(): Promise<void>
}

export function openBrowsers(options: BrowsersOptions): Browsers {
  const { home, idleMs = 5 * 60_000, most = 4 } = options
  const folder = path.join(home, 'browser')
  const sessions = new Map<string, SessionBrowser>()
  const without = new WeakMap<readonly Tool[], readonly Tool[]>()
  let isSwept = false
  let isClosed = false
  let known: { named: string | undefined; found: string | undefined } | undefined

  return {
    offered(tools) {
      if (chromium() !== undefined) return tools
      // Returns the same array for the same input, since callers cache by identity.
      const others = without.get(tools) ?? tools.filter(({ group }) => group !== 'browser')
      without.set(tools, others)
      return others
    },
    newPage: (sessionId, isolation) =>
      lazyPage(async () => {
        const { createChromiumPage } = await import('./chromium-page.ts')
        return createChromiumPage(() => browserOf(sessionId, isolation))
      }),
    refusalOf({ hostname, port, protocol }) {
      const usual = protocol === 'https:' ? 443 : 80
      return refusalOf(hostname, allowedOn(port === '' ? usual : Number(port)))
    },
    chromium,
    async drop(sessionId) {
      const found = sessions.get(sessionId)
      sessions.delete(sessionId)
      await found?.stop()
    },
    async close() {
      isClosed = true
      const all = [...sessions.values()]
      sessions.clear()
      await Promise.all(all.map((browser) => browser.stop()))
    },
  }

  async function browserOf(sessionId: string, isolation: Isolation | undefined): Promise<SessionBrowser> {
    // No other process uses the home, so existing files are leftovers of a killed process.
    if (!isSwept) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    isSwept = true
    const { createSessionBrowser } = await import('./session-browser.ts')
    if (sessions.get(sessionId)?.isRunning !== true) await makeRoom()
    if (isClosed) throw new Error('The server is shutting down, so no page can be opened.')
    // Look it up after the awaits: another agent of the session may have created it.
    const browser = sessions.get(sessionId) ?? createSessionBrowser({ folder, executable, check, idleMs, isolation })
    sessions.set(sessionId, browser)
    return browser
  }

  async function makeRoom(): Promise<void> {
    const running = [...sessions.values()].filter(({ isRunning }) => isRunning)
    if (running.length < most) return
    const [oldest] = running.filter(({ isBusy }) => !isBusy).toSorted((one, other) => one.usedAt - other.usedAt)
    if (oldest === undefined)
      throw new Error(`The limit of ${most} browsers is reached. Try again when one has finished.`)
    await oldest.stop()
  }

  /** Applies the WebFetch address guard to page connections. */
  async function check(host: string, port: number): ReturnType<CheckHost> {
    const allowed = allowedOn(port)
    const { resolve } = options
    try {
      if (options.allowsHost?.(host) === false)
        throw new Error(`The policy of the organization does not allow requests to "${host}".`)
      return await checkedAddresses(host, { allowed, resolve })
    } catch (error) {
      const shown = host.includes(':') ? `[${host}]` : host
      throw fetchError(error, new URL(`${port === 443 ? 'https' : 'http'}://${shown}:${port}`))
    }
  }

  function allowedOn(port: number): string[] {
    return port === options.ownPort() ? [] : addressesAllowedOn(options.settings().allow ?? [], port)
  }

  /** Cached until the configured path changes. */
  function chromium(): string | undefined {
    const named = options.settings().path
    if (known === undefined || known.named !== named) known = { named, found: findChromium(options.env, named) }
    return known.found
  }

  function executable(): string {
    const found = chromium()
    if (found === undefined) throw new Error(noChromium)
    return found
  }
}

/**
 * Returns the entries that apply to a port. Entries look like `127.0.0.1`, `127.0.0.1:5173`, `[::1]:5173` or
 * `localhost:5173`.
 */
export function addressesAllowedOn(entries: readonly string[], port: number): string[] {
  return entries.flatMap((entry) => {
    const [, bracketed, plain, given] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry.trim()) ?? []
    if (given !== undefined && Number(given) !== port) return []
    const address = bracketed ?? plain ?? entry.trim()
    return address === 'localhost' ? ['127.0.0.1', '::1'] : [address]
  })
}

/** Loads the page code on first use, since most servers never open a browser. */
function lazyPage(load: () => Promise<BrowserPage>): BrowserPage {
  let loading: Promise<BrowserPage> | undefined
  const page = (): Promise<BrowserPage> => (loading ??= load())
  return {
    open: async (...given) => (await page()).open(...given),
    look: async (...given) => (await page()).look(...given),
    describe: async (...given) => (await page()).describe(...given),
    html: async (...given) => (await page()).html(...given),
    links: async (...given) => (await page()).links(...given),
    act: async (...given) => (await page()).act(...given),
    wait: async (...given) => (await page()).wait(...given),
    picture: async (...given) => (await page()).picture(...given),
    dispose: async () => (await loading)?.dispose(),
  }
}
