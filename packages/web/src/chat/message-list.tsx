import { ArrowDown } from 'lucide-react'
import { startTransition, useEffect, useMemo, useState } from 'react'
import { t } from '../texts/t.ts'
import { afterPaint } from '../ui/after-paint.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { ListTail } from './list-tail.tsx'
import { TailIsDrawn } from './message-actions.tsx'
import { Message } from './message.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { visibleMessages } from './session-state.ts'
import { useRowWindow } from './use-row-window.ts'
import { useStickToBottom } from './use-stick-to-bottom.ts'
import './message-list.css'

/** More than a screen on either side, once the end has been drawn. */
const buffer = 800

/** Only what is in sight is drawn. Older pages come as the person scrolls up. */
export function MessageList() {
  const { loadOlder, arrived } = useSessionStore()
  const target = useSession((state) => state.target)
  const stored = useSession((state) => state.messages)
  const run = useSession((state) => state.run)
  const siblings = useSession((state) => state.siblings)
  const older = useSession((state) => state.older)
  const messages = useMemo(() => visibleMessages({ messages: stored, run }), [stored, run])
  const isDrawn = useAfterPaint()
  const { scroller, stuck, onScroll, keepEnd, stick, unstick } = useStickToBottom()
  const { list, drawn } = useRowWindow(messages, {
    scroller,
    buffer: isDrawn ? buffer : 0,
    onScroll,
    keepEnd,
    onTop: () => void loadOlder(),
    target,
    onTarget() {
      arrived()
      unstick()
    },
  })

  const lastUserId = messages.findLast((message) => message.role === 'user')?.id
  useEffect(stick, [lastUserId, stick])

  return (
    <TailIsDrawn value={isDrawn}>
      <div className="list">
        <div
          className="list-scroller"
          ref={scroller}
          role="log"
          aria-live="off"
          aria-label={t.chat.conversation}
          tabIndex={0}
        >
          <div className="list-rows" ref={list} style={{ paddingTop: drawn.above, paddingBottom: drawn.below }}>
            {messages.slice(drawn.from, drawn.to).map((message, index) => (
              <div key={message.id} className="list-row">
                <Message
                  message={message}
                  place={siblings[message.id]}
                  last={drawn.from + index === messages.length - 1}
                />
              </div>
            ))}
            {drawn.to === messages.length && <ListTail key="tail" />}
          </div>
        </div>
        {older.loading && <p className="list-older">{t.chat.loadingOlder}</p>}
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
 * The end of the list is what is looked at first: all else comes a frame after it. In the very next one it would still
 * compete with the first for the processor.
 */
function useAfterPaint(): boolean {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => {
    let callOff = afterPaint(() => {
      callOff = afterPaint(() => startTransition(() => setPainted(true)))
    })
    return () => callOff()
  }, [])
  return isPainted
}
