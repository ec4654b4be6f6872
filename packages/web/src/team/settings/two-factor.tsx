import { useState } from 'react'
import { encode } from 'uqr'
import { SettingRow } from '../../settings/section-parts.tsx'
import { useTeam } from '../../state/team.tsx'
import { t } from '../../texts/t.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { expectFocus, focusOnMount } from '../../ui/focus.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { AccessFailure, onSubmit, useAttempt } from '../parts/access-page.tsx'
import '../parts/parts.css'
import { refreshPerson } from '../parts/person.ts'

type Step =
  | { at: 'start' }
  | { at: 'password'; wants: 'set-up' | 'remove' | 'codes' }
  | { at: 'scan'; uri: string; backupCodes: string[] }
  | { at: 'codes'; backupCodes: string[] }

/** Sets up the authenticator app: password, QR code, first code, backup codes. */
export function TwoFactor() {
  const { call } = useWorkspace().api
  const { hasPassword, secondFactor } = useTeam((state) => state.page!.person)
  const [step, setStep] = useState<Step>({ at: 'start' })
  const start = () => {
    // The form that had the focus goes.
    expectFocus(() => document.querySelector('[data-setting=totp] button'))
    setStep({ at: 'start' })
  }

  const proceed = async (wants: 'set-up' | 'remove' | 'codes', password: string) => {
    if (wants === 'set-up') setStep({ at: 'scan', ...(await call('POST /ai/account/totp', { body: { password } })) })
    else if (wants === 'codes')
      setStep({ at: 'codes', ...(await call('POST /ai/account/backup-codes', { body: { password } })) })
    else {
      await call('POST /ai/account/totp/remove', { body: { password } })
      await refreshPerson()
      start()
    }
  }
  const about = !hasPassword
    ? t.team.account.totpNoPassword
    : secondFactor
      ? t.team.account.totpOn
      : t.team.account.totpOff
  const ask = (wants: 'set-up' | 'remove' | 'codes', label: string) => (
    <Button onClick={() => setStep({ at: 'password', wants })}>{label}</Button>
  )
  return (
    <SettingRow id="totp" title={t.team.account.totp} about={about}>
      {step.at === 'start' && hasPassword && (
        <div className="settings-row-buttons">
          {secondFactor ? ask('codes', t.team.account.newCodes) : ask('set-up', t.team.account.setUp)}
          {secondFactor && ask('remove', t.team.account.remove)}
        </div>
      )}
      {step.at === 'password' && <PasswordForm onCancel={start} onGo={(password) => proceed(step.wants, password)} />}
      {step.at === 'scan' && (
        <Scan
          uri={step.uri}
          onCancel={start}
          onConfirmed={async () => {
            await refreshPerson()
            setStep({ at: 'codes', backupCodes: step.backupCodes })
          }}
        />
      )}
      {step.at === 'codes' && <BackupCodes codes={step.backupCodes} onDone={start} />}
    </SettingRow>
  )
}

function PasswordForm({ onGo, onCancel }: { onGo: (password: string) => Promise<void>; onCancel: () => void }) {
  const { busy, failure, attempt } = useAttempt()
  const [password, setPassword] = useState('')
  const go = () => attempt(() => onGo(password), { WrongPassword: t.team.account.wrongPassword })
  return (
    <form className="team-form team-wide" onSubmit={onSubmit(go)}>
      <div className="settings-fields">
        <label>
          {t.team.account.confirmPassword}
          <input
            type="password"
            required
            autoComplete="current-password"
            ref={focusOnMount}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </label>
      </div>
      <AccessFailure text={failure} />
      <div className="settings-row-buttons">
        <Button type="submit" kind="primary" disabled={busy}>
          {t.team.account.go}
        </Button>
        <Button onClick={onCancel}>{t.ui.cancel}</Button>
      </div>
    </form>
  )
}

interface ScanProps {
  uri: string
  onConfirmed: () => Promise<void>
  onCancel: () => void
}

function Scan({ uri, onConfirmed, onCancel }: ScanProps) {
  const { call } = useWorkspace().api
  const { busy, failure, attempt } = useAttempt()
  const [code, setCode] = useState('')
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const confirm = () =>
    attempt(
      async () => {
        await call('POST /ai/account/totp/confirm', { body: { code: code.replaceAll(/\s/g, '') } })
        await onConfirmed()
      },
      { WrongCode: t.team.signIn.codeFailed },
    )
  return (
    <form className="team-form team-wide" onSubmit={onSubmit(confirm)}>
      <p className="settings-note">{t.team.account.scan}</p>
      <QrCode text={uri} label={t.team.account.qr} />
      <p className="settings-note">
        {t.team.account.secret} <code>{secret}</code> <CopyButton text={secret} label={t.team.account.copySecret} />
      </p>
      <div className="settings-fields">
        <label>
          {t.team.account.enterCode}
          <input
            required
            inputMode="numeric"
            autoComplete="one-time-code"
            ref={focusOnMount}
            value={code}
            onChange={({ target }) => setCode(target.value)}
          />
        </label>
      </div>
      <AccessFailure text={failure} />
      <div className="settings-row-buttons">
        <Button type="submit" kind="primary" disabled={busy}>
          {t.team.account.confirm}
        </Button>
        <Button onClick={onCancel}>{t.ui.cancel}</Button>
      </div>
    </form>
  )
}

function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <div className="team-once team-wide" aria-live="polite">
      <p>
        <strong>{t.team.account.codes}</strong> <CopyButton text={codes.join('\n')} label={t.team.account.copyCodes} />
      </p>
      <p>{t.team.account.codesAbout}</p>
      <ul className="team-codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="settings-row-buttons">
        <Button kind="primary" onClick={onDone}>
          {t.team.account.done}
        </Button>
      </div>
    </div>
  )
}

function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border: 2 })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn here, so that no request carries the secret
    <svg className="team-qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path fill="currentColor" d={dots.join('')} />
    </svg>
  )
}
