import { isSameOrigin } from '@troupe/protocol'
import { useCallback, useState } from 'react'
import type { ConfigInfo, Limit } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { ConfigForm, type EditableConfig } from './config-form.tsx'
import { ServerDataStatus, useServerData } from './section-parts.tsx'
import { groupTools, includesName, withName } from './tool-groups.ts'

const choices = ['all', 'some'] as const

/**
 * Selects the tools available to all models. Keeps selected tools that are currently missing, such as those of an
 * offline server.
 */
export function ToolsForm({ config, save, saved }: Pick<EditableConfig, 'save' | 'saved'> & { config: ConfigInfo }) {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.tools(), [api]))
  const tools = asked.value?.tools ?? []
  const [edited, setEdited] = useState<string[] | null | undefined>()
  const chosen = edited === undefined ? config.useTools : edited
  const known = tools.map(({ name }) => name)
  const missing = (chosen ?? []).filter((name) => asked.value !== null && !includesName(known, name))
  const submit = async () => {
    if (await save('tools', { useTools: chosen })) setEdited(undefined)
  }
  return (
    <ConfigForm
      id="tools"
      title={t.settings.general.tools}
      about={t.settings.general.toolsAbout}
      isReady={edited !== undefined}
      saved={saved}
      onSave={submit}
    >
      <Segments
        label={t.settings.general.tools}
        options={choices.map((value) => ({ value, label: t.settings.general.toolsChoices[value] }))}
        value={chosen === null ? 'all' : 'some'}
        onChange={(choice) => setEdited(choice === 'all' ? null : (config.useTools ?? known))}
      />
      {chosen !== null && <ServerDataStatus asked={asked} />}
      {chosen !== null && (
        <div className="settings-columns">
          {groupTools(tools).map((group) => (
            <fieldset key={group.name}>
              <legend>{group.name}</legend>
              {group.tools.map(({ name, description }) => (
                <Tool key={name} name={name} title={description} chosen={chosen} onChange={setEdited} />
              ))}
            </fieldset>
          ))}
          {missing.map((name) => (
            <Tool
              key={name}
              name={name}
              label={t.settings.general.missingTool(name)}
              chosen={chosen}
              onChange={setEdited}
            />
          ))}
        </div>
      )}
    </ConfigForm>
  )
}

function Tool(props: {
  name: string
  label?: string
  title?: string
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}) {
  const { name, label = name, title, chosen, onChange } = props
  return (
    <label className="settings-check-line" title={title}>
      <input
        type="checkbox"
        checked={includesName(chosen, name)}
        onChange={({ target }) => onChange(withName(chosen, name, target.checked))}
      />
      {label}
    </label>
  )
}

/** Names as in `core/src/web/search-providers/`. */
const providers = ['brave', 'searxng', 'tavily']

/** Selects the web search provider. Its key is write-only. */
export function SearchForm({ config, save, saved }: Pick<EditableConfig, 'save' | 'saved'> & { config: ConfigInfo }) {
  const { search } = config
  const [provider, setProvider] = useState(search?.provider ?? '')
  const [address, setAddress] = useState(search?.baseURL ?? '')
  const [key, setKey] = useState('')
  const typed = { address: address.trim(), key: key.trim() }
  const isChanged =
    provider !== (search?.provider ?? '') || typed.address !== (search?.baseURL ?? '') || typed.key !== ''
  const submit = async () => {
    const next = {
      provider,
      baseURL: typed.address === '' ? null : typed.address,
      apiKey: typed.key || undefined,
    }
    if (await save('search', { search: provider === '' ? null : next })) setKey('')
  }
  const keepsKey =
    search?.hasKey === true && provider === search.provider && isSameOrigin(typed.address, search.baseURL)
  const losesKey = search?.hasKey === true && !keepsKey && provider !== '' && typed.key === ''
  return (
    <ConfigForm
      id="search"
      title={t.settings.general.search}
      about={t.settings.general.searchAbout}
      isReady={isChanged}
      saved={saved}
      onSave={submit}
      note={losesKey && <p className="settings-note">{t.models.keyWillBeRemoved}</p>}
    >
      <div className="settings-fields">
        <label>
          {t.settings.general.searchBy}
          <select value={provider} onChange={({ target }) => setProvider(target.value)}>
            <option value="">{t.settings.general.searchByModel}</option>
            {[...new Set([...providers, ...(search === null ? [] : [search.provider])])].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {provider !== '' && (
          <>
            <label>
              {t.settings.general.searchAddress}
              <input
                type="url"
                value={address}
                spellCheck={false}
                placeholder={provider === 'searxng' ? 'http://127.0.0.1:8888' : ''}
                onChange={({ target }) => setAddress(target.value)}
              />
            </label>
            <label>
              {t.settings.general.searchKey}
              <input
                type="password"
                autoComplete="off"
                value={key}
                placeholder={keepsKey ? t.models.replaceKey : t.models.pasteKey}
                onChange={({ target }) => setKey(target.value)}
              />
            </label>
          </>
        )}
      </div>
    </ConfigForm>
  )
}

export function BrowserForm({ config, save, saved }: Pick<EditableConfig, 'save' | 'saved'> & { config: ConfigInfo }) {
  const { path, allow } = config.browser
  const kept = { path: path ?? '', allow: (allow ?? []).join('\n') }
  const [typed, setTyped] = useState(kept)
  const next = { path: typed.path.trim(), allow: typed.allow.split(/[\s,]+/).filter((entry) => entry !== '') }
  const isChanged = next.path !== kept.path || next.allow.join('\n') !== kept.allow
  const submit = () =>
    save('browser', {
      browser: { path: next.path === '' ? null : next.path, allow: next.allow.length === 0 ? null : next.allow },
    })
  return (
    <ConfigForm
      id="browser"
      title={t.settings.general.browser}
      about={t.settings.general.browserAbout}
      isReady={isChanged}
      saved={saved}
      onSave={submit}
    >
      <div className="settings-fields">
        <label>
          {t.settings.general.browserPath}
          <input
            value={typed.path}
            spellCheck={false}
            autoComplete="off"
            placeholder={t.settings.general.browserFound}
            onChange={({ target }) => setTyped({ ...typed, path: target.value })}
          />
        </label>
        <label>
          {t.settings.general.browserAllow}
          <textarea
            rows={2}
            value={typed.allow}
            spellCheck={false}
            placeholder="127.0.0.1:5173"
            onChange={({ target }) => setTyped({ ...typed, allow: target.value })}
          />
        </label>
      </div>
    </ConfigForm>
  )
}

const limits: Limit[] = ['steps', 'tokens', 'seconds']

export function LimitsForm({ config, save, saved }: Pick<EditableConfig, 'save' | 'saved'> & { config: ConfigInfo }) {
  const [typed, setTyped] = useState(() => limitTexts(config.limits))
  const numbers = limits.map((name) => (typed[name].trim() === '' ? null : Number(typed[name])))
  const isWrong = (index: number) => {
    const number = numbers[index] ?? null
    return number !== null && !(number > 0 && (limits[index] === 'seconds' || Number.isInteger(number)))
  }
  const wrong = limits.some((_, index) => isWrong(index))
  const isChanged = limits.some((name) => typed[name].trim() !== limitTexts(config.limits)[name])
  const submit = () => {
    const [steps = null, tokens = null, seconds = null] = numbers
    return save('limits', { limits: { steps, tokens, seconds } })
  }
  return (
    <ConfigForm
      id="limits"
      title={t.settings.general.limits}
      about={t.settings.general.limitsAbout}
      isReady={isChanged && !wrong}
      saved={saved}
      onSave={submit}
      noValidate
      note={wrong && <p className="settings-failure">{t.settings.general.notNumber}</p>}
    >
      <div className="settings-fields">
        {limits.map((name, index) => (
          <label key={name}>
            {t.settings.general[name]}
            <input
              type="number"
              inputMode="decimal"
              min={1}
              value={typed[name]}
              placeholder={name === 'steps' ? '100' : t.settings.general.none}
              aria-invalid={isWrong(index)}
              onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
            />
          </label>
        ))}
      </div>
    </ConfigForm>
  )
}

function limitTexts(values: ConfigInfo['limits']): Record<Limit, string> {
  const text = (number: number | null) => (number === null ? '' : String(number))
  return { steps: text(values.steps), tokens: text(values.tokens), seconds: text(values.seconds) }
}
