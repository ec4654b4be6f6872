import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Server, type ServerOptions, startServer } from '@troupe/server'
import { checkAnswer } from '../../server/src/testing/check-answer.ts'
import { type Browser, type BrowserContextOptions, chromium, type Page, type ViewportSize } from 'playwright-core'
import type { TestContext } from 'vitest'
import { builtPage } from '../../../scripts/lib/web-build.mjs'
import { testApprovalSource } from '../../server/src/testing/test-server.ts'
import { chromiumArguments } from './chromium-arguments.ts'

/** A real server on a home of its own, the page as it is now, and a browser that reports everything that goes wrong. */
export interface TestWorkspace {
  server(): Server
  /** Where the agent works. */
  folder: string
  /** Ends the server and starts another on the same home and port, as after a crash or an update. */
  restart(between?: () => Promise<void>): Promise<void>
  /** A page of a browser that has a credential. */
  open(options?: BrowserContextOptions): Promise<Page>
  newPage(options?: BrowserContextOptions): Promise<Page>
  /** The page that tests of a file share where a new session is all they need: loading one is what takes time. */
  sharedPage(viewport?: ViewportSize): Promise<Page>
  /** Console and uncaught errors, breaches of the page's content policy, failed answers, requests to elsewhere. */
  complaints: string[]
  /**
   * Closes every page but the shared one, so that none goes on asking the server while the next test runs. Of a test
   * that failed nothing is left, neither the shared page nor what was asked, written and complained of: it may be
   * tried again.
   */
  closePages(test?: Pick<TestContext, 'task'>): Promise<void>
  close(): Promise<void>
}

export interface WorkspaceOptions {
  /** Models beside the demo, by `provider/model`; the first is the default. */
  models?: ServerOptions['models']
  /** How the server is started besides. */
  server?: Partial<ServerOptions>
  /** Files of the home, by their path in it. */
  home?: Record<string, string>
  /** Files of the folder that is worked in, by their path in it; without any it is the test's own folder. */
  files?: Record<string, string>
  /** Files that are added to the page's sources before it is built, by their path in `src`; React then warns, too. */
  sources?: Record<string, string>
}

const usual: ViewportSize = { width: 1200, height: 800 }

export async function openWorkspace(executablePath: string, options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-web-'))
  const workFolder = options.files === undefined ? folder : path.join(folder, 'work')
  await writeFiles(path.join(folder, 'home'), { 'tools/test-approval.ts': testApprovalSource, ...options.home })
  await writeFiles(workFolder, options.files ?? {})
  const webFolder = await pageWith(options.sources)
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
  let server = await start(0).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  const browser = await openBrowser(executablePath)
  let shared: Page | undefined
  let wasRestarted = false
  /** How many complaints there were when the test began. */
  let complained = 0

  return { server: () => server, folder: workFolder, restart, open, newPage, sharedPage, complaints, closePages, close }

  async function open(options?: BrowserContextOptions): Promise<Page> {
    const page = await newPage(options)
    await page.goto(server.newUrl())
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    return page
  }

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: usual,
      // What moves for ever is drawn for ever, and here by the processor.
      reducedMotion: 'reduce',
      // What is kept for reading offline is tested where it is meant to be.
      serviceWorkers: 'block',
      ...options,
    })
    context.setDefaultTimeout(15_000)
    context.on('page', watch)
    await context.addInitScript(() => {
      if (window !== window.top) return
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
      // What the test before has left open lies over the page.
      for (let left = 3; left > 0 && (await page.getByRole('dialog').count()) > 0; left--)
        await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'New session' }).first().click(soon)
      await page.getByRole('heading', { name: 'What shall we work on?' }).waitFor(soon)
      return page
    } catch {
      // It may have been left in any state.
      await page.context().close()
      return open()
    }
  }

  function watch(page: Page): void {
    page.on('console', (message) => {
      if (message.text() === 'Service Worker registration blocked by Playwright') return
      // What the browser logs by itself has no arguments and differs by version. What scripts log has some.
      if (message.args().length === 0) return
      if (message.type() === 'error' || message.type() === 'warning')
        complaints.push(`console: ${message.text()} ${message.location().url}`)
    })
    page.on('response', (response) => {
      // With its old credential a page learns that the server was restarted, and renews it.
      if (response.status() === 401 && wasRestarted) return
      if (response.status() >= 400) complaints.push(`response: ${response.status()} ${response.url()}`)
    })
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (origin !== `http://127.0.0.1:${server.port}` && protocol !== 'data:')
        complaints.push(`request: ${request.url()}`)
    })
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
    if (test?.task.result?.state === 'fail') {
      shared = undefined
      await endAsks()
      if (options.files !== undefined) await renewFiles(options.files)
      complaints.splice(complained)
    }
    const contexts = browser.contexts().filter((context) => context !== shared?.context())
    const tabs =
      shared
        ?.context()
        .pages()
        .filter((page) => page !== shared) ?? []
    await Promise.all([...contexts, ...tabs].map((one) => one.close()))
    complained = complaints.length
  }

  async function renewFiles(files: Record<string, string>): Promise<void> {
    // What begins with a dot may be held by the sandbox of a command that still runs.
    const left = (await readdir(workFolder)).filter((entry) => !entry.startsWith('.'))
    for (const entry of left) await rm(path.join(workFolder, entry), { recursive: true })
    await writeFiles(workFolder, files)
  }

  async function endAsks(): Promise<void> {
    const { asks } = (await (await server.fetch('/ai/asks')).json()) as { asks: { sessionId: string }[] }
    for (const { sessionId } of asks) await server.fetch(`/ai/chat/${sessionId}/stop`, { method: 'POST', body: '{}' })
  }

  async function close(): Promise<void> {
    await browser.close()
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

declare global {
  /** In a page under test: `fetch` with the credential of the page. */
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

/** The page that was built for all tests of this run, or one with a few files more. */
async function pageWith(sources: Record<string, string> | undefined): Promise<string> {
  if (sources !== undefined) return builtPage({ sources, mode: 'development' })
  return process.env['TROUPE_TEST_PAGE'] ?? builtPage()
}

/** The Chromium that all tests of this run share, or one of its own. Closing ends only what was opened through it. */
function openBrowser(executablePath: string): Promise<Browser> {
  const shared = process.env['TROUPE_TEST_BROWSER']
  return shared === undefined ? chromium.launch({ executablePath, args: chromiumArguments }) : chromium.connect(shared)
}
