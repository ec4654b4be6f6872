import { t } from '../texts/t.ts'
import { type FrameLink, linkFrame, type Show } from './preview-frame.tsx'

export interface HiddenFrame {
  link: FrameLink
  close(): void
}

/** Opens a sandboxed frame off-screen, to draw a picture in it. */
export function openHiddenFrame(show: Show, size: { width: number; height: number }): Promise<HiddenFrame> {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.setAttribute('aria-hidden', 'true')
  frame.tabIndex = -1
  // Not `hidden`: only in a frame with a size can text be measured.
  Object.assign(frame.style, {
    position: 'fixed',
    left: '-3000px',
    top: '0',
    width: `${size.width}px`,
    height: `${size.height}px`,
    border: '0',
  })
  return new Promise((resolve, reject) => {
    const close = () => {
      clearTimeout(timer)
      link.close()
      frame.remove()
    }
    const fail = (text: string) => {
      close()
      reject(new Error(text))
    }
    const timer = setTimeout(() => fail(t.previews.notStarted), 20_000)
    const link = linkFrame(frame, show, (message) => {
      if (message.type === 'error') fail(message.text)
      if (message.type !== 'shown') return
      clearTimeout(timer)
      resolve({ link, close })
    })
    frame.src = '/preview.html'
    document.body.append(frame)
  })
}
