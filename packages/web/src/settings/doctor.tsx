import { CircleAlert, CircleCheck, CircleX, Info } from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import type { Finding } from '../api/settings-info.ts'
import { translateServerText } from '../texts/said.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'

const icons: Record<Finding['status'], ReactNode> = {
  ok: <CircleCheck aria-hidden />,
  info: <Info aria-hidden />,
  warn: <CircleAlert aria-hidden />,
  fail: <CircleX aria-hidden />,
}
const order: readonly Finding['status'][] = ['fail', 'warn', 'ok', 'info']

/** What is found on this machine, the worst first, and what helps. */
export function Doctor() {
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
                <b>{name}</b> <VisibleText text={translateServerText(text, 'text')} />
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
