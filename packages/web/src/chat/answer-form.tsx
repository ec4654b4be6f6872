import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { DeclineButton, type AskFormProps } from './decline-button.tsx'
import { useRetainedState } from './use-kept.ts'

/** For questions without options: one line of text. */
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
