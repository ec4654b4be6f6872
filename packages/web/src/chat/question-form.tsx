import { useId } from 'react'
import type { Question } from '@troupe/core/protocol'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { DeclineButton, type AskFormProps } from './decline-button.tsx'
import { useRetainedState } from './use-kept.ts'

interface QuestionAnswer {
  selected: readonly string[]
  text: string
}

const noAnswer: QuestionAnswer = { selected: [], text: '' }

/** Options to choose from, and always a line for one's own words. */
export function QuestionForm({ ask, questions, ...form }: AskFormProps & { questions: readonly Question[] }) {
  const [given, setGiven] = useRetainedState<Record<number, QuestionAnswer>>(`${ask.id} answers`, {})
  const said = questions.map((_, index) => given[index] ?? noAnswer)
  const answered = said.filter(isAnswered).length
  const answer = () =>
    form.answer({
      type: 'answers',
      answers: Object.fromEntries(
        said.flatMap((one, index) => {
          const text = one.text.trim()
          if (!isAnswered(one)) return []
          return [[String(index), { selected: [...one.selected], ...(text !== '' && { text }) }]]
        }),
      ),
    })
  return (
    <form
      className="questions"
      onSubmit={(event) => {
        event.preventDefault()
        if (answered > 0 && !form.sending) answer()
      }}
    >
      {questions.map((question, index) => (
        <QuestionField
          key={index}
          question={question}
          said={said[index] ?? noAnswer}
          disabled={form.sending}
          onChange={(one) => setGiven({ ...given, [index]: one })}
        />
      ))}
      <div className="approval-row">
        <Button kind="primary" type="submit" disabled={form.sending || answered === 0}>
          {questions.length > 1 ? t.inbox.answerSome(answered, questions.length) : t.inbox.answer}
        </Button>
        <DeclineButton {...form} label={t.inbox.decline} />
      </div>
    </form>
  )
}

function isAnswered({ selected, text }: QuestionAnswer): boolean {
  return selected.length > 0 || text.trim() !== ''
}

interface QuestionFieldProps {
  question: Question
  said: QuestionAnswer
  disabled: boolean
  onChange: (said: QuestionAnswer) => void
}

function QuestionField({ question, said, disabled, onChange }: QuestionFieldProps) {
  const { multiSelect } = question
  const name = useId()
  const choose = (label: string, chosen: boolean) => {
    const others = multiSelect ? said.selected.filter((one) => one !== label) : []
    onChange({ ...said, selected: chosen ? [...others, label] : others })
  }
  return (
    <fieldset className="question" disabled={disabled}>
      <legend>
        {question.header !== '' && (
          <span className="question-header">
            <VisibleText text={question.header} as="name" />
          </span>
        )}
        <VisibleText text={question.question} />
        {multiSelect && <span className="question-many">{t.inbox.chooseAny}</span>}
      </legend>
      {question.options.map(({ label, description }) => (
        <label key={label} className="question-option">
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name={name}
            checked={said.selected.includes(label)}
            onChange={(event) => choose(label, event.target.checked)}
          />
          <span className="question-label">
            <VisibleText text={label} as="name" />
          </span>
          {description !== '' && (
            <span className="question-description">
              <VisibleText text={description} />
            </span>
          )}
        </label>
      ))}
      <input
        className="approval-remark question-own"
        aria-label={t.inbox.ownWordsTo(question.question)}
        placeholder={t.inbox.ownWords}
        value={said.text}
        maxLength={20_000}
        onChange={(event) => onChange({ ...said, text: event.target.value })}
      />
    </fieldset>
  )
}
