import { ArrowDown, ArrowUp, Paperclip, Pencil, X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { type QueuedMessage, waitingItems } from '../chat/session/queue.ts'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { GrowingTextarea, VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './queue-chips.css'

export function QueueChips() {
  const { queue, sendQueued, dequeue } = useSessionStore()
  const items = useStore(queue, useShallow(waitingItems))
  const held = useStore(queue, (state) => state.held)
  const running = useSession((state) => state.run !== null)
  const gone = useSession((state) => state.phase === 'missing')
  const { sendAsNew } = useWorkspace()
  const [editing, setEditing] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const list = useRef<HTMLOListElement>(null)
  if (items.length === 0) return null

  const focusOn = (index: number) =>
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>('.queue-item')[index]?.focus())
  const move = (index: number, by: number) => {
    const item = items[index]
    const to = index + by
    if (item === undefined || to < 0 || to >= items.length) return
    queue.move(item.id, by)
    setSaid(t.composer.queueMoved(to + 1, items.length))
    focusOn(to)
  }
  const remove = (index: number) => {
    const item = items[index]
    if (item === undefined) return
    dequeue([item.id])
    if (items.length > 1) focusOn(Math.min(index, items.length - 2))
    else document.querySelector<HTMLElement>('.composer-box textarea')?.focus()
  }
  const send = () => {
    const [first] = items
    if (!gone || first === undefined) return void sendQueued()
    // The session was deleted elsewhere, so queued messages continue in a new one.
    queue.remove(first.id)
    sendAsNew(first.text, first.files)
  }
  const onKey = (event: KeyboardEvent<HTMLElement>, index: number) => {
    if (event.target !== event.currentTarget) return
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step !== undefined && event.altKey) move(index, step)
    else if (step !== undefined) focusOn(index + step)
    else if (event.key === 'Delete' || event.key === 'Backspace') remove(index)
    else if (event.key === 'Enter' || event.key === 'F2') setEditing(items[index]?.id ?? null)
    else return
    event.preventDefault()
  }

  return (
    <section className="queue" aria-label={t.composer.queued} data-held={held || !running}>
      <div className="queue-head">
        <output>
          {held
            ? t.composer.queueHeld
            : running
              ? t.composer.queueTitle(items.length)
              : t.composer.queueIdle(items.length)}
        </output>
        {(held || !running) && (
          <Button onClick={send}>{running ? t.composer.queueResume : t.composer.queueSend}</Button>
        )}
        {items.length > 1 && (
          <Button kind="quiet" onClick={() => dequeue(items.map(({ id }) => id))}>
            {t.composer.queueClear}
          </Button>
        )}
      </div>
      <ol ref={list} className="queue-list">
        {items.map((item, index) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrow keys put it in another order
          <li
            key={item.id}
            className="queue-item"
            tabIndex={0}
            aria-label={t.composer.queuedAt(index + 1, items.length, item.text)}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete Enter"
            onKeyDown={(event) => onKey(event, index)}
          >
            {editing === item.id ? (
              <Editor
                text={item.text}
                onDone={(text) => {
                  if (text !== null) queue.change(item.id, text)
                  setEditing(null)
                  focusOn(index)
                }}
              />
            ) : (
              <>
                <Words item={item} />
                <IconButton
                  label={t.composer.queueUp}
                  shortcut="Alt ↑"
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <ArrowUp />
                </IconButton>
                <IconButton
                  label={t.composer.queueDown}
                  shortcut="Alt ↓"
                  disabled={index === items.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <ArrowDown />
                </IconButton>
                <IconButton label={t.composer.queueEdit} onClick={() => setEditing(item.id)}>
                  <Pencil />
                </IconButton>
                <IconButton label={t.composer.queueRemove} onClick={() => remove(index)}>
                  <X />
                </IconButton>
              </>
            )}
          </li>
        ))}
      </ol>
      <output className="visually-hidden" aria-live="polite">
        {said}
      </output>
    </section>
  )
}

function Words({ item: { text, files } }: { item: QueuedMessage }) {
  return (
    <span className="queue-words">
      {files.length > 0 && (
        <span className="queue-files" title={files.map(({ filename }) => filename).join(', ')}>
          <Paperclip aria-hidden />
          {t.composer.queuedFiles(files.length)}
        </span>
      )}
      <VisibleText text={text} />
    </span>
  )
}

/** Enter saves, Escape cancels. */
function Editor({ text, onDone }: { text: string; onDone: (text: string | null) => void }) {
  const [value, setValue] = useState(text)
  return (
    <>
      <GrowingTextarea
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just asked to write here
        autoFocus
        aria-label={t.composer.queueEditing}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') {
            event.stopPropagation()
            onDone(null)
          } else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            onDone(value)
          }
        }}
      />
      <Button onClick={() => onDone(value)}>{t.composer.queueSave}</Button>
    </>
  )
}
