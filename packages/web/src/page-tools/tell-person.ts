import { visibleText } from '@troupe/core/protocol'
import { browserNotifications, showNotification } from '../inbox/show-notification.ts'
import { notice } from '../ui/notices.tsx'

/** Tells the person something: by the browser where that is allowed and they look elsewhere, else in the page. */
export async function notifyPerson(
  { title, body, tag }: { title: string; body: string | undefined; tag: string },
  mayNotify: boolean,
): Promise<'notification' | 'notice'> {
  const shown = visibleText(title, 'name')
  const isSeen = document.visibilityState === 'visible' && document.hasFocus()
  if (mayNotify && !isSeen) {
    const told = {
      title: shown,
      tag,
      opens: 'page' as const,
      ...(body !== undefined && { body: visibleText(body, 'name') }),
    }
    const notification = await showNotification(browserNotifications(), told, () => window.focus())
    if (notification !== undefined) return 'notification'
  }
  notice(body === undefined ? shown : `${shown}: ${visibleText(body, 'name')}`)
  return 'notice'
}
