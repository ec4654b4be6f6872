import { expect, test } from 'vitest'
import { ask } from '../testing/open-app.ts'
import { createNotifications } from './notifications.ts'

function openBrowser({ permission = 'default', answer = 'granted', refuses = false, worker = 'none' } = {}) {
  const shown: { title: string; tag: string | undefined; data?: unknown; isOpen: boolean; click: () => void }[] = []
  const values = new Map<string, string>()
  const state = { asked: 0, isSeen: false, opened: 0 }
  class Fake extends EventTarget {
    static permission = permission
    static requestPermission() {
      state.asked++
      Fake.permission = answer
      return Promise.resolve(answer)
    }
    readonly #shown
    constructor(title: string, options: NotificationOptions = {}) {
      super()
      if (refuses) throw new TypeError('Illegal constructor')
      this.#shown = { title, tag: options.tag, isOpen: true, click: () => void this.dispatchEvent(new Event('click')) }
      shown.push(this.#shown)
    }
    close() {
      this.#shown.isOpen = false
    }
  }
  const registration = {
    showNotification(title: string, { tag, data }: NotificationOptions = {}) {
      if (worker === 'refuses') return Promise.reject(new TypeError('No notifications'))
      shown.push({ title, tag, data, isOpen: true, click: () => undefined })
      return Promise.resolve()
    },
    getNotifications: ({ tag }: GetNotificationOptions = {}) =>
      Promise.resolve(
        shown
          .filter((one) => one.tag === tag && one.isOpen)
          .map((one) => ({ close: () => (one.isOpen = false) }) as unknown as Notification),
      ),
  }
  const open = () =>
    createNotifications({
      backend: {
        Notification: Fake as unknown as typeof Notification,
        worker: () => Promise.resolve(worker === 'none' ? undefined : registration),
      },
      storage: {
        get: (key) => values.get(key) ?? null,
        set: (key, value) => void (value === null ? values.delete(key) : values.set(key, value)),
      },
      isSeen: () => state.isSeen,
      onOpen: () => state.opened++,
    })
  return { open, shown, state }
}

test('the browser is not asked before the user clicks', async () => {
  const { open, shown, state } = openBrowser()
  const notifications = open()
  await notifications.show([ask('a1')])
  expect([notifications.getState().notifying, state.asked, shown.length]).toEqual(['off', 0, 0])
  await notifications.turnOn()
  expect([notifications.getState().notifying, state.asked]).toEqual(['on', 1])
  expect(open().getState().notifying).toBe('on')
  notifications.turnOff()
  expect(open().getState().notifying).toBe('off')
})

test('a new ask is announced once, while the page is hidden, and withdrawn after its answer', async () => {
  const { open, shown, state } = openBrowser()
  const notifications = open()
  await notifications.turnOn()
  await notifications.show([ask('a1', { title: 'Run \u202Ea command' })])
  await notifications.show([ask('a1'), ask('a2'), ask('a3')])
  expect(shown.map(({ title, tag }) => [title, tag])).toEqual([
    ['Run ⟨U+202E⟩a command', 'a1'],
    ['2 items need your attention', 'a2'],
  ])
  await notifications.show([ask('a3')])
  expect(shown.map(({ isOpen }) => isOpen)).toEqual([false, true])
  state.isSeen = true
  await notifications.show([ask('a3'), ask('a4')])
  expect(shown).toHaveLength(2)
  shown[1]?.click()
  expect([state.opened, shown[1]?.isOpen]).toEqual([1, false])
})

test('a browser that blocks or lacks notifications is reported', async () => {
  const blocked = openBrowser({ answer: 'denied' }).open()
  await blocked.turnOn()
  expect(blocked.getState().notifying).toBe('blocked')
  const without = createNotifications({
    backend: { Notification: undefined, worker: () => Promise.resolve(undefined) },
    storage: { get: () => null, set: () => undefined },
    isSeen: () => false,
    onOpen: () => undefined,
  })
  expect(without.getState().notifying).toBe('none')
  const phone = openBrowser({ refuses: true }).open()
  await phone.turnOn()
  await phone.show([ask('a1')])
  expect(phone.getState().notifying).toBe('none')
})

test('if only the service worker can show notifications, it does, and they are withdrawn and open the inbox as well', async () => {
  const { open, shown } = openBrowser({ refuses: true, worker: 'shows' })
  const phone = open()
  await phone.turnOn()
  await phone.show([ask('a1', { title: 'Run it' })])
  expect(shown).toMatchObject([{ title: 'Run it', tag: 'a1', data: { opens: 'inbox' }, isOpen: true }])
  expect(phone.getState().notifying).toBe('on')
  await phone.show([])
  await expect.poll(() => shown[0]?.isOpen).toBe(false)
})

test('a service worker that may not leaves it to the page', async () => {
  const { open, shown } = openBrowser({ worker: 'refuses' })
  const notifications = open()
  await notifications.turnOn()
  await notifications.show([ask('a1')])
  expect(shown).toHaveLength(1)
  expect(notifications.getState().notifying).toBe('on')
})

test('an ask answered before its notification leaves none', async () => {
  const { open, shown } = openBrowser({ worker: 'shows' })
  const notifications = open()
  await notifications.turnOn()
  const showing = notifications.show([ask('a1')])
  await notifications.show([])
  await showing
  await expect.poll(() => shown.map(({ isOpen }) => isOpen)).toEqual([false])
})
