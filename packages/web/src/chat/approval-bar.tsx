import { useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { GrowingTextarea } from '../ui/growing-textarea.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { readEditedInput } from './read-edited-input.ts'
import { useSession, useSessionStore } from './session-context.ts'
import type { Approval } from './tool-call.ts'
import './approval-bar.css'

/** Yes or no to one call, or yes with another input. Below every card, so that no card can leave it out. */
export function ApprovalBar({ approval, input }: { approval: Approval; input: unknown }) {
  const { answer } = useSessionStore()
  const sending = useSession((state) => state.answering.includes(approval.id))
  const [remark, setRemark] = useState('')
  /** The input as JSON text while it is being edited. */
  const [edited, setEdited] = useState<string | null>(null)
  const remarkId = useId()
  const hintId = useId()
  const said = remark.trim()
  const change = edited === null ? { ok: true as const } : readEditedInput(edited, input)
  const hint =
    said !== ''
      ? 'A remark goes with a denial. Clear it to approve.'
      : change.ok
        ? undefined
        : `This is not JSON: ${change.problem}`
  const deny = () => void answer(approval.id, { type: 'deny', ...(said !== '' && { remark: said }) })
  const approve = () => {
    if (change.ok) void answer(approval.id, { type: 'approve', ...('input' in change && { input: change.input }) })
  }
  return (
    <fieldset className="approval">
      <legend className="visually-hidden">Your decision</legend>
      {approval.requestReason !== undefined && (
        <p className="approval-reason">
          <VisibleText text={approval.requestReason} />
        </p>
      )}
      {edited !== null && (
        <GrowingTextarea
          className="approval-input"
          aria-label="Input of the call, as JSON"
          aria-invalid={!change.ok}
          aria-describedby={hintId}
          spellCheck={false}
          value={edited}
          disabled={sending}
          onChange={(event) => setEdited(event.target.value)}
        />
      )}
      <div className="approval-row">
        <Button
          kind="primary"
          disabled={sending || said !== '' || !change.ok}
          aria-describedby={hintId}
          onClick={approve}
        >
          {change.ok && 'input' in change ? 'Approve as edited' : 'Approve'}
        </Button>
        <Button disabled={sending} onClick={deny}>
          {said === '' ? 'Deny' : 'Deny with remark'}
        </Button>
        <Button
          kind="quiet"
          disabled={sending}
          onClick={() => setEdited(edited === null ? (JSON.stringify(input, null, 2) ?? '') : null)}
        >
          {edited === null ? 'Edit input' : 'Leave as it was'}
        </Button>
        <label className="visually-hidden" htmlFor={remarkId}>
          Remark for a denial
        </label>
        <input
          id={remarkId}
          className="approval-remark"
          value={remark}
          placeholder="If denied: what to do instead (optional)"
          disabled={sending}
          onChange={(event) => setRemark(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing && said !== '') deny()
          }}
        />
      </div>
      <output id={hintId} className="approval-hint">
        {hint}
      </output>
    </fieldset>
  )
}
