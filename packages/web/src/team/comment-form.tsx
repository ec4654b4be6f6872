import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react'
import { useServerData } from '../settings/section-parts.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { GrowingTextarea, VisibleText } from '../ui/elements.tsx'
import { focusOnMount } from '../ui/focus.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { AccessFailure, onSubmit, useAttempt } from './parts/access-page.tsx'
import { Avatar } from './parts/avatar.tsx'
import { refreshComments } from './chat-people.ts'
import { mentionAt, mentionedIn } from './mention.ts'

const mostSuggestions = 6

/** Writes a comment. `@` suggests people. */
export function CommentForm({ sessionId, messageId }: { sessionId: string; messageId: string }) {
  const { api } = useWorkspace()
  const { busy, failure, attempt } = useAttempt()
  const [text, setText] = useState('')
  const [caret, setCaret] = useState(0)
  const [picked, setPicked] = useState(0)
  const [isDismissed, setDismissed] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const listId = useId()
  const { call } = api
  const asked = useServerData(useCallback(() => call('GET /ai/members'), [call]))
  const members = asked.value?.members ?? []
  const mention = isDismissed ? null : mentionAt(text, caret)
  const found =
    mention === null
      ? []
      : members
          .filter(({ name }) => name.toLocaleLowerCase().startsWith(mention.word.toLocaleLowerCase()))
          .slice(0, mostSuggestions)
  const current = Math.min(picked, found.length - 1)

  const choose = (name: string) => {
    if (mention === null) return
    const next = `${text.slice(0, mention.from)}@${name} ${text.slice(caret)}`
    const at = mention.from + name.length + 2
    setText(next)
    setCaret(at)
    setPicked(0)
    requestAnimationFrame(() => field.current?.setSelectionRange(at, at))
  }
  const send = () =>
    attempt(async () => {
      const mentions = mentionedIn(text, members).map(({ id }) => id)
      await api.call('POST /ai/sessions/:id/comments', {
        params: { id: sessionId },
        body: { messageId, text: text.trim(), mentions },
      })
      setText('')
      await refreshComments(api, sessionId)
    })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (found.length > 0) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      const chosen = found[current]
      if (step !== undefined) {
        event.preventDefault()
        setPicked((current + step + found.length) % found.length)
      } else if ((event.key === 'Enter' || event.key === 'Tab') && chosen !== undefined) {
        event.preventDefault()
        choose(chosen.name)
      } else if (event.key === 'Escape') {
        event.stopPropagation()
        setDismissed(true)
      }
      return
    }
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    if (text.trim() !== '' && !busy) void send()
  }
  return (
    <form className="team-comment" onSubmit={onSubmit(send)}>
      {found.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- suggestions of a field, which keeps the focus
        <div id={listId} className="comment-people" role="listbox" aria-label={t.team.comments.suggestions}>
          {found.map(({ id, name }, index) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field handles keys
            <div
              key={id}
              id={`${listId} ${id}`}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(name)}
            >
              <Avatar name={name} />
              <VisibleText text={name} as="name" />
            </div>
          ))}
        </div>
      )}
      <GrowingTextarea
        ref={(element: HTMLTextAreaElement | null) => {
          if (element !== null && field.current === null) focusOnMount(element)
          field.current = element
        }}
        aria-label={t.team.comments.field}
        placeholder={t.team.comments.field}
        aria-controls={found.length > 0 ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={found[current] === undefined ? undefined : `${listId} ${found[current].id}`}
        maxLength={10_000}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setCaret(target.selectionEnd)
          setDismissed(false)
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionEnd)}
        onKeyDown={onKeyDown}
      />
      <AccessFailure text={failure} />
      <div className="team-comment-buttons">
        <Button type="submit" kind="primary" disabled={busy || text.trim() === ''}>
          {t.team.comments.send}
        </Button>
      </div>
    </form>
  )
}
