import { ArrowDown } from 'lucide-react'
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer } from 'virtua'
import type { VirtualizerHandle } from 'virtua'
import { t } from '../texts/t.ts'
import { afterPaint } from '../ui/after-paint.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { ListTail } from './list-tail.tsx'
import { TailIsDrawn } from './message-actions.tsx'
import { Message } from './message.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { visibleMessages } from './session-state.ts'
import type { VisibleMessage } from './session-state.ts'
import { tailOf } from './tail-of.ts'
import { useStickToBottom } from './use-stick-to-bottom.ts'
import './message-list.css'

/** What the header and the composer take of the window at least. */
const besides = 120

/** Only what is in sight is drawn. Older pages come as the person scrolls up. */
export function MessageList() {
  const { loadOlder, arrived } = useSessionStore()
  const target = useSession((state) => state.target)
  const stored = useSession((state) => state.messages)
  const run = useSession((state) => state.run)
  const siblings = useSession((state) => state.siblings)
  const older = useSession((state) => state.older)
  const all = useMemo(() => visibleMessages({ messages: stored, run }), [stored, run])
  const { messages, isWhole } = useTailFirst(all)
  const list = useRef<VirtualizerHandle>(null)
  const { scroller, stuck, onScroll, onResize, stick, unstick } = useStickToBottom()
  const prepended = usePrepended(messages)

  const lastUserId = messages.findLast((message) => message.role === 'user')?.id
  useEffect(stick, [lastUserId, stick])
  useEffect(() => {
    const index = messages.findIndex((message) => message.id === target)
    if (index < 0) return
    arrived()
    unstick()
    list.current?.scrollToIndex(index, { align: 'start' })
  }, [messages, target, arrived, unstick])
  const onListScroll = useCallback(() => {
    onScroll()
    if (isWhole && scroller.current !== null && scroller.current.scrollTop < 600) void loadOlder()
  }, [scroller, onScroll, loadOlder, isWhole])

  return (
    <TailIsDrawn value={isWhole}>
      <div className="list">
        <div
          className="list-scroller"
          ref={scroller}
          role="log"
          aria-live="off"
          aria-label={t.chat.conversation}
          tabIndex={0}
        >
          {older.loading && <p className="list-older">{t.chat.loadingOlder}</p>}
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            shift={prepended}
            // More than a screen on either side, once the end has been drawn.
            bufferSize={isWhole ? 800 : 0}
            onScroll={onListScroll}
            onResize={onResize}
          >
            {messages.map((message, index) => (
              <Message
                key={message.id}
                message={message}
                place={siblings[message.id]}
                last={index === messages.length - 1}
              />
            ))}
            <ListTail key="tail" />
          </Virtualizer>
        </div>
        {!stuck && (
          <div className="list-down">
            <IconButton label={t.chat.toNewest} onClick={stick}>
              <ArrowDown />
            </IconButton>
          </div>
        )}
      </div>
    </TailIsDrawn>
  )
}

/**
 * The last messages are drawn before the others: they are what is looked at first, and a list begins with its top. The
 * others come before the list has heard of any movement: one that grows at its top while it moves draws nothing ahead of
 * whoever turns round without a pause.
 */
function useTailFirst(all: VisibleMessage[]): { messages: VisibleMessage[]; isWhole: boolean } {
  const [isWhole, setWhole] = useState(false)
  useEffect(() => {
    if (isWhole) return
    return afterPaint(() => startTransition(() => setWhole(true)))
  }, [isWhole])
  const messages = useMemo(() => (isWhole ? all : tailOf(all, window.innerHeight - besides)), [all, isWhole])
  return { messages, isWhole }
}

/** True as long as the last change of the list was that messages were put above its first. */
function usePrepended(messages: VisibleMessage[]): boolean {
  const [known, setKnown] = useState({ messages, prepended: false })
  if (known.messages === messages) return known.prepended
  const first = known.messages[0]
  const prepended = first !== undefined && messages.findIndex((message) => message.id === first.id) > 0
  setKnown({ messages, prepended })
  return prepended
}
