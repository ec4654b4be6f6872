import { TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { groupRules } from './group-rules.ts'
import { NewRuleForm } from './new-rule-form.tsx'
import { RuleRow } from './rule-row.tsx'
import { createRulesStore } from './rules-store.ts'
import { SandboxNote } from './sandbox-note.tsx'
import './rules-section.css'

const manyRules = 10

/** What may run unasked, what asks and what is refused; and what a further rule would have changed. */
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
        <p className="settings-none">{rules.length === 0 ? t.rules.none : t.rules.noneFits}</p>
      )}
      {groups.map((group) => (
        <section key={`${group.title} ${group.file}`} className="rules-group" aria-label={group.title}>
          <h4>
            {group.title} <span>{group.about}</span>
          </h4>
          {group.file !== null && (
            <p className="rule-file">
              <VisibleText text={group.file} as="name" />
            </p>
          )}
          <ul className="settings-rows">
            {group.rules.map((rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                onRevoke={() => void store.revoke(rule)}
                onPutBack={() => void store.putBack(rule)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
