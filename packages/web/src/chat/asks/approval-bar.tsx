import { useId, useState } from 'react'
import { isRecord, recordsIn, textIn } from '../../api/read-fields.ts'
import { trackVisibleSince } from '../../shortcuts/decide-ask.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { GrowingTextarea, VisibleText } from '../../ui/elements.tsx'
import type { Approval } from '../session/message-parts.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { useRetainedState } from '../session/session-hooks.ts'
import './approval-bar.css'

/** Approves or denies a tool call, optionally with edited input. Rendered below every card, so no card can omit it. */
export function ApprovalBar({ approval, input }: { approval: Approval; input: unknown }) {
  const { answer } = useSessionStore()
  const sending = useSession((state) => state.answering.includes(approval.id))
  const [remark, setRemark] = useRetainedState(`${approval.id} remark`, '')
  const [scope, setScope] = useRetainedState<RememberScope>(`${approval.id} scope`, 'once')
  const [edited, setEdited] = useRetainedState<string | null>(`${approval.id} input`, null)
  const remarkId = useId()
  const hintId = useId()
  const said = remark.trim()
  const change = edited === null ? { ok: true as const } : readEditedInput(edited, input)
  const isEdited = change.ok && 'input' in change
  const rules = rulesIn(approval)
  // A rule applies only to the input that was asked about.
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
      remember,
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
          {edited === null ? t.inbox.editInput : t.inbox.discardEdits}
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

function ApprovalFacts({ approval }: { approval: Approval }) {
  const commands = recordsIn(approval.descriptor?.commands)
  // A single command already appears on the card above.
  const isWorthIt = commands.length > 1 || commands.some((command) => textIn(command['note']) !== undefined)
  return (
    <>
      {approval.requestReason !== undefined && (
        <p className="approval-reason">
          <VisibleText text={translateServerText(approval.requestReason, 'text')} />
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

type RememberScope = 'once' | 'session' | 'project' | 'always'

const scopes: readonly RememberScope[] = ['once', 'session', 'project', 'always']

interface RememberChoiceProps {
  rules: readonly string[]
  scope: RememberScope
  disabled: boolean
  onChange: (scope: RememberScope) => void
}

/** Selects the duration of an approval and shows the exact rules it would store. */
function RememberChoice({ rules, scope, disabled, onChange }: RememberChoiceProps) {
  const id = useId()
  return (
    <p className="approval-remember">
      <label htmlFor={id}>{t.inbox.allow}</label>
      <select
        id={id}
        value={scope}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value as RememberScope)}
        aria-describedby={`${id}-rules`}
      >
        {scopes.map((value) => (
          <option key={value} value={value}>
            {t.inbox.scope[value]}
          </option>
        ))}
      </select>
      <span id={`${id}-rules`} className={scope === 'once' ? 'approval-rules approval-rules-idle' : 'approval-rules'}>
        {introduction(scope, rules.length)}{' '}
        {rules.map((rule) => (
          <code key={rule}>
            <VisibleText text={rule} as="exact" />
          </code>
        ))}
      </span>
    </p>
  )
}

function introduction(scope: RememberScope, count: number): string {
  return scope === 'once' ? t.inbox.rulesToAllow(count) : t.inbox.savedAsRule(count)
}

interface InputEditorProps {
  text: string
  isValid: boolean
  disabled: boolean
  hintId: string
  onChange: (text: string) => void
}

function InputEditor({ text, isValid, disabled, hintId, onChange }: InputEditorProps) {
  const [asJson, setAsJson] = useState(false)
  const input = recordIn(text)
  const fields = Object.entries(input ?? {}).filter(([, value]) => typeof value === 'string') as [string, string][]
  const showsJson = asJson || fields.length === 0
  return (
    <div className="approval-edit">
      {showsJson ? (
        <GrowingTextarea
          className="approval-input"
          aria-label={t.inbox.inputAsJson}
          aria-invalid={!isValid}
          aria-describedby={hintId}
          spellCheck={false}
          value={text}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        fields.map(([name, value]) => (
          <label key={name} className="approval-field">
            <span>{name}</span>
            <GrowingTextarea
              className="approval-input"
              spellCheck={false}
              value={value}
              disabled={disabled}
              onChange={(event) => onChange(JSON.stringify({ ...input, [name]: event.target.value }, null, 2))}
            />
          </label>
        ))
      )}
      {(fields.length > 0 || asJson) && (
        <Button kind="quiet" disabled={disabled || (asJson && fields.length === 0)} onClick={() => setAsJson(!asJson)}>
          {asJson ? t.inbox.asFields : t.inbox.asJson}
        </Button>
      )}
    </div>
  )
}

function recordIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Parsed edit of a call's input. `input` is missing if nothing changed. */
type EditedInput = { ok: true; input?: unknown } | { ok: false; problem: string }

export function readEditedInput(text: string, before: unknown): EditedInput {
  try {
    const input: unknown = JSON.parse(text)
    return JSON.stringify(input) === JSON.stringify(before) ? { ok: true } : { ok: true, input }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}
