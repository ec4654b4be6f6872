import type { Page } from 'playwright-core'

/** One tab and a record of unrequested events. */
export interface Tab {
  page: Page
  readonly isGone: boolean
  /** The last blocked navigation. */
  refused: Refusal | undefined
  /** True until the document that is being opened replaces the previous one. */
  isOpening: boolean
  noteWindow(url: string): void
  /** Returns and clears the events since the last call. */
  drainNotes(): string[]
}

export interface Refusal {
  url: string
  /** False if the page itself started the navigation. */
  isRedirect: boolean
}

const maxNotes = 10

export async function watchTab(page: Page, mayGo: (url: string) => boolean): Promise<Tab> {
  let notes: string[] = []
  let isGone = false
  const note = (text: string): void => {
    if (notes.length < maxNotes && !notes.includes(text)) notes.push(text)
  }
  const tab: Tab = {
    page,
    get isGone() {
      return isGone
    },
    refused: undefined,
    isOpening: false,
    noteWindow: (url) => note(`The page tried to open a new window, which was blocked: ${short(url, 2000)}`),
    drainNotes() {
      const taken = notes
      notes = []
      return taken
    },
  }
  page.on('close', () => (isGone = true))
  page.on('crash', () => (isGone = true))
  page.on('dialog', (dialog) => {
    const isLeaving = dialog.type() === 'beforeunload'
    if (!isLeaving) note(`The page showed a dialog, which was dismissed: "${short(dialog.message())}"`)
    void (isLeaving ? dialog.accept() : dialog.dismiss()).catch(() => undefined)
  })
  page.on('download', (download) => note(`A download was blocked: ${short(download.url())}`))
  page.on('filechooser', () => note('The page asked for a file, which was blocked.'))
  // Nobody would see a second window.
  page.on('popup', (popup) => void popup.close().catch(() => undefined))
  await guardNavigation(page, mayGo, {
    onRefused(refusal) {
      tab.refused = refusal
      note(elsewhere(refusal.url))
    },
    onDocument() {
      if (!tab.isOpening) return
      // The previous page can still act while the next one is requested.
      tab.isOpening = false
      tab.refused = undefined
      notes = []
    },
  })
  return tab
}

function elsewhere(url: string): string {
  return `The page tried to go to another host, which was blocked. If you want that page, open it with BrowserSnapshot: ${short(url, 2000)}`
}

function short(text: string, most = 300): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line
}

/**
 * Blocks disallowed navigations of the main frame. Each step, including redirects, is checked before its request is
 * sent. A blocked one gets an empty response, so the page stays unchanged.
 */
async function guardNavigation(
  page: Page,
  mayGo: (url: string) => boolean,
  { onRefused, onDocument }: { onRefused(refusal: Refusal): void; onDocument(): void },
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  session.on('Fetch.requestPaused', (paused) => {
    const { requestId, redirectedRequestId, frameId, request, responseStatusCode, responseHeaders = [] } = paused
    // Checks before the request and again on the response, to block redirects before they are followed.
    const to =
      responseStatusCode === undefined ? request.url : redirectTarget(request.url, responseStatusCode, responseHeaders)
    const isRefused = frameId === frameTree.frame.id && to !== undefined && !mayGo(to)
    const isRedirect = responseStatusCode !== undefined || redirectedRequestId !== undefined
    if (isRefused) onRefused({ url: to, isRedirect })
    const answer = isRefused
      ? session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 })
      : session.send('Fetch.continueRequest', { requestId })
    // The tab may already be closed.
    answer.catch(() => undefined)
  })
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === frameTree.frame.id) onDocument()
  })
  await session.send('Page.enable')
  const documents = { urlPattern: '*', resourceType: 'Document' } as const
  await session.send('Fetch.enable', {
    patterns: [
      { ...documents, requestStage: 'Request' },
      { ...documents, requestStage: 'Response' },
    ],
  })
}

function redirectTarget(url: string, status: number, headers: { name: string; value: string }[]): string | undefined {
  if (status < 300 || status > 399) return undefined
  const location = headers.find(({ name }) => name.toLowerCase() === 'location')?.value
  return location === undefined ? undefined : URL.parse(location, url)?.href
}
