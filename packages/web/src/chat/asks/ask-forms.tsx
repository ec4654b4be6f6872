import type { Answer } from '@troupe/core'
import type { DataParts, Question } from '@troupe/protocol'
import { useId } from 'react'
import { isRecord, recordsIn, textIn } from '../../api/read-fields.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { GrowingTextarea, VisibleText } from '../../ui/elements.tsx'
import { useRetainedState } from '../session/session-hooks.ts'

interface QuestionAnswer {
  selected: readonly string[]
  text: string
}

const noAnswer: QuestionAnswer = { selected: [], text: '' }

/** Offers the options and always a free-text field. */
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
          return [[String(index), { selected: [...one.selected], text: text || undefined }]]
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
          answer={said[index] ?? noAnswer}
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
  answer: QuestionAnswer
  disabled: boolean
  onChange: (said: QuestionAnswer) => void
}

function QuestionField({ question, answer: said, disabled, onChange }: QuestionFieldProps) {
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
            <VisibleText text={translateServerText(question.header, 'text')} as="name" />
          </span>
        )}
        <VisibleText text={translateServerText(question.question, 'text')} />
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
            <VisibleText text={translateServerText(label, 'text')} as="name" />
          </span>
          {description !== '' && (
            <span className="question-description">
              <VisibleText text={translateServerText(description, 'text')} />
            </span>
          )}
        </label>
      ))}
      <input
        className="approval-remark question-own"
        aria-label={t.inbox.otherAnswerTo(question.question)}
        placeholder={t.inbox.otherAnswer}
        value={said.text}
        maxLength={20_000}
        onChange={(event) => onChange({ ...said, text: event.target.value })}
      />
    </fieldset>
  )
}

/** Returns the ask's questions, or an empty list if they cannot be shown as such. */
export function readQuestions(content: unknown): Question[] {
  if (!isRecord(content)) return []
  return recordsIn(content['questions']).flatMap((given) => {
    const question = textIn(given['question'])
    if (question === undefined) return []
    return {
      question,
      header: textIn(given['header']) ?? '',
      multiSelect: given['multiSelect'] === true,
      options: recordsIn(given['options']).flatMap((option) => {
        const label = textIn(option['label'])
        return label === undefined ? [] : { label, description: textIn(option['description']) ?? '' }
      }),
    }
  })
}

export function PlanForm({ ask, ...form }: AskFormProps) {
  const [remark, setRemark] = useRetainedState(`${ask.id} remark`, '')
  const said = remark.trim()
  const choose = (choice: 'edit' | 'clean' | 'continue') =>
    form.answer({ type: 'plan', choice, remark: said || undefined })
  return (
    <div className="plan-form">
      <GrowingTextarea
        className="approval-remark plan-remark"
        aria-label={t.inbox.planRemark}
        placeholder={t.inbox.planRemarkHint}
        value={remark}
        disabled={form.sending}
        maxLength={20_000}
        onChange={(event) => setRemark(event.target.value)}
      />
      <div className="approval-row">
        <Button kind="primary" disabled={form.sending} onClick={() => choose('edit')}>
          {t.inbox.planEdit}
        </Button>
        <Button disabled={form.sending} title={t.inbox.planCleanHint} onClick={() => choose('clean')}>
          {t.inbox.planClean}
        </Button>
        <Button
          disabled={form.sending || said === ''}
          title={said === '' ? t.inbox.planContinueHint : undefined}
          onClick={() => choose('continue')}
        >
          {t.inbox.planContinue}
        </Button>
        <DeclineButton {...form} label={t.inbox.notNow} />
      </div>
    </div>
  )
}

/** One-line text field for questions without options. */
export function AnswerForm({ ask, ...form }: AskFormProps) {
  const [text, setText] = useRetainedState(`${ask.id} answer`, '')
  const said = text.trim()
  return (
    <form
      className="approval-row"
      onSubmit={(event) => {
        event.preventDefault()
        if (said !== '' && !form.sending) form.answer({ type: 'answers', answers: { answer: said } })
      }}
    >
      <input
        className="approval-remark"
        aria-label={t.inbox.yourAnswer}
        placeholder={t.inbox.yourAnswer}
        value={text}
        disabled={form.sending}
        onChange={(event) => setText(event.target.value)}
      />
      <Button kind="primary" type="submit" disabled={form.sending || said === ''}>
        {t.inbox.answer}
      </Button>
      <DeclineButton {...form} label={t.inbox.decline} />
    </form>
  )
}

export interface AskFormProps {
  ask: DataParts['ask']
  sending: boolean
  answer: (answer: Answer) => void
}

/** Declines to answer, which ends the turn. */
export function DeclineButton({ sending, answer, label }: Omit<AskFormProps, 'ask'> & { label: string }) {
  return (
    <Button kind="quiet" disabled={sending} onClick={() => answer({ type: 'deny' })}>
      {label}
    </Button>
  )
}
