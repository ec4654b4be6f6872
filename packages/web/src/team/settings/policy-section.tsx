import type { Mode } from '@troupe/core'
import { useCallback, useState } from 'react'
import { toErrorInfo } from '../../api/request.ts'
import { ConfigForm } from '../../settings/config-form.tsx'
import { ServerDataStatus, useServerData } from '../../settings/section-parts.tsx'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import './admin.css'
import { governance, type TeamPolicy } from './governance.ts'
import { usePolicyPreview } from './policy-preview.tsx'

const lists = ['models', 'mcpServers', 'hosts', 'deniedHosts', 'tools', 'deniedTools'] as const
const effects = ['allow', 'ask', 'deny'] as const
// Plan is always allowed.
const modes: readonly Mode[] = ['default', 'accept-edits', 'bypass']

/** Policy of the organization. */
export function PolicySection() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => governance(api).policy(), [api]))
  const [saved, setSaved] = useState<{ id: string; failure: string | null } | null>(null)
  if (asked.value === null) return <ServerDataStatus asked={asked} />
  const { policy, version } = asked.value
  const save = async (next: TeamPolicy) => {
    try {
      asked.show(await governance(api).setPolicy(next, version))
      setSaved({ id: 'policy', failure: null })
    } catch (error) {
      const { name, message } = toErrorInfo(error)
      setSaved({ id: 'policy', failure: name === 'PolicyChanged' ? t.team.policy.changed : message })
      if (name === 'PolicyChanged') await asked.again()
    }
  }
  return <PolicyForm key={version} policy={policy} saved={saved} onSave={save} />
}

interface PolicyFormProps {
  policy: TeamPolicy
  saved: { id: string; failure: string | null } | null
  onSave: (policy: TeamPolicy) => Promise<void>
}

function PolicyForm({ policy, saved, onSave }: PolicyFormProps) {
  const [texts, setTexts] = useState(() => textsOf(policy))
  const [allowed, setAllowed] = useState<readonly Mode[] | null>(policy.modes ?? null)
  const [ignores, setIgnores] = useState(policy.ignoreAllowRules === true)
  const [ownKeys, setOwnKeys] = useState(policy.ownKeys !== false)
  const next = fromForm(policy, { texts, allowed, ignores, ownKeys })
  const isChanged = JSON.stringify(fromForm(policy, formOf(policy))) !== JSON.stringify(next)
  const preview = usePolicyPreview(next, isChanged)
  const field = (name: string, label: string) => (
    <label key={name}>
      {label}
      <textarea
        rows={3}
        spellCheck={false}
        value={texts[name] ?? ''}
        onChange={({ target }) => setTexts((before) => ({ ...before, [name]: target.value }))}
      />
    </label>
  )
  const toggle = (mode: Mode, on: boolean) => {
    const now = modes.filter((one) => (one === mode ? on : (allowed ?? modes).includes(one)))
    setAllowed(now.length === modes.length ? null : now)
  }
  return (
    <ConfigForm
      id="policy"
      title={t.team.policy.title}
      about={t.team.policy.about}
      isReady={isChanged}
      saved={saved}
      onSave={() => onSave(next)}
      buttons={preview.button}
      note={preview.result}
    >
      <fieldset className="team-checks">
        <legend>{t.team.policy.modes}</legend>
        {modes.map((mode) => (
          <label key={mode} className="settings-check-line">
            <input
              type="checkbox"
              checked={(allowed ?? modes).includes(mode)}
              onChange={({ target }) => toggle(mode, target.checked)}
            />
            {t.modes.each[mode].name}
          </label>
        ))}
      </fieldset>
      <h4>{t.team.policy.listsTitle}</h4>
      <p className="settings-note">{t.team.policy.perLine}</p>
      <div className="settings-fields team-lists">{lists.map((name) => field(name, t.team.policy.lists[name]))}</div>
      <label className="settings-check-line">
        <input type="checkbox" checked={ownKeys} onChange={({ target }) => setOwnKeys(target.checked)} />
        {t.team.policy.ownKeys}
      </label>
      <h4>{t.team.policy.rulesTitle}</h4>
      <p className="settings-note">{t.team.policy.rulesAbout}</p>
      <div className="settings-fields">{effects.map((name) => field(name, t.team.policy.rules[name]))}</div>
      <label className="settings-check-line">
        <input type="checkbox" checked={ignores} onChange={({ target }) => setIgnores(target.checked)} />
        {t.team.policy.ignoreAllowRules}
      </label>
    </ConfigForm>
  )
}

interface PolicyFields {
  texts: Record<string, string>
  allowed: readonly Mode[] | null
  ignores: boolean
  ownKeys: boolean
}

function textsOf({ permissions, ...policy }: TeamPolicy): Record<string, string> {
  const all = { ...permissions, ...policy } as Record<string, unknown>
  return Object.fromEntries([...lists, ...effects].map((name) => [name, ((all[name] ?? []) as string[]).join('\n')]))
}

function formOf(policy: TeamPolicy): PolicyFields {
  return {
    texts: textsOf(policy),
    allowed: policy.modes ?? null,
    ignores: policy.ignoreAllowRules === true,
    ownKeys: policy.ownKeys !== false,
  }
}

/** An empty list restricts nothing, so it is left out. Fields that the form does not show stay as they are. */
export function fromForm(policy: TeamPolicy, { texts, allowed, ignores, ownKeys }: PolicyFields): TeamPolicy {
  const linesOf = (name: string) =>
    (texts[name] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  const { permissions: _, ignoreAllowRules: __, modes: ___, ownKeys: ____, ...others } = policy
  const kept = Object.fromEntries(
    Object.entries(others).filter(([name]) => !(lists as readonly string[]).includes(name)),
  )
  const filled = lists.flatMap((name) => (linesOf(name).length === 0 ? [] : [[name, linesOf(name)] as const]))
  const [allow, ask, deny] = effects.map(linesOf)
  const hasRules = effects.some((name) => linesOf(name).length > 0)
  return {
    ...kept,
    ...Object.fromEntries(filled),
    ...(hasRules && { permissions: { allow: allow ?? [], ask: ask ?? [], deny: deny ?? [] } }),
    ...(allowed !== null && { modes: [...allowed] }),
    ...(ignores && { ignoreAllowRules: true }),
    ...(!ownKeys && { ownKeys: false }),
  }
}
