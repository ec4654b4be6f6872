import { isSameOrigin } from '@troupe/core/protocol'
import { useState } from 'react'
import type { ConfigInfo } from '../../api/config-info.ts'
import { t } from '../../texts/t.ts'
import { ConfigForm } from './config-form.tsx'
import type { EditableConfig } from './use-config.ts'

/** As they are called in `core/src/web/search-providers/`. */
const providers = ['brave', 'searxng', 'tavily']

/** Who searches the web. Its key goes in and never comes out. */
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
      ...(typed.key !== '' && { apiKey: typed.key }),
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
      note={losesKey && <p className="settings-note">{t.models.keyStaysBehind}</p>}
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
