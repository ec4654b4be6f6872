import { type Ref, use, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { isRecord } from '../api/read-fields.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { PickContext, type Picked } from './pick-context.ts'
import './preview-frame.css'

interface PreviewFrameProps {
  title: string
  /** A new value reloads the frame, so keep it stable between renders. */
  show: Show
  /** Minimum and maximum height when sized to its content. Without it, the frame fills its container. */
  heights?: [least: number, most: number]
  link?: Ref<FrameLink>
}

/**
 * Sandbox for untrusted active markup: a separate page at `/preview.html` without our origin, cookies or network. Never
 * give it `allow-same-origin`.
 */
export function PreviewFrame({ title, show, heights, link }: PreviewFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [state, setState] = useState<{ height?: number; blocked: number; error?: string; link?: string }>({
    blocked: 0,
  })
  const picking = use(PickContext)
  const isPicking = picking?.isActive === true
  const own = useRef<FrameLink>(null)
  // Scripts of the page could send a selection at any time. It counts only while the user selects.
  const isSelecting = useEffectEvent(() => isPicking)
  const pick = useEffectEvent((picked: Picked) => isPicking && picking.onPick(picked))
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    setState({ blocked: 0 })
    const linked = linkFrame(element, show, (message) => {
      if (message.type === 'height') setState((now) => ({ ...now, height: message.height }))
      if (message.type === 'blocked') setState((now) => ({ ...now, blocked: message.count }))
      if (message.type === 'error') setState((now) => ({ ...now, error: message.text }))
      if (message.type === 'picked') pick(message.picked)
      if (message.type === 'shown') own.current?.select(isSelecting())
      if (message.type === 'link' && mayLink(show, message.href)) setState((now) => ({ ...now, link: message.href }))
    })
    // Set after the listener is attached, so that the first message is not missed.
    element.src = '/preview.html'
    own.current = linked
    give(link, linked)
    return () => {
      own.current = null
      give(link, null)
      linked.close()
    }
  }, [show, link])
  useEffect(() => own.current?.select(isPicking), [isPicking])
  const height =
    heights === undefined ? undefined : Math.min(heights[1], Math.max(heights[0], Math.ceil(state.height ?? 0)))
  return (
    <div className={`preview-frame preview-frame-${show.kind}`}>
      <iframe ref={frame} title={title} sandbox="allow-scripts" referrerPolicy="no-referrer" style={{ height }} />
      {state.error !== undefined && (
        <output className="preview-note">
          {t.previews.failed} <VisibleText text={state.error} />{' '}
          {picking !== null && (
            <Button kind="quiet" onClick={() => picking.onFix(state.error ?? '')}>
              {t.previews.fix}
            </Button>
          )}
        </output>
      )}
      {state.link !== undefined && (
        <output className="preview-note">
          {t.previews.openLink}{' '}
          <a href={state.link} target="_blank" rel="noopener noreferrer nofollow">
            <VisibleText text={state.link} />
          </a>
        </output>
      )}
      {state.blocked > 0 && <p className="preview-note">{t.previews.blocked(state.blocked)}</p>}
    </div>
  )
}

/** Scripts of a page could send any link at any time, so theirs must be in its source. */
function mayLink(show: Show, href: string): boolean {
  return show.kind === 'page' || (show.kind === 'app' && show.source.includes(href.replace(/\/$/, '')))
}

function give(ref: Ref<FrameLink> | undefined, link: FrameLink | null): void {
  if (typeof ref === 'function') ref(link)
  else if (ref != null) ref.current = link
}

export type Show =
  | { kind: 'html'; html: string }
  | { kind: 'chart'; code: string; option: unknown; theme: 'light' | 'dark' }
  | { kind: 'diagrams'; code: string }
  | { kind: 'app'; code: string; source: string; css: string; dark: boolean }
  | ({ kind: 'page' } & PageContent)

/** A page without scripts. It can be replaced while it is shown. */
interface PageContent {
  html: string
  css: string
  dark: boolean
}

export interface FrameLink {
  /** Requests an image of the content. Rejects on error or timeout. */
  ask(request: Record<string, string>, timeoutMs?: number): Promise<string>
  /** Lets the user select an element or text, which the frame then reports. */
  select(isOn: boolean): void
  /** Replaces the content of a `page`. */
  update(content: PageContent): void
  close(): void
}

/**
 * Connects to `/preview.html` in a frame. The frame reports ready once and then receives its content once. A page that
 * navigated elsewhere gets nothing more.
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
    // A sandboxed page has an opaque origin, so identify it by its window.
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

  // The receiver's origin is opaque and cannot be named, so send nothing secret.
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
    select(isOn) {
      if (isSent) send({ type: 'select', on: isOn })
    },
    update(content) {
      if (isSent) send({ type: 'update', ...content })
      else if (show.kind === 'page') show = { kind: 'page', ...content }
    },
    close() {
      window.removeEventListener('message', hear)
      for (const [id] of open) settle({ type: 'answer', id, error: t.previews.closed })
    },
  }
}

/** Messages accepted from the frame. Its content can send anything, so everything else is ignored. */
type FrameMessage =
  | { type: 'ready' }
  | { type: 'shown' }
  | { type: 'height'; height: number }
  | { type: 'blocked'; count: number }
  | { type: 'error'; text: string }
  | { type: 'link'; href: string }
  | { type: 'picked'; picked: Picked }
  | { type: 'answer'; id: number; value: string }
  | { type: 'answer'; id: number; error: string }

/** Maximum length of an image from a frame, in characters. */
const longestAnswer = 20_000_000

export function readFrameMessage(data: unknown): FrameMessage | undefined {
  if (!isRecord(data)) return undefined
  switch (data['type']) {
    case 'ready':
    case 'shown':
      return { type: data['type'] }
    case 'height':
      return isCount(data['height'], 100_000) ? { type: 'height', height: data['height'] } : undefined
    case 'blocked':
      return isCount(data['count'], 100) ? { type: 'blocked', count: data['count'] } : undefined
    case 'error':
      return isText(data['text'], 500) ? { type: 'error', text: data['text'] } : undefined
    case 'link': {
      const { href } = data
      return isText(href, 2000) && /^(?:https?:\/\/|mailto:|tel:)/i.test(href) ? { type: 'link', href } : undefined
    }
    case 'picked': {
      const { tag, text } = data
      if (!isText(tag, 40) || !/^[\w:-]*$/.test(tag) || !isText(text, 2000)) return undefined
      return { type: 'picked', picked: { tag, text } }
    }
    case 'answer': {
      const { id, value, error } = data
      if (!isCount(id, Number.MAX_SAFE_INTEGER)) return undefined
      if (isText(value, longestAnswer)) return { type: 'answer', id, value }
      return isText(error, 500) ? { type: 'answer', id, error } : undefined
    }
    default:
      return undefined
  }
}

function isCount(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most
}

/** Renders an untrusted HTML page in a sandboxed frame. `fills` stretches it to its container. */
export function HtmlView({ text, name, fills = false }: { text: string; name: string; fills?: boolean }) {
  const show = useMemo(() => ({ kind: 'html', html: text }) as const, [text])
  return <PreviewFrame title={t.previews.titleOf(name)} show={show} {...(!fills && { heights: [120, 560] })} />
}
