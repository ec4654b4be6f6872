import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useSessionStore } from '../chat/session/session-context.ts'
import { noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './find-bar.css'
import { clearHighlights, createFindStore, findCard, highlightMatches, openGroup } from './find-matches.ts'

const waitMs = 160

export interface FindBarProps {
  /** Counts open requests. Each one focuses the field. */
  focusRequest: number
  found: { messageId: string; words?: string } | undefined
  onClose: () => void
}

/**
 * Searches the whole session, including messages that are not loaded. Enter goes to the next match, Shift+Enter to the
 * previous, Escape closes.
 */
export function FindBar({ focusRequest: asked, found, onClose }: FindBarProps) {
  const session = useSessionStore()
  const { api } = useWorkspace()
  const find = useMemo(
    () => createFindStore(session.getState().sessionId, { api, onError: noticeError }),
    [session, api],
  )
  const [text, setText] = useState(found?.words ?? '')
  const field = useRef<HTMLInputElement>(null)
  const { places, index, isCut } = useStore(find)
  useEffect(() => {
    if (asked > 0) field.current?.select()
  }, [asked])
  useEffect(() => {
    const timer = setTimeout(() => {
      const leaf = session.getState().messages.at(-1)?.id
      const inSight = found !== undefined && found.words === text ? [found.messageId] : messagesInSight()
      void find.look(text, { leaf, inSight })
    }, waitMs)
    return () => clearTimeout(timer)
  }, [find, session, text, found])
  useMarks(find)
  const here = places?.[index]
  return (
    <search className="find-bar">
      <input
        ref={field}
        aria-label={t.find.label}
        placeholder={t.find.label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') {
            event.stopPropagation()
            onClose()
          }
        }}
      />
      <output className="find-place" aria-live="polite">
        {text.trim() === '' || places === null ? '' : placeInWords(places.length, index, isCut)}
        {here !== undefined && !here.isOnBranch && <span className="find-elsewhere"> {t.find.elsewhere}</span>}
      </output>
      <IconButton label={t.find.previous} disabled={here === undefined} onClick={() => find.step(-1)}>
        <ChevronUp />
      </IconButton>
      <IconButton label={t.find.next} disabled={here === undefined} onClick={() => find.step(1)}>
        <ChevronDown />
      </IconButton>
      <IconButton label={t.find.close} onClick={onClose}>
        <X />
      </IconButton>
    </search>
  )
}

function placeInWords(total: number, index: number, isCut: boolean): string {
  if (total === 0) return t.find.none
  return t.find.place(index + 1, isCut ? t.find.more(total) : String(total))
}

function useMarks(find: ReturnType<typeof createFindStore>): void {
  const session = useSessionStore()
  const { text, places, index } = useStore(find)
  const here = places?.[index]
  /** Match still to be scrolled to. */
  const wanted = useRef<typeof here>(undefined)
  /** Match whose card at least is in view. */
  const seen = useRef<typeof here>(undefined)
  const mark = useCallback(() => {
    const root = conversation()
    if (root === null) return
    const isWanted = wanted.current === here && here !== undefined
    if (isWanted && here.toolCallId !== undefined) {
      openGroup(root, here)
      findCard(root, here)?.querySelector<HTMLElement>('.tool-head[aria-expanded="false"]')?.click()
    }
    const shown = highlightMatches(root, text, here)
    if (shown === undefined || !isWanted) return
    // The card's content may still be loading, so show the card until then.
    if (shown.isText || seen.current !== here) element(shown.range)?.scrollIntoView({ block: 'center' })
    seen.current = here
    if (shown.isText) wanted.current = undefined
  }, [text, here])
  useEffect(() => {
    wanted.current = here
    if (here !== undefined && !isDrawn(here.messageId)) void session.goTo(here.messageId)
    mark()
    const root = conversation()
    if (root === null) return
    let frame = 0
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    })
    observer.observe(root, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [session, here, mark])
  useEffect(() => clearHighlights, [])
}

function element({ startContainer: node }: Range): Element | null {
  return node instanceof Element ? node : node.parentElement
}

function conversation(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.chat [role="log"]')
}

function isDrawn(messageId: string): boolean {
  return conversation()?.querySelector(`[data-message="${CSS.escape(messageId)}"]`) != null
}

function messagesInSight(): string[] {
  const root = conversation()
  if (root === null) return []
  const { top, bottom } = root.getBoundingClientRect()
  return [...root.querySelectorAll<HTMLElement>('[data-message]')].flatMap((article) => {
    const place = article.getBoundingClientRect()
    return place.bottom > top && place.top < bottom ? (article.dataset['message'] ?? []) : []
  })
}
