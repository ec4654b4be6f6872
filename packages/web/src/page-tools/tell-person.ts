import { visibleText } from '@troupe/core/protocol'
import { notice } from '../ui/notices.tsx'

/** Tells the person something: by the browser where that is allowed and they look elsewhere, else in the page. */
export function tellPerson(
  { title, body, tag }: { title: string; body: string | undefined; tag: string },
  mayNotify: boolean,
): 'notification' | 'notice' {
  const shown = visibleText(title, 'name')
  const isSeen = document.visibilityState === 'visible' && document.hasFocus()
  if (mayNotify && !isSeen) {
    try {
      const notification = new Notification(shown, {
        tag,
        ...(body !== undefined && { body: visibleText(body, 'name') }),
      })
      notification.addEventListener('click', () => {
        notification.close()
        window.focus()
      })
      return 'notification'
    } catch {
      // Browsers on phones have the name but let only a service worker use it.
    }
  }
  notice(body === undefined ? shown : `${shown}: ${visibleText(body, 'name')}`)
  return 'notice'
}
