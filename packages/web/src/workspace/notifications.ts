import type { Ask } from '@troupe/core'
import { visibleText } from '@troupe/protocol'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { KeyValueStorage } from '../platform/storage.ts'
import { t } from '../texts/t.ts'

/** Whether the person is told by the browser: `none` where it cannot, `blocked` where it was told not to. */
type NotificationStatus = 'none' | 'off' | 'on' | 'blocked'

export type Notifications = StoreApi<{ notifying: NotificationStatus }> & {
  /** Asks the browser, if need be. Only ever by a click of the person's. */
  turnOn: () => Promise<void>
  turnOff: () => void
  /** What waits now: tells of what is new in it, and takes back what need not be told of any longer. */
  show: (asks: readonly Ask[]) => Promise<void>
}

interface NotificationServices {
  ways: NotificationBackend
  kept: KeyValueStorage
  /** The person looks at the page: nothing need be said. */
  isSeen: () => boolean
  /** The notification was clicked. */
  onOpen: () => void
}

const key = 'troupe.notify'

export function createNotifications(services: NotificationServices): Notifications {
  const { ways, kept, isSeen, onOpen } = services
  const { Notification } = ways
  const store = createStore<{ notifying: NotificationStatus }>(() => ({ notifying: standing() }))
  let known: ReadonlySet<string> = new Set()
  let shown: { notification: ShownNotification; ids: string[] }[] = []

  return { ...store, turnOn, turnOff, show }

  function standing(): NotificationStatus {
    if (Notification === undefined) return 'none'
    if (Notification.permission === 'denied') return 'blocked'
    return Notification.permission === 'granted' && kept.get(key) === 'on' ? 'on' : 'off'
  }

  async function turnOn(): Promise<void> {
    if (Notification === undefined) return
    const permission = await Notification.requestPermission()
    if (permission === 'granted') kept.set(key, 'on')
    store.setState({ notifying: standing() })
  }

  function turnOff(): void {
    kept.set(key, null)
    store.setState({ notifying: standing() })
  }

  async function show(asks: readonly Ask[]): Promise<void> {
    const fresh = asks.filter(({ id }) => !known.has(id))
    known = new Set(asks.map(({ id }) => id))
    withdraw()
    if (fresh.length > 0 && store.getState().notifying === 'on' && !isSeen()) await tell(fresh)
  }

  async function tell(asks: Ask[]): Promise<void> {
    const [first] = asks
    if (first === undefined) return
    const title = asks.length === 1 ? visibleText(first.title, 'name') : t.inbox.several(asks.length)
    const told = { title, body: t.inbox.notifyBody, tag: first.id, opens: 'inbox' as const }
    const notification = await showNotification(ways, told, onOpen)
    if (notification === undefined) return store.setState({ notifying: 'none' })
    shown.push({ notification, ids: asks.map(({ id }) => id) })
    // It may have had its answer meanwhile.
    withdraw()
  }

  function withdraw(): void {
    shown = shown.filter(({ notification, ids }) => {
      const isOpen = ids.some((id) => known.has(id))
      if (!isOpen) notification.close()
      return isOpen
    })
  }
}

/** What a browser shows notifications with. */
interface NotificationBackend {
  /** The browser's own, where it has one. */
  Notification: typeof globalThis.Notification | undefined
  /** The page's service worker once it is at work: on phones nobody else may show one. */
  worker: () => Promise<Pick<ServiceWorkerRegistration, 'showNotification' | 'getNotifications'> | undefined>
}

interface NotificationContent {
  title: string
  body?: string
  /** The same in every tab: the browser shows it once. */
  tag: string
  /** What a click leads to, also where no page is open any longer. */
  opens: 'inbox' | 'page'
}

interface ShownNotification {
  close: () => void
}

/**
 * Shows a notification, undefined where the browser lets nobody. `onClick` is for one of the page's own: a click on one
 * of the service worker's comes as a message, see `onNotificationClick`.
 */
export async function showNotification(
  { Notification, worker }: NotificationBackend,
  { title, body, tag, opens }: NotificationContent,
  onClick: () => void,
): Promise<ShownNotification | undefined> {
  if (Notification?.permission !== 'granted') return undefined
  const options = { tag, body }
  const registration = await worker()
  if (registration !== undefined) {
    try {
      await registration.showNotification(title, { ...options, data: { opens } })
      return { close: () => void closeAll(registration, tag) }
    } catch {
      // Some browsers have service workers that may not: the page's own is tried.
    }
  }
  try {
    const notification = new Notification(title, options)
    notification.addEventListener('click', () => {
      notification.close()
      onClick()
    })
    return notification
  } catch {
    // Browsers on phones have the name but let only a service worker use it.
    return undefined
  }
}

async function closeAll(registration: Pick<ServiceWorkerRegistration, 'getNotifications'>, tag: string): Promise<void> {
  for (const notification of await registration.getNotifications({ tag })) notification.close()
}

/** Those of this browser. */
export function browserNotifications(): NotificationBackend {
  return {
    Notification: 'Notification' in window ? window.Notification : undefined,
    async worker() {
      if (!('serviceWorker' in navigator)) return undefined
      const registration = await navigator.serviceWorker.getRegistration()
      return registration?.active == null ? undefined : registration
    },
  }
}

/** A click on what the service worker has shown, told to the page that it brings forward. */
export function onNotificationClick(listener: (opens: NotificationContent['opens']) => void): void {
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const { type, opens } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
    if (type === 'notification-click') listener(opens === 'inbox' ? 'inbox' : 'page')
  })
}
