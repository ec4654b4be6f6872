import { t } from '../texts/t.ts'
import { readFrameMessage, type FrameMessage } from './frame-message.ts'

/** What is shown in the frame: markup, or data together with the library that draws it. */
export type Show =
  | { kind: 'html'; html: string }
  | { kind: 'chart'; code: string; option: unknown; theme: 'light' | 'dark' }
  | { kind: 'diagrams'; code: string }

export interface FrameLink {
  /** Asks what is shown for a picture of it. Rejects with what went wrong, and after the time. */
  ask(request: Record<string, string>, timeoutMs?: number): Promise<string>
  close(): void
}

/**
 * The talk with `/preview.html` in a frame. It says once that it is ready, and is then sent what to show, once: a page
 * that went elsewhere gets nothing more.
 */
export function linkFrame(
  frame: HTMLIFrameElement,
  show: Show,
  onMessage: (message: FrameMessage) => void = () => undefined,
): FrameLink {
  const open = new Map<number, { resolve: (value: string) => void; reject: (error: Error) => void }>()
  let isSent = false
  let last = 0

  function hear(event: MessageEvent): void {
    // A sandboxed page has no origin of its own; the window is what tells it apart.
    if (event.source === null || event.source !== frame.contentWindow) return
    const message = readFrameMessage(event.data)
    if (message === undefined) return
    if (message.type === 'ready') {
      if (isSent) return
      isSent = true
      send({ type: 'show', ...show })
    }
    if (message.type === 'answer') settle(message)
    else onMessage(message)
  }

  function settle(message: Extract<FrameMessage, { type: 'answer' }>): void {
    const waiting = open.get(message.id)
    open.delete(message.id)
    if ('value' in message) waiting?.resolve(message.value)
    else waiting?.reject(new Error(message.error))
  }

  // The receiver has no origin that could be named; nothing secret is sent.
  function send(message: unknown): void {
    frame.contentWindow?.postMessage(message, '*')
  }

  window.addEventListener('message', hear)
  return {
    ask(request, timeoutMs = 10_000) {
      const id = (last += 1)
      return new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => settle({ type: 'answer', id, error: t.previews.tooLong }), timeoutMs)
        const done = (): void => clearTimeout(timer)
        open.set(id, {
          resolve: (value) => (done(), resolve(value)),
          reject: (error) => (done(), reject(error)),
        })
        send({ type: 'ask', id, ...request })
      })
    },
    close() {
      window.removeEventListener('message', hear)
      for (const [id] of open) settle({ type: 'answer', id, error: t.previews.closed })
    },
  }
}
