/** What a browser shows notifications with. */
export interface NotificationBackend {
  /** The browser's own, where it has one. */
  Notification: typeof globalThis.Notification | undefined
  /** The page's service worker once it is at work: on phones nobody else may show one. */
  worker: () => Promise<Pick<ServiceWorkerRegistration, 'showNotification' | 'getNotifications'> | undefined>
}

export interface NotificationContent {
  title: string
  body?: string
  /** The same in every tab: the browser shows it once. */
  tag: string
  /** What a click leads to, also where no page is open any longer. */
  opens: 'inbox' | 'page'
}

export interface ShownNotification {
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
  const options = { tag, ...(body !== undefined && { body }) }
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
