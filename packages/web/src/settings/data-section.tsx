import { CircleAlert, CircleCheck, CircleX, Info } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { Finding } from '../api/settings-types.ts'
import { formatSize } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { ServerDataStatus, useServerData } from './section-parts.tsx'

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

const icons: Record<Finding['status'], ReactNode> = {
  ok: <CircleCheck aria-hidden />,
  info: <Info aria-hidden />,
  warn: <CircleAlert aria-hidden />,
  fail: <CircleX aria-hidden />,
}
const order: readonly Finding['status'][] = ['fail', 'warn', 'ok', 'info']

function Doctor() {
  const { api } = useWorkspace()
  const [findings, setFindings] = useState<Finding[] | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const examine = async () => {
    setBusy(true)
    try {
      setFindings((await api.doctor()).findings)
      setFailure(null)
    } catch (error) {
      setFailure(toErrorInfo(error).message)
    } finally {
      setBusy(false)
    }
  }
  const wrong = (findings ?? []).filter(({ status }) => status === 'warn' || status === 'fail').length
  const sorted = (findings ?? []).toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status))
  return (
    <section className="settings-part" data-setting="doctor" aria-label={t.settings.data.doctor}>
      <h3>{t.settings.data.doctor}</h3>
      <p className="settings-note">{t.settings.data.doctorAbout}</p>
      <Button disabled={busy} onClick={() => void examine()}>
        {findings === null ? t.settings.data.examine : t.settings.data.examineAgain}
      </Button>
      <output className={failure === null ? 'settings-outcome' : 'settings-failure'}>
        {busy
          ? t.ui.oneMoment
          : (failure ??
            (findings === null ? '' : wrong === 0 ? t.settings.data.allFine : t.settings.data.wrong(wrong)))}
      </output>
      {findings !== null && (
        <ul className="settings-list settings-findings" aria-label={t.settings.data.findings}>
          {sorted.map(({ status, name, text, fix }, index) => (
            <li key={index} data-status={status}>
              {icons[status]}
              <span className="visually-hidden">{t.settings.data.statuses[status]}: </span>
              <span>
                <b>{translateServerText(name, 'text')}</b> <VisibleText text={translateServerText(text, 'text')} />
                {fix !== undefined && (
                  <>
                    <br />
                    <VisibleText text={`→ ${translateServerText(fix, 'text')}`} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
