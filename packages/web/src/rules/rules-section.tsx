import type { Effect } from '@troupe/core'
import { ShieldCheck, ShieldX, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { toErrorInfo } from '../api/request.ts'
import type { SandboxInfo } from '../api/settings-types.ts'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { ExplainCall } from './explain-call.tsx'
import { EffectMark, NewRuleForm } from './new-rule-form.tsx'
import './rules-section.css'
import { createRulesStore, groupRules, type ShownRule } from './rules-store.ts'

const manyRules = 10

export function RulesSection() {
  const { api, app } = useWorkspace()
  const sessionId = useApp((state) => (state.isNew ? undefined : state.sessionId))
  const [store] = useState(() => createRulesStore(api, sessionId))
  const { list, failure, revoked } = useStore(store)
  const [search, setSearch] = useState('')
  useEffect(() => void store.load(), [store])
  const rules = list?.rules ?? []
  const groups = groupRules(rules, revoked, search.trim())

  return (
    <div className="rules">
      {list !== null && <SandboxNote sandbox={list.sandbox} />}
      {list?.warnings.map((warning) => (
        <p key={warning} className="settings-warning">
          <TriangleAlert aria-hidden />
          <span>{warning}</span>
        </p>
      ))}
      {failure !== null && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      <h3>{t.rules.tryAndAdd}</h3>
      <NewRuleForm
        sessionId={sessionId}
        onAdd={async (rule) => {
          const settled = await store.add(rule)
          app.asksAnswered(settled)
          return settled
        }}
      />
      <h3>{t.explain.title}</h3>
      <p className="settings-note">{t.explain.about}</p>
      <ExplainCall sessionId={sessionId} />
      <header className="rules-head">
        <h3 data-setting="list">{t.rules.list}</h3>
        {rules.length > manyRules && (
          <input
            type="search"
            aria-label={t.rules.search}
            placeholder={t.ui.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
      </header>
      <p className="settings-note">{t.rules.note}</p>
      {list === null && failure === null && <p className="settings-note">{t.ui.loading}</p>}
      {list !== null && groups.length === 0 && (
        <p className="settings-none">{rules.length === 0 ? t.rules.none : t.rules.noResults}</p>
      )}
      {groups.map((group) => (
        <section key={`${group.title} ${group.file}`} className="rules-group" aria-label={group.title}>
          <h4>
            {group.title} <span>{group.about}</span>
          </h4>
          {group.file !== null && (
            <p className="rule-file">
              <VisibleText text={translateServerText(group.file, 'text')} as="name" />
            </p>
          )}
          <ul className="settings-rows">
            {group.rules.map((rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                onRevoke={() => void store.revoke(rule)}
                onPutBack={() => void store.putBack(rule)}
                onEdit={async (next) => app.asksAnswered(await store.edit(rule, next))}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

interface RuleRowProps {
  rule: ShownRule
  onRevoke: () => void
  onPutBack: () => void
  /** Throws the server's validation error. */
  onEdit: (next: { text: string; effect: Effect }) => Promise<void>
}

function RuleRow({ rule, onRevoke, onPutBack, onEdit }: RuleRowProps) {
  const { text, effect, editable, problem, revoked } = rule
  const [editing, setEditing] = useState(false)
  if (editing) return <RuleEditor rule={rule} onSave={onEdit} onClose={() => setEditing(false)} />
  return (
    <li className="rule" data-revoked={revoked} data-setting={`rule-${rule.id}`}>
      <EffectMark effect={effect} />
      <span className="rule-text">
        <code>
          <VisibleText text={text} as="exact" />
        </code>
        {problem !== undefined && (
          <span className="rule-problem">
            <TriangleAlert aria-hidden />
            <span>
              <VisibleText text={problem} />
            </span>
          </span>
        )}
        {revoked && <span className="rule-file">{t.rules.revoked}</span>}
      </span>
      {editable && (
        <span className="rule-actions">
          {!revoked && (
            <Button kind="quiet" aria-label={`${t.explain.edit} ${text}`} onClick={() => setEditing(true)}>
              {t.explain.edit}
            </Button>
          )}
          {/* One button for both actions, so that it keeps the focus. */}
          <Button
            kind="quiet"
            aria-label={`${revoked ? t.rules.restore : t.rules.revoke} ${t.rules.effects[effect]} ${text}`}
            onClick={revoked ? onPutBack : onRevoke}
          >
            {revoked ? t.rules.restore : t.rules.revoke}
          </Button>
        </span>
      )}
    </li>
  )
}

interface RuleEditorProps {
  rule: ShownRule
  onSave: (next: { text: string; effect: Effect }) => Promise<void>
  onClose: () => void
}

function RuleEditor({ rule, onSave, onClose }: RuleEditorProps) {
  const [text, setText] = useState(rule.text)
  const [effect, setEffect] = useState<Effect>(rule.effect)
  const [failure, setFailure] = useState('')
  const save = async () => {
    try {
      await onSave({ text: text.trim(), effect })
      onClose()
    } catch (error) {
      setFailure(toErrorInfo(error).message)
    }
  }
  return (
    <li className="rule-editor" data-setting={`rule-${rule.id}`}>
      <form
        className="new-rule-row new-rule"
        aria-label={`${t.explain.edit} ${rule.text}`}
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== '') void save()
        }}
      >
        <select aria-label={t.rules.effect} value={effect} onChange={({ target }) => setEffect(target.value as Effect)}>
          {(['allow', 'ask', 'deny'] as const).map((one) => (
            <option key={one} value={one}>
              {t.rules.choices[one]}
            </option>
          ))}
        </select>
        <input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- replaces the button that was clicked
          autoFocus
          className="new-rule-text"
          aria-label={t.rules.rule}
          aria-invalid={failure !== ''}
          spellCheck={false}
          maxLength={2000}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" kind="primary" disabled={text.trim() === ''}>
          {t.ui.save}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t.ui.cancel}
        </Button>
      </form>
      <p className="settings-failure" role="alert">
        {failure}
      </p>
    </li>
  )
}

/** Shows if commands are sandboxed. Prominent if they are not. */
function SandboxNote({ sandbox: { available, text, fix } }: { sandbox: SandboxInfo }) {
  if (available) {
    return (
      <p className="sandbox" data-setting="sandbox">
        <ShieldCheck aria-hidden />
        <span>{translateServerText(text, 'text')}</span>
      </p>
    )
  }
  return (
    <div className="sandbox sandbox-none" role="alert" data-setting="sandbox">
      <ShieldX aria-hidden />
      <div>
        <strong>{t.rules.noSandbox}</strong>
        <p>{translateServerText(text, 'text')}</p>
        {fix !== undefined && (
          <p>
            <b>{t.rules.toFix}</b> {t.rules.thenStart(fix)}
          </p>
        )}
      </div>
    </div>
  )
}
