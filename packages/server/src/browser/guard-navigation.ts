import type { Page } from 'playwright-core'

/**
 * Keeps a tab from going where it may not: each step of a navigation of its main frame, redirects among them, is decided
 * before a request is sent there. A refused one has no content, so that the page stays as it is.
 */
export async function guardNavigation(
  page: Page,
  mayGo: (url: string) => boolean,
  onRefused: (url: string) => void,
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  session.on('Fetch.requestPaused', ({ requestId, frameId, request, responseStatusCode, responseHeaders = [] }) => {
    // Before the request, and again when the answer has come: a redirect is refused there, where it begins.
    const to =
      responseStatusCode === undefined ? request.url : redirectTarget(request.url, responseStatusCode, responseHeaders)
    const isRefused = frameId === frameTree.frame.id && to !== undefined && !mayGo(to)
    if (isRefused) onRefused(to)
    const answer = isRefused
      ? session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 })
      : session.send('Fetch.continueRequest', { requestId })
    // The tab may be gone by then.
    answer.catch(() => undefined)
  })
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
