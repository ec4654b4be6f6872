import { isRecord } from '../api/read-fields.ts'
import { t } from '../texts/t.ts'

/** The chat whose branch is shared. Without a leaf, its newest branch. */
export interface SharedChat {
  sessionId: string
  leaf: string | undefined
}

export type ExportFormat = 'md' | 'json' | 'html'

/** The address of an export in the page's language. A document has one branch, JSON has all of them. */
export function exportPath(
  { sessionId, leaf }: SharedChat,
  format: ExportFormat,
  more: Record<string, string> = {},
): string {
  const branch: Record<string, string> = leaf === undefined || format === 'json' ? {} : { branch: leaf }
  const search = new URLSearchParams({ format, lang: t.tag, ...branch, ...more })
  return `/ai/sessions/${encodeURIComponent(sessionId)}/export?${search}`
}

/** `signed` is `link` of the workspace. */
export function downloadChat(chat: SharedChat, format: ExportFormat, signed: (path: string) => string): void {
  const link = document.createElement('a')
  link.href = signed(exportPath(chat, format))
  link.download = ''
  link.click()
}

/**
 * Prints a whole chat, also what a long list does not render. The page that prints itself comes from the server, in a
 * frame without our origin.
 */
export function printChat(chat: SharedChat, signed: (path: string) => string): void {
  document.querySelector('.print-frame')?.remove()
  const frame = document.createElement('iframe')
  frame.classList.add('print-frame', 'visually-hidden')
  frame.title = t.share.print
  frame.tabIndex = -1
  frame.ariaHidden = 'true'
  // As the server's policy says, also for an answer that is not the page.
  frame.sandbox.add('allow-scripts', 'allow-modals')
  frame.src = signed(exportPath(chat, 'html', { print: '1' }))
  const onMessage = ({ source, data }: MessageEvent) => {
    if (source !== frame.contentWindow || !isRecord(data) || data['type'] !== 'printed') return
    window.removeEventListener('message', onMessage)
    frame.remove()
  }
  window.addEventListener('message', onMessage)
  document.body.append(frame)
}

/** Copies text with its formatting, for documents and mail. Resolves with true if copied. */
export async function copyRichText(content: Promise<{ html: string; text: string }>): Promise<boolean> {
  const blob = (type: string, text: string) => new Blob([text], { type })
  try {
    // The clipboard takes promises, so a slow answer does not end the permission that the click gave.
    await navigator.clipboard.write([
      new ClipboardItem({
        'text/html': content.then(({ html }) => blob('text/html', html)),
        'text/plain': content.then(({ text }) => blob('text/plain', text)),
      }),
    ])
    return true
  } catch {
    return false
  }
}

/** The conversation of an exported page: headings and texts, without tool calls, reasoning and the player. */
export function conversationHtml(page: string): string {
  // The page's policy would report the style, even in a document that is never shown.
  const { body } = new DOMParser().parseFromString(page.replace(/<style>[\s\S]*?<\/style>/, ''), 'text/html')
  for (const element of body.querySelectorAll('script, style, form, details, header p, article > h2')) element.remove()
  for (const element of body.querySelectorAll('*'))
    for (const name of element.getAttributeNames()) if (name !== 'href' && name !== 'src') element.removeAttribute(name)
  return body.innerHTML.trim()
}

/** The rendered text of one message, without the buttons that the page adds. */
export function messageHtml(messageId: string): string {
  const blocks = document.querySelectorAll(`[data-message="${CSS.escape(messageId)}"] .prose`)
  return [...blocks]
    .map((block) => {
      const copy = block.cloneNode(true) as Element
      for (const extra of copy.querySelectorAll('button, svg, [hidden], .code-language')) extra.remove()
      for (const element of copy.querySelectorAll('*'))
        for (const name of element.getAttributeNames())
          if (!['href', 'src', 'alt', 'colspan', 'rowspan', 'start'].includes(name)) element.removeAttribute(name)
      return copy.innerHTML
    })
    .join('\n')
}
