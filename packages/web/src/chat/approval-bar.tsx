import { useId } from 'react'
import { trackVisibleSince } from '../shortcuts/decide-ask.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ApprovalFacts } from './approval-facts.tsx'
import { InputEditor } from './input-editor.tsx'
import { readEditedInput } from './read-edited-input.ts'
import { RememberChoice, type RememberScope } from './remember-choice.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import type { Approval } from './tool-call.ts'
import { useRetainedState } from './use-kept.ts'
import './approval-bar.css'

/** Yes or no to one call, or yes with another input. Below every card, so that no card can leave it out. */
export function ApprovalBar({ approval, input }: { approval: Approval; input: unknown }) {
  const { answer } = useSessionStore()
  const sending = useSession((state) => state.answering.includes(approval.id))
  const [remark, setRemark] = useRetainedState(`${approval.id} remark`, '')
  const [scope, setScope] = useRetainedState<RememberScope>(`${approval.id} scope`, 'once')
  /** The input as JSON text while it is being edited. */
  const [edited, setEdited] = useRetainedState<string | null>(`${approval.id} input`, null)
  const remarkId = useId()
  const hintId = useId()
  const said = remark.trim()
  const change = edited === null ? { ok: true as const } : readEditedInput(edited, input)
  const isEdited = change.ok && 'input' in change
  const rules = rulesIn(approval)
  // A rule is for the call as it was asked about.
  const remember = scope === 'once' || isEdited || rules.length === 0 ? undefined : scope
  const hint =
    said !== ''
      ? t.inbox.remarkDenies
      : change.ok
        ? isEdited && scope !== 'once' && rules.length > 0
          ? t.inbox.editedOnce
          : undefined
        : t.inbox.notJson(change.problem)
  const deny = () => void answer(approval.id, { type: 'deny', ...(said !== '' && { remark: said }) })
  const approve = () => {
    if (!change.ok) return
    void answer(approval.id, {
      type: 'approve',
      ...(remember !== undefined && { remember }),
      ...('input' in change && { input: change.input }),
    })
  }
  return (
    <fieldset ref={trackVisibleSince} className="approval" tabIndex={-1} data-focus-home="">
      <legend className="visually-hidden">{t.inbox.decision}</legend>
      <ApprovalFacts approval={approval} />
      {edited !== null && (
        <InputEditor text={edited} isValid={change.ok} disabled={sending} hintId={hintId} onChange={setEdited} />
      )}
      {rules.length > 0 && (
        <RememberChoice rules={rules} scope={scope} disabled={sending || isEdited} onChange={setScope} />
      )}
      <div className="approval-row">
        <Button
          kind="primary"
          disabled={sending || said !== '' || !change.ok}
          aria-describedby={hintId}
          aria-keyshortcuts="Alt+Y"
          data-decision="approve"
          onClick={approve}
        >
          {isEdited ? t.inbox.approveEdited : remember === undefined ? t.inbox.approve : t.inbox.approveRemembered}
        </Button>
        <Button disabled={sending} aria-keyshortcuts="Alt+N" data-decision="deny" onClick={deny}>
          {said === '' ? t.inbox.deny : t.inbox.denyWithRemark}
        </Button>
        <Button
          kind="quiet"
          disabled={sending}
          onClick={() => setEdited(edited === null ? (JSON.stringify(input, null, 2) ?? '') : null)}
        >
          {edited === null ? t.inbox.editInput : t.inbox.leaveInput}
        </Button>
        <label className="visually-hidden" htmlFor={remarkId}>
          {t.inbox.remark}
        </label>
        <input
          id={remarkId}
          className="approval-remark"
          value={remark}
          placeholder={t.inbox.remarkHint}
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

function rulesIn({ descriptor }: Approval): string[] {
  const rules: unknown = descriptor?.remember
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : []
}
