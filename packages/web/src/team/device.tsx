import { useState } from 'react'
import '../texts/show-team.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { focusOnMount } from '../ui/focus.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { AccessFailure, AccessField, AccessPage, onSubmit, openApp, useAttempt } from './parts/access-page.tsx'

/** Confirms the sign-in of a program or phone, by the code that it shows. */
export function DevicePage({ code: given }: { code: string }) {
  const { call } = useWorkspace().api
  const { busy, failure, attempt } = useAttempt()
  const [code, setCode] = useState(given)
  const [device, setDevice] = useState<string | null>(null)
  const [answer, setAnswer] = useState<boolean | null>(null)
  const userCode = code.trim().toUpperCase()
  const look = () => attempt(async () => setDevice((await call('POST /ai/device/lookup', { body: { userCode } })).name))
  const decide = (approve: boolean) =>
    attempt(async () => {
      await call('POST /ai/device/answer', { body: { userCode, approve } })
      setAnswer(approve)
    })
  if (answer !== null)
    return (
      <AccessPage title={t.team.device.title}>
        <p>
          <output>{answer ? t.team.device.connected : t.team.device.refused}</output>
        </p>
        <Button onClick={() => openApp()}>{t.team.device.toApp}</Button>
      </AccessPage>
    )
  if (device !== null)
    return (
      <AccessPage title={t.team.device.title}>
        <p>{t.team.device.asks(device)}</p>
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
  return (
    <AccessPage title={t.team.device.title}>
      <p>{t.team.device.about}</p>
      <form className="access-form access-code" onSubmit={onSubmit(look)}>
        <AccessField
          label={t.team.device.code}
          required
          autoComplete="off"
          autoCapitalize="characters"
          ref={focusOnMount}
          value={code}
          onChange={setCode}
        />
        <AccessFailure text={failure} />
        <Button type="submit" kind="primary" disabled={busy}>
          {t.team.device.next}
        </Button>
      </form>
    </AccessPage>
  )
}
