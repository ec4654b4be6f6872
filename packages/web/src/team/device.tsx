import { useState } from 'react'
import '../texts/show-team.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { AccessFailure, AccessPage, CodeForm, openApp, useAttempt } from './parts/access-page.tsx'

/** Confirms the sign-in of a program or phone, by the code that it shows. */
export function DevicePage({ code: given }: { code: string }) {
  const { call } = useWorkspace().api
  const { busy, failure, attempt } = useAttempt()
  const [device, setDevice] = useState<{ name: string; userCode: string } | null>(null)
  const [answer, setAnswer] = useState<boolean | null>(null)
  const look = async (code: string) => {
    const userCode = code.trim().toUpperCase()
    const { name } = await call('POST /ai/device/lookup', { body: { userCode } })
    setDevice({ name, userCode })
  }
  if (answer !== null)
    return (
      <AccessPage title={t.team.device.title}>
        <p>
          <output>{answer ? t.team.device.connected : t.team.device.refused}</output>
        </p>
        <Button onClick={() => openApp()}>{t.team.device.toApp}</Button>
      </AccessPage>
    )
  if (device !== null) {
    const decide = (approve: boolean) =>
      attempt(async () => {
        await call('POST /ai/device/answer', { body: { userCode: device.userCode, approve } })
        setAnswer(approve)
      })
    return (
      <AccessPage title={t.team.device.title}>
        <p>{t.team.device.asks(device.name)}</p>
        <p>{t.team.device.warning}</p>
        <AccessFailure text={failure} />
        <div className="access-buttons">
          <Button disabled={busy} onClick={() => void decide(false)}>
            {t.team.device.refuse}
          </Button>
          <Button kind="primary" disabled={busy} onClick={() => void decide(true)}>
            {t.team.device.connect}
          </Button>
        </div>
      </AccessPage>
    )
  }
  return (
    <AccessPage title={t.team.device.title}>
      <p>{t.team.device.about}</p>
      <CodeForm
        label={t.team.device.code}
        initial={given}
        autoComplete="off"
        autoCapitalize="characters"
        submit={t.team.device.next}
        onSubmit={look}
      />
    </AccessPage>
  )
}
