import { AnswerForm } from './answer-form.tsx'
import { AskContent, AskFrame } from './ask-frame.tsx'
import type { AskFormProps } from './decline-button.tsx'
import { PlanForm } from './plan-form.tsx'
import { QuestionForm } from './question-form.tsx'
import { readQuestions } from './read-questions.ts'

/** An ask that waits, with the form that answers it. Wherever it is shown: it looks at no stream. */
export function OpenAsk(props: AskFormProps) {
  const { ask } = props
  const questions = ask.kind === 'question' ? readQuestions(ask.content) : []
  return (
    <AskFrame title={ask.title} untitled={questions.length === 1} open>
      {questions.length > 0 ? <QuestionForm {...props} questions={questions} /> : <AskContent content={ask.content} />}
      {ask.kind === 'question' && questions.length === 0 && <AnswerForm {...props} />}
      {ask.kind === 'plan' && <PlanForm {...props} />}
    </AskFrame>
  )
}
