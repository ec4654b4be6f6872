import { isAnswered } from '@troupe/protocol'
import { isRecord, recordsIn, textIn } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useHasOpenAsk } from '../chat/session/session-hooks.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './ask-user-question.css'

/** Shows each question with its answer. The form replaces the card while the ask is open. */
export default function AskUserQuestionCard({ call }: CardProps) {
  const waits = useHasOpenAsk(call)
  if (waits) return null
  const answers = isRecord(call.output) ? recordsIn(call.output['answers']) : []
  if (call.state !== 'output-available' || answers.length === 0) return <GenericCard call={call} />
  return (
    <ToolFrame call={call} open={call.latest}>
      <dl className="answers">
        {answers.map((answer, index) => {
          const selected = Array.isArray(answer['selected']) ? answer['selected'].map(String) : []
          const text = textIn(answer['text'])
          return (
            <div key={index}>
              <dt>
                <VisibleText text={textIn(answer['question']) ?? ''} />
              </dt>
              <dd>
                {selected.map((label) => (
                  <span key={label} className="answer-label">
                    <VisibleText text={label} as="name" />
                  </span>
                ))}
                {text !== undefined && <VisibleText text={text} />}
                {!isAnswered({ selected, text }) && <span className="answer-none">{t.cards.notAnswered}</span>}
              </dd>
            </div>
          )
        })}
      </dl>
    </ToolFrame>
  )
}
