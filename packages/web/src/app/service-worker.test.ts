import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

const source = readFileSync(new URL('../../public/service-worker.js', import.meta.url), 'utf8')

interface Page {
  visibilityState: string
  focused: boolean
  frameType?: string
}

async function click(pages: Page[], opens: string): Promise<string[]> {
  const listeners = new Map<string, (event: object) => void>()
  const done: string[] = []
  const clients = pages.map((page, index) => ({
    frameType: 'top-level',
    ...page,
    postMessage: (message: object) => done.push(`${index} payload ${JSON.stringify(message)}`),
    focus: () => Promise.resolve(done.push(`${index} focused`)),
  }))
  const self = {
    addEventListener: (type: string, listener: (event: object) => void) => void listeners.set(type, listener),
    clients: {
      matchAll: () => Promise.resolve(clients),
      openWindow: (url: string) => Promise.resolve(done.push(`opened ${url}`)),
    },
  }
  runInNewContext(source, { self })
  let work: unknown
  const notification = { data: { opens }, close: () => done.push('closed') }
  listeners.get('notificationclick')?.({ notification, waitUntil: (given: unknown) => (work = given) })
  await work
  return done
}

const hidden = { visibilityState: 'hidden', focused: false }

test('it focuses the visible page, or else any, and passes on the click', async () => {
  const payload = JSON.stringify({ type: 'notification-click', opens: 'inbox' })
  expect(await click([hidden, { visibilityState: 'visible', focused: false }], 'inbox')).toEqual([
    'closed',
    `1 payload ${payload}`,
    '1 focused',
  ])
  expect(await click([{ ...hidden, frameType: 'nested' }, hidden], 'inbox')).toEqual([
    'closed',
    `1 payload ${payload}`,
    '1 focused',
  ])
})

test('without a page, one is opened, at the inbox if requested', async () => {
  expect(await click([], 'inbox')).toEqual(['closed', 'opened /#inbox'])
  expect(await click([], 'page')).toEqual(['closed', 'opened /'])
})
