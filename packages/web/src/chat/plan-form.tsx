import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { GrowingTextarea } from '../ui/growing-textarea.tsx'
import { DeclineButton, type AskFormProps } from './decline-button.tsx'
import { useRetainedState } from './use-kept.ts'

/** The three ways on from a plan, and a word to go with any of them. */
export function PlanForm({ ask, ...form }: AskFormProps) {
  const [remark, setRemark] = useRetainedState(`${ask.id} remark`, '')
  const said = remark.trim()
  const choose = (choice: 'edit' | 'clean' | 'continue') =>
    form.answer({ type: 'plan', choice, ...(said !== '' && { remark: said }) })
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
