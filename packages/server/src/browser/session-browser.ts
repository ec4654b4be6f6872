import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { type BrowserCall, type Isolation, makeTemporaryFolder, processMark } from '@troupe/core'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { type CheckHost, startGuardProxy } from './guard-proxy.ts'
import { stayInOneWindow } from './in-page.ts'
import {
  type RunningBrowser,
  launchArguments,
  viewport,
  hasOwnSandbox,
  programFor,
  environmentIn,
  browserPid,
  endOrKill,
  isStarted,
  launchFailureReason,
  limitMessages,
  type WindowGuard,
} from './launch-chromium.ts'

export interface SessionBrowserOptions {
  /** Folder for profiles, created on demand. */
  folder: string
  /** Throws if there is no Chromium. */
  executable(): string
  check: CheckHost
  idleMs: number
  /** In team mode: the person, as whose user Chromium runs. */
  isolation?: Isolation | undefined
}

/** One session's Chromium. Starts on demand and stops after an idle period. */
export interface SessionBrowser {
  readonly isBusy: boolean
  readonly isRunning: boolean
  readonly usedAt: number
  /** Opens an isolated tab and starts Chromium if needed. Refuses new windows. */
  newTab(call: BrowserCall, onWindow: (url: string) => void): Promise<Page>
  /** Throws unless the address is allowed. The proxy checks again for every connection. */
  check(url: URL): Promise<void>
  /** Keeps Chromium alive while `work` runs. */
  use<T>(work: () => Promise<T>): Promise<T>
  /** Stops Chromium. Keeps cookies in memory for the next start. */
  stop(): Promise<void>
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

export function createSessionBrowser(options: SessionBrowserOptions): SessionBrowser {
  let running: Promise<RunningBrowser> | undefined
  let ending: Promise<unknown> = Promise.resolve()
  let cookies: Cookies = []
  let working = 0
  let usedAt = Date.now()
  let idle: NodeJS.Timeout | undefined
  const browser: SessionBrowser = {
    get isBusy() {
      return working > 0
    },
    get isRunning() {
      return running !== undefined
    },
    get usedAt() {
      return usedAt
    },
    async newTab(call, onWindow) {
      const starting = (running ??= start(call))
      try {
        const { context, windows } = await starting
        const page = await context.newPage()
        await windows.own(page, onWindow)
        return page
      } catch (error) {
        // Allow a retry after a failed start, unless a new start has begun.
        if (running === starting && !(await isStarted(starting))) running = undefined
        throw error
      }
    },
    async check({ protocol, hostname, port }) {
      await options.check(hostname.replace(/^\[|\]$/g, ''), Number(port || (protocol === 'https:' ? 443 : 80)))
    },
    async use(work) {
      working++
      clearTimeout(idle)
      try {
        return await work()
      } finally {
        working--
        usedAt = Date.now()
        if (working === 0) idle = setTimeout(() => void browser.stop(), options.idleMs).unref()
      }
    },
    stop() {
      clearTimeout(idle)
      const starting = running
      running = undefined
      // Also waits for a stop already in progress.
      if (starting !== undefined) ending = Promise.all([ending, finish(starting)])
      return ending.then(() => undefined)
    },
  }
  return browser

  async function finish(starting: Promise<RunningBrowser>): Promise<void> {
    const found = await starting.catch(() => undefined)
    if (found === undefined) return
    cookies = await found.context.cookies().catch(() => [])
    await found.end()
  }

  async function start(call: BrowserCall): Promise<RunningBrowser> {
    const closing: (() => Promise<unknown>)[] = []
    const end = async (): Promise<void> => {
      for (const close of closing.toReversed()) await close().catch(() => undefined)
    }
    try {
      const { isolation } = options
      const { chromium } = await import('playwright-core')
      await mkdir(options.folder, { recursive: true, mode: 0o700 })
      const profile = await (isolation === undefined
        ? mkdtemp(path.join(options.folder, 'profile-'))
        : makeTemporaryFolder('browser', isolation))
      closing.push(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }))
      const program = await programFor(options.executable(), options.folder, isolation)
      closing.push(() => program.remove())
      const guard = await startGuardProxy(options.check)
      closing.push(() => guard.close())
      const outer = await limitMessages(profile, () =>
        chromium.launchPersistentContext(profile, {
          executablePath: program.path,
          headless: true,
          chromiumSandbox: hasOwnSandbox(isolation),
          args: launchArguments,
          ignoreDefaultArgs: ['--disable-popup-blocking'],
          acceptDownloads: false,
          // The server handles shutdown.
          handleSIGINT: false,
          handleSIGTERM: false,
          handleSIGHUP: false,
          env: environmentIn(profile, processMark(call.run.id, call.toolCallId)),
          timeout: 30_000,
        }),
      )
      closing.push(() => outer.close())
      const inner = outer.browser()
      if (inner === null) throw new Error('it has no contexts')
      const system = await inner.newBrowserCDPSession()
      const pid = await browserPid(system)
      if (pid !== undefined) {
        closing.push(() => endOrKill(outer, pid))
        await call.process(pid)
      }
      const windows = await guardWindows(system)
      // A context with no disk storage, isolated from the profile.
      const context = await inner.newContext({
        proxy: { server: guard.url, bypass: '<-loopback>' },
        acceptDownloads: false,
        serviceWorkers: 'block',
        viewport,
        storageState: { cookies, origins: [] },
      })
      await context.addInitScript(stayInOneWindow)
      const started: RunningBrowser = { context, windows, end }
      outer.once('close', () => {
        // Chromium crashed or was killed. The next page starts a new one.
        void running?.then((now) => {
          if (now === started) void browser.stop()
        })
      })
      return started
    } catch (error) {
      await end()
      throw new Error(`The browser could not be started: ${launchFailureReason((error as Error).message)}`, {
        cause: error,
      })
    }
  }
}

/**
 * Blocks all requests of windows opened by pages. A frame requests a document, and a window's main frame has the id of
 * its target. `system` is a browser-wide CDP session that sees each request before it is sent, however the window was
 * opened.
 */
async function guardWindows(system: CDPSession): Promise<WindowGuard> {
  const tabs = new Map<string, (url: string) => void>()
  system.on('Fetch.requestPaused', ({ requestId, frameId, request }) => {
    void decide(requestId, frameId, request.url).catch(() => undefined)
  })
  await system.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] })
  return {
    async own(page, onRefused) {
      const session = await page.context().newCDPSession(page)
      const { targetInfo } = await session.send('Target.getTargetInfo')
      await session.detach()
      tabs.set(targetInfo.targetId, onRefused)
      page.once('close', () => tabs.delete(targetInfo.targetId))
    },
  }

  async function decide(requestId: string, frameId: string, url: string): Promise<void> {
    const window = tabs.has(frameId) ? undefined : await windowOf(frameId)
    if (window === undefined) return void (await system.send('Fetch.continueRequest', { requestId }))
    await system.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    tabs.get(window.openerId ?? '')?.(url)
    // A target prepared in advance, such as a prerender, is closed by its tab.
    if (window.subtype === undefined) await system.send('Target.closeTarget', { targetId: window.targetId })
  }

  /** Returns the window that owns this main frame, or undefined for frames within a page. */
  async function windowOf(
    frameId: string,
  ): Promise<{ targetId: string; openerId?: string; subtype?: string } | undefined> {
    const { targetInfos } = await system.send('Target.getTargets')
    return targetInfos.find(({ targetId, type }) => targetId === frameId && type === 'page')
  }
}
