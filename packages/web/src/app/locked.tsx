import type { Me } from '@troupe/protocol'
import { KeyRound } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { pageAccess } from '../api/page-access.ts'
import { readAccessKey } from '../platform/address.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { formatElements } from '../ui/elements.tsx'
import { focusOnMount } from '../ui/focus.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { startTeam } from './start-team.ts'
import './locked.css'

const SignInPage = lazy(() => import('../team/sign-in.tsx').then((loaded) => ({ default: loaded.SignInPage })))

/** Shown when the server rejects the page's credential. A team signs in. */
export function Locked() {
  const { app } = useWorkspace()
  const [me, setMe] = useState<Me | null>(null)
  useEffect(() => {
    const show = (found: Me) => {
      if (found.mode === 'team') pageAccess.useCookie(found)
      if (found.person === null) return setMe(found)
      void startTeam()
      return void app.start(null)
    }
    // A server without this endpoint has no accounts.
    pageAccess.me().then(show, () => setMe({ mode: 'local' } as Me))
  }, [app])
  if (me === null) return null
  if (me.mode !== 'team') return <LockedByKey />
  return (
    <Suspense>
      <SignInPage me={me} />
    </Suspense>
  )
}

/** Only the URL that the server printed unlocks the page. */
function LockedByKey() {
  const { app } = useWorkspace()
  const [pasted, setPasted] = useState('')
  const isRefused = useApp((state) => state.isKeyRefused)
  const key = readAccessKey(pasted)
  return (
    <main className="locked">
      <KeyRound aria-hidden />
      <h1>{t.locked.title}</h1>
      <p>{formatElements(t.locked.text, { command: <code>npm start</code> })}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (key === null) return
          void app.start(key)
        }}
      >
        <input
          aria-label={t.locked.field}
          placeholder="http://127.0.0.1:4880/#k=…"
          ref={focusOnMount}
          autoComplete="off"
          spellCheck={false}
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
        />
        <Button type="submit" kind="primary" disabled={key === null}>
          {t.locked.open}
        </Button>
      </form>
      {isRefused && (
        <p className="locked-refused" role="alert">
          {t.locked.refused}
        </p>
      )}
    </main>
  )
}
