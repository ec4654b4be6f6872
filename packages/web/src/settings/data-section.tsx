import { useCallback, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { formatSize } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { ServerDataStatus } from './asked-note.tsx'
import { Doctor } from './doctor.tsx'
import { useServerData } from './use-asked.ts'

/** Where everything lies, how much it is, a copy of it, and whether something is wrong. */
export function DataSection() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.data(), [api]))
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ ok: boolean; text: string } | null>(null)
  const { home, places = [], backups = [], free = 0 } = asked.value ?? {}
  const backUp = async () => {
    setBusy(true)
    setOutcome(null)
    try {
      const { backup } = await api.backUp()
      setOutcome({ ok: true, text: t.settings.data.backedUp(backup.path) })
      await asked.again()
    } catch (error) {
      setOutcome({ ok: false, text: toErrorInfo(error).message })
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <section className="settings-part" data-setting="where" tabIndex={-1} aria-label={t.settings.data.where}>
        <h3>{t.settings.data.where}</h3>
        <ServerDataStatus asked={asked} />
        {home !== undefined && (
          <>
            <p className="settings-note">{t.settings.data.home}</p>
            <p className="settings-path">
              <VisibleText text={home} as="exact" />
            </p>
            <dl className="settings-sizes">
              {places.map(({ name, path, files, bytes }) => (
                <div key={name} title={path}>
                  <dt>{t.settings.data.places[name]}</dt>
                  <dd>
                    {formatSize(bytes)} <small>{t.settings.data.files(files)}</small>
                  </dd>
                </div>
              ))}
            </dl>
            <p className="settings-note">{t.settings.data.free(formatSize(free))}</p>
          </>
        )}
      </section>
      <section className="settings-part" data-setting="backup" aria-label={t.settings.data.backup}>
        <h3>{t.settings.data.backup}</h3>
        <p className="settings-note">{t.settings.data.backupAbout}</p>
        <Button kind="primary" disabled={busy} onClick={() => void backUp()}>
          {t.settings.data.backUp}
        </Button>
        <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'}>
          {busy ? t.ui.oneMoment : outcome?.text}
        </output>
        {home !== undefined && backups.length === 0 && <p className="settings-none">{t.settings.data.noBackups}</p>}
        {backups.length > 0 && (
          <ul className="settings-list" aria-label={t.settings.data.backups}>
            {backups.map(({ path, createdAt }) => (
              <li key={path}>
                <p>
                  <Moment time={createdAt} />
                </p>
                <p className="settings-path">
                  <VisibleText text={path} as="name" />
                </p>
              </li>
            ))}
          </ul>
        )}
      </section>
      <Doctor />
    </>
  )
}
