import { EventEmitter } from 'node:events'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { watchTab } from './tab.ts'

const frame = { id: 'main' }

/** A tab whose Chromium events are emitted by the test, in an order that a real page only rarely produces. */
async function openTab() {
  const session = Object.assign(new EventEmitter(), { send: () => Promise.resolve({ frameTree: { frame } }) })
  const page = Object.assign(new EventEmitter(), { context: () => ({ newCDPSession: () => Promise.resolve(session) }) })
  const tab = await watchTab(page as unknown as Page, (url) => url.startsWith('http://a.test/'))
  return {
    tab,
    request: (url: string, more: object = {}) =>
      session.emit('Fetch.requestPaused', { requestId: '1', frameId: frame.id, request: { url }, ...more }),
    showDocument: () => session.emit('Page.frameNavigated', { frame }),
  }
}

test('an opened page is not charged with where the previous page tried to go', async () => {
  const { tab, request, showDocument } = await openTab()
  tab.isOpening = true
  request('http://a.test/next')
  request('http://b.test/late')
  showDocument()
  expect(tab.refused).toBeUndefined()
  expect(tab.drainNotes()).toEqual([])
  request('http://b.test/own')
  expect(tab.refused).toEqual({ url: 'http://b.test/own', isRedirect: false })
  expect(tab.drainNotes()).toEqual([expect.stringContaining('http://b.test/own')])
})

test('a click that changes the page keeps the note of a blocked navigation', async () => {
  const { tab, request, showDocument } = await openTab()
  request('http://b.test/ad')
  showDocument()
  expect(tab.drainNotes()).toEqual([expect.stringContaining('http://b.test/ad')])
})

test('a redirect is recognized before and after it is followed', async () => {
  const { tab, request } = await openTab()
  const headers = [{ name: 'Location', value: 'http://b.test/' }]
  request('http://a.test/', { responseStatusCode: 302, responseHeaders: headers })
  expect(tab.refused).toEqual({ url: 'http://b.test/', isRedirect: true })
  tab.refused = undefined
  request('http://b.test/', { redirectedRequestId: '1' })
  expect(tab.refused).toEqual({ url: 'http://b.test/', isRedirect: true })
})
