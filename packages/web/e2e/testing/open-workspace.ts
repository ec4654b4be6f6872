import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Server, type ServerOptions, startServer } from '@troupe/server'
import { checkAnswer } from '../../../server/src/testing/check-answer.ts'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type ViewportSize,
} from 'playwright-core'
import type { TestContext } from 'vitest'
import { builtPage } from '../../../../scripts/lib/web-build.mjs'
import { testApprovalSource } from '../../../server/src/testing/test-server.ts'
import { chromiumArguments } from './chromium-arguments.ts'

/** A real server on its own home, the current page, and a browser that reports all errors. */
export interface TestWorkspace {
  server(): Server
  folder: string
  /** Stops the server and starts another on the same home and port, as after a crash or an update. */
  restart(between?: () => Promise<void>): Promise<void>
  open(options?: BrowserContextOptions): Promise<Page>
  newPage(options?: BrowserContextOptions): Promise<Page>
  /** A page shared by the tests of a file that only need a new session, because loading a page is slow. */
  sharedPage(viewport?: ViewportSize): Promise<Page>
  /** Console and uncaught errors, content policy violations, failed responses, external requests. */
  complaints: string[]
  /**
   * Closes every page but the shared one, so that none sends requests during the next test. After a failed test it
   * discards everything, including the shared page, asks, files and complaints, so the test can be retried.
   */
  closePages(test?: Pick<TestContext, 'task'>): Promise<void>
  close(): Promise<void>
}

export interface WorkspaceOptions {
  /** Models in addition to the demo, by `provider/model`; the first is the default. */
  models?: ServerOptions['models']
  server?: Partial<ServerOptions>
  home?: Record<string, string>
  /** Files of the workspace folder, by relative path. Without any, it is the test's own folder. */
  files?: Record<string, string>
}

const usual: ViewportSize = { width: 1200, height: 800 }

export async function openWorkspace(executablePath: string, options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-web-'))
  const workFolder = options.files === undefined ? folder : path.join(folder, 'work')
  await writeFiles(path.join(folder, 'home'), { 'tools/test-approval.ts': testApprovalSource, ...options.home })
  await writeFiles(workFolder, options.files ?? {})
  const webFolder = process.env['TROUPE_TEST_PAGE'] ?? (await builtPage())
  const complaints: string[] = []
  const start = (port: number): Promise<Server> =>
    startServer({
      home: path.join(folder, 'home'),
      workspace: workFolder,
      webFolder,
      onAnswer: checkAnswer,
      port,
      probe: false,
      env: {},
      titles: false,
      models: options.models,
      ...options.server,
      logLevel: 'error',
      log: (line) => complaints.push(`server: ${line}`),
    })
  let server = await startOnUsualPort(start).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  const browser = await openBrowser(executablePath)
  const contexts: BrowserContext[] = []
  let shared: Page | undefined
  let wasRestarted = false
  let complained = 0
  const watcher: Watcher = {
    complain: (text) => complaints.push(text),
    origin: () => `http://127.0.0.1:${server.port}`,
    wasRestarted: () => wasRestarted,
  }

  return { server: () => server, folder: workFolder, restart, open, newPage, sharedPage, complaints, closePages, close }

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const { viewport, colorScheme, permissions, ...others } = options
    // A warm page can still take another size and theme, and permissions.
    const isUsual = Object.keys(others).length === 0
    const page = isUsual ? (warmPage() ?? (await newPage())) : await newPage(options)
    if (isUsual) {
      reusable.add(page)
      if (viewport) await page.setViewportSize(viewport)
      if (colorScheme) await page.emulateMedia({ colorScheme })
      if (permissions) await page.context().grantPermissions(permissions)
    }
    await page.goto(server.newUrl())
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    return page
  }

  function warmPage(): Page | undefined {
    const page = idle.pop()
    if (page === undefined) return undefined
    contexts.push(page.context())
    watchers.set(page.context(), watcher)
    return page
  }

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: usual,
      // No test compares pixels, and drawing a quarter of them takes a tenth less of the processor.
      deviceScaleFactor: 0.5,
      // Endless animations are drawn continuously, here by the CPU.
      reducedMotion: 'reduce',
      // Offline caching has its own tests.
      serviceWorkers: 'block',
      ...options,
    })
    contexts.push(context)
    watchers.set(context, watcher)
    context.setDefaultTimeout(15_000)
    context.on('page', watch)
    await context.addInitScript(() => {
      // In a plain text file, older versions of Chromium report a violation by their own style.
      if (window !== window.top || document.contentType !== 'text/html') return
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        console.error(`content policy: ${effectiveDirective} ${blockedURI}`),
      )
    })
    await context.addInitScript(addApiFetch)
    return context.newPage()
  }

  async function sharedPage(viewport = usual): Promise<Page> {
    shared = await fresh(shared)
    if (viewport !== usual) await shared.setViewportSize(viewport)
    return shared
  }

  async function fresh(page: Page | undefined): Promise<Page> {
    if (page === undefined) return open()
    const soon = { timeout: 5000 }
    try {
      if (!isDeepStrictEqual(page.viewportSize(), usual)) await page.setViewportSize(usual)
      await page.unrouteAll()
      await page.context().unrouteAll()
      // A dialog left open by the previous test covers the page.
      for (let left = 3; left > 0 && (await page.getByRole('dialog').count()) > 0; left--)
        await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'New chat' }).first().click(soon)
      await page.getByRole('heading', { name: 'What are we working on?' }).waitFor(soon)
      return page
    } catch {
      // The page may be in any state.
      await page.context().close()
      return open()
    }
  }

  async function restart(between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { port } = server
    await server.close()
    try {
      await between()
    } finally {
      server = await start(port)
      wasRestarted = true
    }
  }

  async function closePages(test?: Pick<TestContext, 'task'>): Promise<void> {
    const hasFailed = test?.task.result?.state === 'fail'
    if (hasFailed) {
      shared = undefined
      await endAsks()
      if (options.files !== undefined) await renewFiles(options.files)
      complaints.splice(complained)
    }
    const others = contexts.filter((context) => context !== shared?.context())
    const tabs =
      shared
        ?.context()
        .pages()
        .filter((page) => page !== shared) ?? []
    await Promise.all([...others.map((context) => endUse(context, hasFailed)), ...tabs.map((tab) => tab.close())])
    complained = complaints.length
  }

  async function renewFiles(files: Record<string, string>): Promise<void> {
    // The sandbox of a running command may hold entries that start with a dot.
    const left = (await readdir(workFolder)).filter((entry) => !entry.startsWith('.'))
    for (const entry of left) await rm(path.join(workFolder, entry), { recursive: true })
    await writeFiles(workFolder, files)
  }

  async function endAsks(): Promise<void> {
    const { asks } = (await (await server.fetch('/ai/asks')).json()) as { asks: { sessionId: string }[] }
    for (const { sessionId } of asks) await server.fetch(`/ai/chat/${sessionId}/stop`, { method: 'POST', body: '{}' })
  }

  /** Closes the context, or keeps it for the next page that is opened. */
  async function endUse(context: BrowserContext, hasFailed = false): Promise<void> {
    contexts.splice(contexts.indexOf(context), 1)
    const page = hasFailed ? undefined : context.pages().find((one) => reusable.has(one))
    if (page === undefined || !(await isReset(page, watcher.origin()))) await context.close()
    else idle.push(page)
    watchers.delete(context)
  }

  async function close(): Promise<void> {
    await Promise.all([...contexts].map((context) => endUse(context)))
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

declare global {
  /** In a tested page: `fetch` with the page's credential. */
  function apiFetch(path: string, init?: RequestInit): Promise<Response>
}

function addApiFetch(): void {
  globalThis.apiFetch = (path, init = {}) => {
    const { credential } = JSON.parse(localStorage.getItem('troupe.page') ?? '{}') as { credential?: string }
    const headers = new Headers(init.headers)
    headers.set('authorization', `Page ${credential}`)
    return fetch(path, { ...init, headers })
  }
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, text, { mode: 0o600 })
  }
}

interface Watcher {
  complain(text: string): void
  origin(): string
  wasRestarted(): boolean
}

/** The workspace that a context belongs to now. */
const watchers = new WeakMap<BrowserContext, Watcher>()

function watch(page: Page): void {
  const watcher = (): Watcher | undefined => watchers.get(page.context())
  page.on('console', (message) => {
    if (message.text() === 'Service Worker registration blocked by Playwright') return
    // The browser's own log messages have no arguments and differ by version. Those of scripts have some.
    if (message.args().length === 0) return
    if (message.type() === 'error' || message.type() === 'warning')
      watcher()?.complain(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('response', (response) => {
    // A page with its old credential learns that the server was restarted, and renews it.
    if (response.status() === 401 && watcher()?.wasRestarted() === true) return
    if (response.status() >= 400) watcher()?.complain(`response: ${response.status()} ${response.url()}`)
  })
  page.on('pageerror', (error) => watcher()?.complain(`uncaught: ${error.message}`))
  page.on('dialog', (dialog) => {
    watcher()?.complain(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== watcher()?.origin() && protocol !== 'data:') watcher()?.complain(`request: ${request.url()}`)
  })
}

/** Pages opened with the usual options. */
const reusable = new WeakSet<Page>()
/** Pages of tests that ended. They have a renderer and the compiled scripts of the usual port: opening costs half. */
const idle: Page[] = []

/** Leaves the page without data, at a file of the server. Returns false if that fails. */
async function isReset(page: Page, origin: string): Promise<boolean> {
  if (idle.length >= 2) return false
  try {
    const context = page.context()
    const others = context.pages().filter((other) => other !== page)
    await Promise.all(others.map((other) => other.close()))
    await page.unrouteAll()
    await context.unrouteAll()
    await context.clearPermissions()
    // A blank page would get another renderer.
    await page.goto(`${origin}/theme.js`)
    await page.evaluate(() => sessionStorage.clear())
    if (!isDeepStrictEqual(page.viewportSize(), usual)) await page.setViewportSize(usual)
    await page.emulateMedia({
      colorScheme: 'light',
      contrast: 'no-preference',
      forcedColors: 'none',
      reducedMotion: 'reduce',
    })
    const session = await context.newCDPSession(page)
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await session.detach()
    return true
  } catch {
    return false
  }
}

let usualPort = 0

/** Starts on the port of the worker's previous file if it is free, so that the browser knows the page's scripts. */
async function startOnUsualPort(start: (port: number) => Promise<Server>): Promise<Server> {
  const server = await start(usualPort).catch((error: unknown) => {
    if ((error as { name?: string }).name !== 'PortInUse') throw error
    return start(0)
  })
  usualPort = server.port
  return server
}

let launched: Promise<Browser> | undefined

/**
 * Starts one Chromium per worker, in which each file opens contexts. A Chromium shared by all workers would need a
 * process between them, which costs more. Playwright ends it with the worker.
 */
async function openBrowser(executablePath: string): Promise<Browser> {
  const known = await launched
  if (known?.isConnected() === true) return known
  launched = chromium.launch({ executablePath, args: chromiumArguments })
  return launched
}
