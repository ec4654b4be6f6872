import { CheckCheck, ChevronDown, FolderCheck, MessageSquareText } from 'lucide-react'
import { useId } from 'react'
import { recordsIn, textIn } from '../../api/read-fields.ts'
import { type HunkChoice, useHunkChoice } from '../../displays/parts/hunk-choice.ts'
import { decideByKey, trackVisibleSince } from '../../shortcuts/decide-ask.ts'
import { useNoApproval, useRememberScopes } from '../../state/team.tsx'
import { translateServerText } from '../../texts/server-texts.ts'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { Menu } from '../../ui/menu.tsx'
import type { Approval } from '../session/message-parts.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { useRetainedState } from '../session/session-hooks.ts'
import './approval-bar.css'
import { InputEditor, readEditedInput } from './input-editor.tsx'

/**
 * Allows or denies a tool call, optionally with edited input. Rendered below every card, so no card can omit it. The keys
 * 1, 2 and 3 press its buttons while the focus is here and not in a field, and Escape denies.
 */
export function ApprovalBar({ approval, input }: { approval: Approval; input: unknown }) {
  const sessionId = useSession((state) => state.sessionId)
  const refusal = useNoApproval(sessionId)
  if (refusal === undefined) return <Decision approval={approval} input={input} />
  return (
    <div className="approval-waiting">
      <ApprovalFacts approval={approval} input={input} />
      <p className="approval-reason">{refusal}</p>
    </div>
  )
}

function Decision({ approval, input }: { approval: Approval; input: unknown }) {
  const { answer } = useSessionStore()
  const sending = useSession((state) => state.answering.includes(approval.id))
  const [note, setNote] = useRetainedState<string | null>(`${approval.id} note`, null)
  const [edited, setEdited] = useRetainedState<string | null>(`${approval.id} input`, null)
  const scopes = useRememberScopes(useSession((state) => state.sessionId))
  const hintId = useId()
  const rulesId = useId()
  const change = edited === null ? { ok: true as const } : readEditedInput(edited, input)
  const isEdited = change.ok && 'input' in change
  const choice = useHunkChoice()
  const part = edited === null ? acceptedPart(choice) : undefined
  // A part of a change, or an edited one, is allowed once.
  const rules = isEdited || part !== undefined ? [] : rulesIn(approval)
  const [partNote, setPartNote] = useRetainedState(`${approval.id} rejection`, '')
  const deny = (remark = '') => void answer(approval.id, { type: 'deny', remark: remark || undefined })
  const allow = (remember?: RememberScope) => {
    if (!change.ok) return
    const remark = partNote.trim() || undefined
    if (part?.accepted.length === 0) return deny(remark)
    if (part !== undefined) return void answer(approval.id, { type: 'approve', hunks: [...part.accepted], remark })
    void answer(approval.id, { type: 'approve', remember, input: 'input' in change ? change.input : undefined })
  }
  const longer = [
    {
      scope: 'project' as const,
      label: t.inbox.approveProject,
      icon: <FolderCheck aria-hidden />,
      onSelect: () => allow('project'),
    },
    {
      scope: 'always' as const,
      label: t.inbox.approveAlways,
      icon: <CheckCheck aria-hidden />,
      onSelect: () => allow('always'),
    },
  ].filter(({ scope }) => scopes.includes(scope))
  const hint = !change.ok
    ? t.inbox.notJson(change.problem)
    : part !== undefined
      ? part.hint
      : isEdited && rulesIn(approval).length > 0
        ? t.inbox.editedOnce
        : undefined
  return (
    // The buttons inside take the focus. Their keys bubble here.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <fieldset
      ref={trackVisibleSince}
      className="approval"
      tabIndex={-1}
      data-focus-home=""
      onKeyDown={(event) => decideByKey(event, event.currentTarget)}
    >
      <legend className="visually-hidden">{t.inbox.decision}</legend>
      <ApprovalFacts approval={approval} input={input} />
      {edited !== null && (
        <InputEditor text={edited} isValid={change.ok} disabled={sending} hintId={hintId} onChange={setEdited} />
      )}
      {part !== undefined && (
        <div className="approval-row approval-part">
          <input
            className="approval-remark"
            aria-label={t.inbox.rejectRemark}
            placeholder={t.inbox.rejectHint}
            value={partNote}
            disabled={sending}
            onChange={(event) => setPartNote(event.target.value)}
          />
        </div>
      )}
      {note !== null && (
        <DenialNote
          note={note}
          disabled={sending}
          onChange={setNote}
          onDeny={() => deny(note.trim())}
          onBack={() => setNote(null)}
        />
      )}
      <div className="approval-row" hidden={note !== null}>
        <Button
          kind="primary"
          disabled={sending || !change.ok}
          aria-describedby={hintId}
          aria-keyshortcuts="1 Alt+Y"
          data-decision="approve"
          onClick={() => allow()}
        >
          {part?.label ?? (isEdited ? t.inbox.approveEdited : t.inbox.approve)}
        </Button>
        {rules.length > 0 && (
          <span className="approval-split">
            <Button
              disabled={sending || !change.ok}
              aria-describedby={rulesId}
              aria-keyshortcuts="2"
              data-decision="remember"
              onClick={() => allow('session')}
            >
              {t.inbox.approveSession}
            </Button>
            {longer.length > 0 && (
              <Menu
                trigger={
                  <Button disabled={sending || !change.ok} aria-label={t.inbox.allowLonger} aria-describedby={rulesId}>
                    <ChevronDown aria-hidden />
                  </Button>
                }
                items={longer}
              />
            )}
          </span>
        )}
        <span className="approval-split">
          <Button disabled={sending} aria-keyshortcuts="3 Escape Alt+N" data-decision="deny" onClick={() => deny()}>
            {t.inbox.deny}
          </Button>
          <Button disabled={sending} aria-label={t.inbox.denyWithRemark} onClick={() => setNote('')}>
            <MessageSquareText aria-hidden />
          </Button>
        </span>
        {part === undefined && (
          <Button
            kind="quiet"
            className="approval-more"
            disabled={sending}
            onClick={() => {
              choice?.setEditing(edited === null)
              setEdited(edited === null ? (JSON.stringify(input, null, 2) ?? '') : null)
            }}
          >
            {edited === null ? t.inbox.editInput : t.inbox.discardEdits}
          </Button>
        )}
      </div>
      {rules.length > 0 && (
        <p id={rulesId} className="approval-rules" hidden={note !== null}>
          {t.inbox.remembered}{' '}
          {rules.map((rule) => (
            <code key={rule}>
              <VisibleText text={rule} as="exact" />
            </code>
          ))}
        </p>
      )}
      <output id={hintId} className="approval-hint">
        {hint}
      </output>
    </fieldset>
  )
}

/** The accepted part of a change, if the user rejected some of it. */
function acceptedPart(
  choice: HunkChoice | null,
): { accepted: readonly string[]; label: string; hint: string } | undefined {
  if (choice === null || choice.rejected.size === 0) return undefined
  const { ids, rejected } = choice
  const accepted = ids.filter((id) => !rejected.has(id))
  const isNone = accepted.length === 0
  return {
    accepted,
    label: isNone ? t.inbox.rejectAll : t.inbox.approvePart(accepted.length, ids.length),
    hint: isNone ? t.inbox.willMakeNone : t.inbox.willMake(accepted.length, ids.length),
  }
}

type RememberScope = 'session' | 'project' | 'always'

interface DenialNoteProps {
  note: string
  disabled: boolean
  onChange: (note: string) => void
  onDeny: () => void
  onBack: () => void
}

function DenialNote({ note, disabled, onChange, onDeny, onBack }: DenialNoteProps) {
  return (
    <div className="approval-row">
      <input
        // The person just asked for it.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        className="approval-remark"
        aria-label={t.inbox.remark}
        value={note}
        placeholder={t.inbox.remarkHint}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') onDeny()
          if (event.key !== 'Escape') return
          // Escape elsewhere denies, or stops the answer.
          event.stopPropagation()
          event.preventDefault()
          onBack()
        }}
      />
      <Button kind="primary" disabled={disabled} onClick={onDeny}>
        {t.inbox.deny}
      </Button>
      <Button kind="quiet" disabled={disabled} onClick={onBack}>
        {t.inbox.back}
      </Button>
    </div>
  )
}

function rulesIn({ descriptor }: Approval): string[] {
  const rules: unknown = descriptor?.remember
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : []
}

/** True if the reason only repeats the file that the card is about. */
function isOnCard(reason: string, input: unknown): boolean {
  const [, file] = /^It \w+ "(.*)"\.$/s.exec(reason) ?? []
  return file !== undefined && typeof input === 'object' && Object.values(input ?? {}).includes(file)
}

function ApprovalFacts({ approval, input }: { approval: Approval; input: unknown }) {
  const { requestReason: reason } = approval
  const commands = recordsIn(approval.descriptor?.commands)
  // A single command already appears on the card above.
  const isWorthIt = commands.length > 1 || commands.some((command) => textIn(command['note']) !== undefined)
  return (
    <>
      {reason !== undefined && !isOnCard(reason, input) && (
        <p className="approval-reason">
          <VisibleText text={translateServerText(reason, 'text')} />
        </p>
      )}
      {isWorthIt && (
        <ul className="approval-commands" aria-label={t.inbox.commands}>
          {commands.map((command, index) => (
            <li key={index}>
              <code>
                <VisibleText text={textIn(command['text']) ?? ''} as="exact" />
              </code>
              {textIn(command['note']) !== undefined && (
                <span>
                  <VisibleText text={translateServerText(textIn(command['note']) ?? '', 'text')} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
