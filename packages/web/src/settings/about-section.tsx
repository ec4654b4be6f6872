import { useCallback } from 'react'
import licences from 'virtual:licences'
import { t } from '../texts/t.ts'
import { Logo } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { ServerDataStatus, useServerData } from './section-parts.tsx'

export function AboutSection() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.health(), [api]))
  return (
    <>
      <section className="settings-about" data-setting="version" tabIndex={-1} aria-label={t.settings.about.version}>
        <Logo />
        <div>
          <ServerDataStatus asked={asked} />
          {asked.value !== null && <h3>{t.settings.about.versionText(asked.value.version)}</h3>}
          <p className="settings-note">{t.settings.about.text}</p>
        </div>
      </section>
      <section className="settings-part" data-setting="licences" tabIndex={-1} aria-label={t.settings.about.licences}>
        <h3>{t.settings.about.licences}</h3>
        <p className="settings-note">{t.settings.about.trademarks}</p>
        <dl className="settings-sizes">
          {licences.map(({ name, version, licence }) => (
            <div key={name}>
              <dt>
                {name} <small>{version}</small>
              </dt>
              <dd>{licence}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}
