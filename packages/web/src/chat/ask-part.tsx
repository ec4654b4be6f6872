import { MessageCircleQuestion } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DataParts } from '@troupe/core/protocol'
import { isRecord } from '../displays/parts/read-fields.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { AnswerForm } from './answer-form.tsx'
import type { AskFormProps } from './decline-button.tsx'
import { PlanForm } from './plan-form.tsx'
import { QuestionForm } from './question-form.tsx'
import { readQuestions } from './read-questions.ts'
import { useSession, useSessionStore } from './session-context.ts'
import { openAsks } from './session-state.ts'
import { hasCard } from './tool-card-registry.ts'
import { ValueView } from './value-view.tsx'
import './ask-part.css'

/** What a tool asks the person, with the form that answers it. Once it is over, the card of the tool shows what came of it. */
export function AskPart({ ask, live }: { ask: DataParts['ask']; live: boolean }) {
  const store = useSessionStore()
  const open = useSession((state) => live && openAsks(state.run?.answer ?? null).includes(ask.id))
  const sending = useSession((state) => state.answering.includes(ask.id))
  if (!open && hasCard(ask.toolName)) return null
  const form: AskFormProps = { ask, sending, answer: (given) => void store.answer(ask.id, given) }
  const questions = ask.kind === 'question' ? readQuestions(ask.content) : []
  return (
    <section className={open ? 'ask ask-open' : 'ask'} aria-label={ask.title}>
      {questions.length !== 1 && (
        <h4 className="ask-title">
          <MessageCircleQuestion aria-hidden />
          <VisibleText text={ask.title} />
        </h4>
      )}
      {open && questions.length > 0 ? (
        <QuestionForm {...form} questions={questions} />
      ) : (
        <>
          <AskContent content={ask.content} />
          {open && ask.kind === 'question' && <AnswerForm {...form} />}
          {open && ask.kind === 'plan' && <PlanForm {...form} />}
        </>
      )}
    </section>
  )
}

/** Text and plans are Markdown, everything else is what it is. */
function AskContent({ content }: { content: unknown }): ReactNode {
  const text = isRecord(content) ? content['plan'] : content
  if (typeof text === 'string') return <Markdown text={text} done />
  return content === undefined || content === null ? null : <ValueView value={content} />
}
