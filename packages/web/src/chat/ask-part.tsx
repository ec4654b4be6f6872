import { MessageCircleQuestion } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '@troupe/core'
import type { DataParts } from '@troupe/core/protocol'
import { Markdown } from '../markdown/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { dataOf } from './data-of.ts'
import { ValueView } from './value-view.tsx'
import './ask-part.css'

/** A question or a plan that waits for a person. One field of text answers a question; a plan has its three ways on. */
export function AskPart({ ask, live }: { ask: DataParts['ask']; live: boolean }) {
  const store = useSessionStore()
  const open = useSession(
    (state) => live && state.run?.answer?.parts.every((part) => dataOf(part, 'ask-answer')?.id !== ask.id) === true,
  )
  const sending = useSession((state) => state.answering.includes(ask.id))
  const [text, setText] = useState('')
  const give = (answer: Answer) => void store.answer(ask.id, answer)
  const said = text.trim()
  return (
    <section className={open ? 'ask ask-open' : 'ask'} aria-label={ask.title}>
      <h4 className="ask-title">
        <MessageCircleQuestion aria-hidden />
        <VisibleText text={ask.title} />
      </h4>
      {typeof ask.content === 'string' ? (
        <Markdown text={ask.content} done />
      ) : (
        ask.content != null && <ValueView value={ask.content} />
      )}
      {open && ask.kind !== 'browser' && (
        <div className="approval-row">
          {ask.kind === 'plan' && (
            <>
              <Button kind="primary" disabled={sending} onClick={() => give({ type: 'plan', choice: 'edit' })}>
                Carry it out
              </Button>
              <Button disabled={sending} onClick={() => give({ type: 'plan', choice: 'clean' })}>
                Carry it out afresh
              </Button>
            </>
          )}
          <input
            className="approval-remark"
            aria-label={ask.kind === 'plan' ? 'What to change in the plan' : 'Your answer'}
            placeholder={ask.kind === 'plan' ? 'What to change in the plan' : 'Your answer'}
            value={text}
            disabled={sending}
            onChange={(event) => setText(event.target.value)}
          />
          <Button
            disabled={sending || said === ''}
            onClick={() =>
              give(
                ask.kind === 'plan'
                  ? { type: 'plan', choice: 'continue', remark: said }
                  : { type: 'answers', answers: { answer: said } },
              )
            }
          >
            {ask.kind === 'plan' ? 'Plan on' : 'Answer'}
          </Button>
        </div>
      )}
    </section>
  )
}
