import type { Ask } from '@troupe/core'
import { visibleText } from '@troupe/protocol'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { KeyValueStorage } from '../platform/storage.ts'
import { t } from '../texts/t.ts'

/** `none` if the browser lacks notifications, `blocked` if the user denied them. */
type NotificationStatus = 'none' | 'off' | 'on' | 'blocked'

export type Notifications = StoreApi<{ notifying: NotificationStatus }> & {
  /** Asks for permission if needed. Call only from a user click. */
  turnOn: () => Promise<void>
  turnOff: () => void
  /** Notifies about new asks and withdraws outdated notifications. */
  show: (asks: readonly Ask[]) => Promise<void>
}

interface NotificationServices {
  backend: NotificationBackend
  storage: KeyValueStorage
  /** True if the user is viewing the page, so no notification is needed. */
  isSeen: () => boolean
  onOpen: () => void
}

const key = 'troupe.notify'

export function createNotifications(services: NotificationServices): Notifications {
  const { backend: ways, storage: kept, isSeen, onOpen } = services
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
    const content = { title, body: t.inbox.notifyBody, tag: first.id, opens: 'inbox' as const }
    const notification = await showNotification(ways, content, onOpen)
    if (notification === undefined) return store.setState({ notifying: 'none' })
    shown.push({ notification, ids: asks.map(({ id }) => id) })
    // The ask may have been answered in the meantime.
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

interface NotificationBackend {
  /** Native constructor, if available. */
  Notification: typeof globalThis.Notification | undefined
  /** Service worker once active. On phones only it can show notifications. */
  worker: () => Promise<Pick<ServiceWorkerRegistration, 'showNotification' | 'getNotifications'> | undefined>
}

interface NotificationContent {
  title: string
  body?: string
  /** Same in all tabs, so the browser shows it once. */
  tag: string
  /** Target of a click, even if no page is open. */
  opens: 'inbox' | 'page'
}

interface ShownNotification {
  close: () => void
}

/**
 * Shows a notification. Undefined if the browser does not allow it. `onClick` is for page notifications only. Clicks on
 * service worker notifications arrive as messages; see `onNotificationClick`.
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
      // Some service workers cannot show notifications, so fall back to the page.
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
    // Mobile browsers expose the constructor but allow only service workers to use it.
    return undefined
  }
}

async function closeAll(registration: Pick<ServiceWorkerRegistration, 'getNotifications'>, tag: string): Promise<void> {
  for (const notification of await registration.getNotifications({ tag })) notification.close()
}

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

/** Listens for clicks on service worker notifications. The worker sends them to the page it focuses. */
export function onNotificationClick(listener: (opens: NotificationContent['opens']) => void): void {
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const { type, opens } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
    if (type === 'notification-click') listener(opens === 'inbox' ? 'inbox' : 'page')
  })
}
