import { useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import type { Approval } from './tool-call.ts'
import './approval-bar.css'

/** Yes or no to one call. Below every card, so that no card can leave it out. */
export function ApprovalBar({ approval }: { approval: Approval }) {
  const { answer } = useSessionStore()
  const sending = useSession((state) => state.answering.includes(approval.id))
  const [remark, setRemark] = useState('')
  const remarkId = useId()
  const said = remark.trim()
  const deny = () => void answer(approval.id, { type: 'deny', ...(said !== '' && { remark: said }) })
  return (
    <fieldset className="approval">
      <legend className="visually-hidden">Your decision</legend>
      {approval.requestReason !== undefined && (
        <p className="approval-reason">
          <VisibleText text={approval.requestReason} />
        </p>
      )}
      <div className="approval-row">
        <Button kind="primary" disabled={sending} onClick={() => void answer(approval.id, { type: 'approve' })}>
          Approve
        </Button>
        <Button disabled={sending} onClick={deny}>
          {said === '' ? 'Deny' : 'Deny with remark'}
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
    </fieldset>
  )
}
