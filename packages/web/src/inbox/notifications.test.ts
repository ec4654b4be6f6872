import { expect, test } from 'vitest'
import { ask } from '../testing/open-app.ts'
import { createNotifications } from './notifications.ts'

/** A browser that allows what the person allows, and keeps what it shows. */
function openBrowser({ permission = 'default', answer = 'granted', refuses = false } = {}) {
  const shown: { title: string; tag: string | undefined; isOpen: boolean; click: () => void }[] = []
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
  const open = () =>
    createNotifications({
      Notification: Fake as unknown as typeof Notification,
      kept: {
        get: (key) => values.get(key) ?? null,
        set: (key, value) => void (value === null ? values.delete(key) : values.set(key, value)),
      },
      isSeen: () => state.isSeen,
      onOpen: () => state.opened++,
    })
  return { open, shown, state }
}

test('nothing is asked of the browser before the person has clicked', async () => {
  const { open, shown, state } = openBrowser()
  const notifications = open()
  notifications.show([ask('a1')])
  expect([notifications.getState().notifying, state.asked, shown.length]).toEqual(['off', 0, 0])
  await notifications.turnOn()
  expect([notifications.getState().notifying, state.asked]).toEqual(['on', 1])
  expect(open().getState().notifying).toBe('on')
  notifications.turnOff()
  expect(open().getState().notifying).toBe('off')
})

test('what is new is told of once, while nobody looks, and withdrawn when it has its answer', async () => {
  const { open, shown, state } = openBrowser()
  const notifications = open()
  await notifications.turnOn()
  notifications.show([ask('a1', { title: 'Run \u202Ea command' })])
  notifications.show([ask('a1'), ask('a2'), ask('a3')])
  expect(shown.map(({ title, tag }) => [title, tag])).toEqual([
    ['Run ⟨U+202E⟩a command', 'a1'],
    ['2 things wait for you', 'a2'],
  ])
  notifications.show([ask('a3')])
  expect(shown.map(({ isOpen }) => isOpen)).toEqual([false, true])
  state.isSeen = true
  notifications.show([ask('a3'), ask('a4')])
  expect(shown).toHaveLength(2)
  shown[1]?.click()
  expect([state.opened, shown[1]?.isOpen]).toEqual([1, false])
})

test('a browser that blocks them, has none or lets nobody use them says so', async () => {
  const blocked = openBrowser({ answer: 'denied' }).open()
  await blocked.turnOn()
  expect(blocked.getState().notifying).toBe('blocked')
  const without = createNotifications({
    Notification: undefined,
    kept: { get: () => null, set: () => undefined },
    isSeen: () => false,
    onOpen: () => undefined,
  })
  expect(without.getState().notifying).toBe('none')
  const phone = openBrowser({ refuses: true }).open()
  await phone.turnOn()
  phone.show([ask('a1')])
  expect(phone.getState().notifying).toBe('none')
})
