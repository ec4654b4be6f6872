import { useState } from 'react'
import type { ConfigInfo } from '../../api/config-info.ts'
import { t } from '../../texts/t.ts'
import { ConfigForm } from './config-form.tsx'
import type { EditableConfig } from './use-config.ts'

/** Which Chromium agents browse with, and what its pages reach besides the public web. */
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
