import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Isolation, makeTemporaryFolder } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { Browser, Page } from 'playwright-core'
import { noChromium } from './find-chromium.ts'
import { browserPid, endOrKill, environmentIn, hasOwnSandbox, launchArguments, programFor } from './launch-chromium.ts'

export interface PrintRequest {
  html: string
  as: 'pdf' | 'png'
  width?: number | undefined
  dark?: boolean | undefined
}

interface PrinterOptions {
  /** Folder for temporary profiles. */
  folder: string
  executable(): string | undefined
  /** In team mode: the user as which Chromium runs. Pages are the work of members. */
  isolation?: Isolation | undefined
  timeoutMs?: number
}

export interface Printer {
  print(request: PrintRequest, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
  /** Chromium is installed. */
  isAvailable(): boolean
  pdf(html: string, signal?: AbortSignal): Promise<Uint8Array>
}

const maxAtOnce = 2
const maxWaiting = 8
const maxHeight = 16_000

/**
 * Prints untrusted HTML with a separate Chromium, which has no network and ends after each page. A page that never
 * comes to rest is ended with an error.
 */
export function createPrinter({ folder, executable, isolation, timeoutMs = 25_000 }: PrinterOptions): Printer {
  let working = 0
  let swept: Promise<void> | undefined
  const waiting: (() => void)[] = []
  const printer: Printer = {
    isAvailable: () => executable() !== undefined,
    pdf: (html, signal) => printer.print({ html, as: 'pdf' }, signal),
    async print(request, signal) {
      const executablePath = executable()
      if (executablePath === undefined) throw new NamedError('NoChromium', noChromium, { status: 503 })
      if (working >= maxAtOnce) {
        if (waiting.length >= maxWaiting)
          throw new NamedError('PrintersBusy', 'Too many pages are being printed. Try again in a moment.', {
            status: 429,
          })
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      working += 1
      // No other process uses the home, so existing files are leftovers of a killed process.
      swept ??= rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
      try {
        await swept
        signal?.throwIfAborted()
        return await printOnce(request, { folder, executablePath, isolation, timeoutMs }, signal)
      } finally {
        working -= 1
        waiting.shift()?.()
      }
    },
  }
  return printer
}

interface PrintPlace {
  folder: string
  executablePath: string
  isolation: Isolation | undefined
  timeoutMs: number
}

async function printOnce(
  request: PrintRequest,
  place: PrintPlace,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  await mkdir(place.folder, { recursive: true, mode: 0o700 })
  const { isolation } = place
  const home = await (isolation === undefined
    ? mkdtemp(path.join(place.folder, 'print-'))
    : makeTemporaryFolder('print', isolation))
  const program = await programFor(place.executablePath, place.folder, isolation, home)
  let browser: Browser | undefined
  let pid: number | undefined
  const stop = (): void => void browser?.close().catch(() => undefined)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const { chromium } = await import('playwright-core')
    browser = await chromium.launch({
      executablePath: program.path,
      headless: true,
      chromiumSandbox: hasOwnSandbox(isolation),
      args: launchArguments,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      env: environmentIn(home, {}),
      timeout: place.timeoutMs,
    })
    pid = await browserPid(await browser.newBrowserCDPSession())
    signal?.throwIfAborted()
    const over = delay(place.timeoutMs, undefined, { ref: false }).then(() => {
      throw tooLong(place.timeoutMs)
    })
    // Only the race below handles it.
    over.catch(() => undefined)
    const bytes = await Promise.race([printIn(browser, request, place.timeoutMs), over])
    return new Uint8Array(bytes)
  } catch (error) {
    signal?.throwIfAborted()
    throw printError(error, place.timeoutMs)
  } finally {
    signal?.removeEventListener('abort', stop)
    // It may have crashed, and this answer does not depend on its end.
    if (browser !== undefined && pid !== undefined) await endOrKill(browser, pid).catch(() => undefined)
    else await browser?.close().catch(() => undefined)
    await program.remove()
    await rm(home, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
  }
}

async function printIn(browser: Browser, { html, as, width = 1200, dark = false }: PrintRequest, timeout: number) {
  const context = await browser.newContext({
    offline: true,
    acceptDownloads: false,
    serviceWorkers: 'block',
    viewport: { width, height: 900 },
    deviceScaleFactor: as === 'png' ? 2 : 1,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(timeout)
  await context.route('**/*', (route) => route.abort('blockedbyclient'))
  const page = await context.newPage()
  context.on('page', (other) => void other.close().catch(() => undefined))
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined))
  await page.setContent(html, { waitUntil: 'load', timeout })
  return as === 'pdf' ? printPdf(page) : takePicture(page, width, timeout)
}

function printPdf(page: Page): Promise<Buffer> {
  const margin = '12mm'
  return page.pdf({
    format: 'A4',
    printBackground: true,
    preferCSSPageSize: true,
    margin: { top: margin, right: margin, bottom: margin, left: margin },
  })
}

async function takePicture(page: Page, width: number, timeout: number): Promise<Buffer> {
  // From the browser: the page itself could say anything.
  const session = await page.context().newCDPSession(page)
  const { cssContentSize } = await session.send('Page.getLayoutMetrics')
  const isLong = cssContentSize.height > maxHeight
  return page.screenshot({
    type: 'png',
    fullPage: true,
    animations: 'disabled',
    timeout,
    ...(isLong && { clip: { x: 0, y: 0, width, height: maxHeight } }),
  })
}

function tooLong(timeoutMs: number): NamedError {
  const seconds = Math.round(timeoutMs / 1000)
  const text = `The page did not come to rest within ${seconds} seconds, so it was not printed. Its script may never end. Download it as HTML instead, or ask for a version without the script.`
  return new NamedError('PrintTimeout', text, { status: 504 })
}

function printError(error: unknown, timeoutMs: number): NamedError {
  if (error instanceof NamedError) return error
  if (error instanceof Error && error.name === 'TimeoutError') return tooLong(timeoutMs)
  const line = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
  return new NamedError(
    'PrintFailed',
    `Chromium could not print the page: ${line.slice(0, 300)} Download it as HTML and print it in your browser instead.`,
    { status: 500, cause: error },
  )
}
