import { Button } from '../ui/button.tsx'
import { GrowingTextarea } from '../ui/growing-textarea.tsx'
import { DeclineButton, type AskFormProps } from './decline-button.tsx'
import { useKept } from './use-kept.ts'

/** The three ways on from a plan, and a word to go with any of them. */
export function PlanForm({ ask, ...form }: AskFormProps) {
  const [remark, setRemark] = useKept(`${ask.id} remark`, '')
  const said = remark.trim()
  const choose = (choice: 'edit' | 'clean' | 'continue') =>
    form.answer({ type: 'plan', choice, ...(said !== '' && { remark: said }) })
  return (
    <div className="plan-form">
      <GrowingTextarea
        className="approval-remark plan-remark"
        aria-label="Remark on the plan"
        placeholder="What to change, or to heed (optional)"
        value={remark}
        disabled={form.sending}
        maxLength={20_000}
        onChange={(event) => setRemark(event.target.value)}
      />
      <div className="approval-row">
        <Button kind="primary" disabled={form.sending} onClick={() => choose('edit')}>
          Start editing
        </Button>
        <Button
          disabled={form.sending}
          title="The model is sent the plan and nothing of what led to it"
          onClick={() => choose('clean')}
        >
          Start with a clean context
        </Button>
        <Button
          disabled={form.sending || said === ''}
          title={said === '' ? 'Say above what to change' : undefined}
          onClick={() => choose('continue')}
        >
          Go on planning
        </Button>
        <DeclineButton {...form} label="Not now" />
      </div>
    </div>
  )
}
