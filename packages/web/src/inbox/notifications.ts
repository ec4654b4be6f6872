import { visibleText } from '@troupe/core/protocol'
import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import type { Ask } from '@troupe/core'
import type { KeyValueStorage } from '../api/kept.ts'
import { t } from '../texts/t.ts'
import { showNotification } from './show-notification.ts'
import type { NotificationBackend, ShownNotification } from './show-notification.ts'

/** Whether the person is told by the browser: `none` where it cannot, `blocked` where it was told not to. */
export type NotificationStatus = 'none' | 'off' | 'on' | 'blocked'

export type Notifications = StoreApi<{ notifying: NotificationStatus }> & {
  /** Asks the browser, if need be. Only ever by a click of the person's. */
  turnOn: () => Promise<void>
  turnOff: () => void
  /** What waits now: tells of what is new in it, and takes back what need not be told of any longer. */
  show: (asks: readonly Ask[]) => Promise<void>
}

export interface NotificationServices {
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
