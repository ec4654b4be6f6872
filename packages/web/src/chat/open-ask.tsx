import { lazy, Suspense } from 'react'
import { isRecord, textIn } from '../displays/parts/read-fields.ts'
import { WebLink } from '../displays/parts/web-link.tsx'
import { t } from '../texts/t.ts'
import { AnswerForm } from './answer-form.tsx'
import { AskContent, AskFrame } from './ask-frame.tsx'
import type { AskFormProps } from './decline-button.tsx'
import { PlanForm } from './plan-form.tsx'
import { QuestionForm } from './question-form.tsx'
import { readQuestions } from './read-questions.ts'

const FormAsk = lazy(() => import('../previews/ui/form-ask.tsx').then(({ FormAsk }) => ({ default: FormAsk })))

/** An ask that waits, with the form that answers it. Wherever it is shown: it looks at no stream. */
export function OpenAsk(props: AskFormProps) {
  const { ask } = props
  if (ask.kind === 'question' && isRecord(ask.content) && isRecord(ask.content['form'])) {
    return (
      <AskFrame title={ask.title} open>
        <Suspense fallback={<p className="tool-remark">{t.previews.loading}</p>}>
          <FormAsk {...props} />
        </Suspense>
      </AskFrame>
    )
  }
  const questions = ask.kind === 'question' ? readQuestions(ask.content) : []
  // Somewhere that the person is asked to go; nothing opens by itself.
  const link = isRecord(ask.content) ? textIn(ask.content['link']) : undefined
  return (
    <AskFrame title={ask.title} untitled={questions.length === 1} open>
      {link !== undefined && (
        <p className="tool-remark">
          <WebLink url={link} text={link} />
        </p>
      )}
      {questions.length > 0 ? <QuestionForm {...props} questions={questions} /> : <AskContent content={ask.content} />}
      {ask.kind === 'question' && questions.length === 0 && <AnswerForm {...props} />}
      {ask.kind === 'plan' && <PlanForm {...props} />}
    </AskFrame>
  )
}
