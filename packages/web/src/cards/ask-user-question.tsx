import { isAnswered } from '@troupe/core/protocol'
import { GenericCard } from '../chat/generic-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { ToolFrame } from '../chat/tool-frame.tsx'
import { useHasOpenAsk } from '../chat/use-waits.ts'
import { isRecord, recordsIn, textIn } from '../displays/parts/read-fields.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import './ask-user-question.css'

/** Each question with what the person said. While they are asked, there is the form. */
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
                {!isAnswered({ selected, ...(text !== undefined && { text }) }) && (
                  <span className="answer-none">{t.cards.notAnswered}</span>
                )}
              </dd>
            </div>
          )
        })}
      </dl>
    </ToolFrame>
  )
}
