import { useCallback, useState } from 'react'
import { toErrorInfo } from '../../api/request.ts'
import { ConfigForm } from '../../settings/config-form.tsx'
import { ServerDataStatus, useServerData } from '../../settings/section-parts.tsx'
import { formatCost, formatNumber } from '../../texts/format.ts'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { Group } from '../../ui/elements.tsx'
import { useApp, useWorkspace } from '../../workspace/workspace.ts'
import './admin.css'
import { governance, type Limit, limitFields, limitScopes, type TeamLimits } from './governance.ts'
import { Select } from '../parts/parts.tsx'

type Scope = (typeof limitScopes)[number]
type Names = Record<Scope, readonly { id: string; name: string }[]>

/** Budgets and rates of people, folders and models, and what people used. */
export function BudgetsSection() {
  const { api } = useWorkspace()
  const models = useApp((state) => state.models)
  const asked = useServerData(
    useCallback(async () => {
      const [{ limits }, { people }, { members }, { workspaces }] = await Promise.all([
        governance(api).limits(),
        governance(api).usage(),
        api.call('GET /ai/members'),
        api.call('GET /ai/workspaces'),
      ])
      return { limits, people, members, workspaces }
    }, [api]),
  )
  const [saved, setSaved] = useState<SaveResult | null>(null)
  if (asked.value === null) return <ServerDataStatus asked={asked} />
  const { limits, people, members, workspaces } = asked.value
  const names: Names = {
    people: members,
    workspaces: workspaces.map(({ path, name }) => ({ id: path, name })),
    models: models.map(({ ref }) => ({ id: ref, name: ref })),
  }
  return (
    <>
      <LimitsForm
        key={JSON.stringify(limits)}
        limits={limits}
        names={names}
        saved={saved}
        onSaved={async (result) => {
          setSaved(result)
          if (result.failure === null) await asked.again()
        }}
      />
      {people.length > 0 && (
        <section className="settings-group" aria-label={t.team.budgets.usage}>
          <h3>{t.team.budgets.usage}</h3>
          <Group label={t.team.budgets.usage} className="team-table" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th>{t.team.name}</th>
                  <th>{t.team.budgets.cost}</th>
                  <th>{t.team.budgets.tokens}</th>
                </tr>
              </thead>
              <tbody>
                {people.map(({ person, cost, inputTokens, outputTokens }) => (
                  <tr key={person}>
                    <td dir="auto">{members.find(({ id }) => id === person)?.name ?? t.team.formerMember}</td>
                    <td>{formatCost(cost)}</td>
                    <td>{formatNumber(inputTokens + outputTokens)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Group>
        </section>
      )}
    </>
  )
}

interface SaveResult {
  id: string
  failure: string | null
}

interface LimitsFormProps {
  limits: TeamLimits
  names: Names
  saved: SaveResult | null
  onSaved: (result: SaveResult) => Promise<void>
}

function LimitsForm({ limits, names, saved, onSaved }: LimitsFormProps) {
  const { api } = useWorkspace()
  const [draft, setDraft] = useState(limits)
  const save = () =>
    governance(api)
      .setLimits(draft)
      .then(
        () => null,
        (error: unknown) => toErrorInfo(error).message,
      )
      .then((failure) => onSaved({ id: 'limits', failure }))
  return (
    <ConfigForm
      id="limits"
      title={t.team.budgets.title}
      about={t.team.budgets.about}
      isReady={JSON.stringify(draft) !== JSON.stringify(limits)}
      saved={saved}
      onSave={save}
    >
      {limitScopes.map((scope) => (
        <ScopeLimits
          key={scope}
          scope={scope}
          limits={draft[scope] ?? {}}
          names={names[scope]}
          onChange={(changed) => setDraft((before) => ({ ...before, [scope]: changed }))}
        />
      ))}
    </ConfigForm>
  )
}

type ScopeLimit = NonNullable<TeamLimits[Scope]>

interface ScopeLimitsProps {
  scope: Scope
  limits: ScopeLimit
  names: Names[Scope]
  onChange: (limits: ScopeLimit) => void
}

function ScopeLimits({ scope, limits, names, onChange }: ScopeLimitsProps) {
  const { byId = {} } = limits
  const free = names.filter(({ id }) => !Object.hasOwn(byId, id))
  const [chosen, setChosen] = useState('')
  const next = free.find(({ id }) => id === chosen) ?? free[0]
  const title = t.team.budgets.scopes[scope]
  return (
    <fieldset className="team-limits">
      <legend>{title}</legend>
      <LimitFields
        name={t.team.budgets.default[scope]}
        limit={limits.default ?? {}}
        onChange={(changed) => onChange({ ...limits, default: changed })}
      />
      {Object.entries(byId).map(([id, limit]) => {
        const name = names.find((one) => one.id === id)?.name ?? id
        return (
          <LimitFields
            key={id}
            name={name}
            limit={limit}
            onChange={(changed) => onChange({ ...limits, byId: { ...byId, [id]: changed } })}
            onRemove={() => {
              const { [id]: _, ...others } = byId
              onChange({ ...limits, byId: others })
            }}
          />
        )
      })}
      {next !== undefined && (
        <div className="team-add">
          <Select
            label={`${t.team.budgets.add} ${title}`}
            value={next.id}
            options={free.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setChosen}
          />
          <Button
            aria-label={`${t.team.budgets.addButton}: ${title}`}
            onClick={() => onChange({ ...limits, byId: { ...byId, [next.id]: {} } })}
          >
            {t.team.budgets.addButton}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

interface LimitFieldsProps {
  name: string
  limit: Limit
  onChange: (limit: Limit) => void
  onRemove?: () => void
}

function LimitFields({ name, limit, onChange, onRemove }: LimitFieldsProps) {
  const change = (field: keyof Limit, text: string) => {
    const { [field]: _, ...others } = limit
    onChange(text === '' ? others : { ...others, [field]: Number(text) })
  }
  return (
    <Group label={name} className="team-limit">
      <p dir="auto">{name}</p>
      <div className="settings-fields">
        {limitFields.map((field) => (
          <label key={field}>
            {t.team.budgets.fields[field]}
            <input
              type="number"
              min={0}
              step={field === 'day' || field === 'month' ? 'any' : 1}
              value={limit[field] ?? ''}
              onChange={({ target }) => change(field, target.value)}
            />
          </label>
        ))}
      </div>
      {onRemove !== undefined && (
        <div className="settings-row-buttons">
          <Button aria-label={`${t.team.budgets.remove}: ${name}`} onClick={onRemove}>
            {t.team.budgets.remove}
          </Button>
        </div>
      )}
    </Group>
  )
}
