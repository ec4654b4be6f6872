import type { Me } from '@troupe/protocol'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { pageAccess } from '../api/page-access.ts'
import type { TeamLink } from '../platform/address.ts'
import { tabStorage } from '../platform/storage.ts'
import '../texts/show-team.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { AccessPage, openApp } from './parts/access-page.tsx'
import { CreateOwnerPage, JoinPage } from './create-account.tsx'
import { DevicePage } from './device.tsx'
import { SignInPage } from './sign-in.tsx'

const SharedChatPage = lazy(() => import('./shared-chat.tsx').then((loaded) => ({ default: loaded.SharedChatPage })))

/** Page behind a link of team mode. Its value survives a reload of the tab, but never appears in the URL. */
export function LinkPage({ link }: { link: TeamLink }) {
  const [value] = useState(() => keepValue(link))
  const done = () => {
    tabStorage.set(keyOf(link), null)
    openApp()
  }
  switch (link.kind) {
    case 'share':
      return (
        <Suspense>
          <SharedChatPage token={value} />
        </Suspense>
      )
    case 'sign-in-failed':
      return (
        <AccessPage title={t.team.signIn.ssoTitle}>
          <p>{t.team.signIn.ssoReasons[value] ?? t.team.signIn.ssoFailed}</p>
          <Button kind="primary" onClick={done}>
            {t.team.signIn.again}
          </Button>
        </AccessPage>
      )
    case 'setup':
      return <WhoAmI>{() => <CreateOwnerPage token={value} onDone={done} />}</WhoAmI>
    case 'invite':
      return <WhoAmI>{() => <JoinPage token={value} onDone={done} />}</WhoAmI>
    case 'device':
      return (
        <WhoAmI>
          {(me) =>
            me.person === null ? <SignInPage me={me} onDone={() => openApp('#device')} /> : <DevicePage code={value} />
          }
        </WhoAmI>
      )
  }
}

/** Asks the server who is signed in, if anybody, before it shows the page. */
function WhoAmI({ children }: { children: (me: Me) => ReactNode }) {
  const [me, setMe] = useState<Me | 'failed' | null>(null)
  useEffect(() => {
    pageAccess.me().then(
      (found) => {
        // The single user has no such links.
        if (found.mode !== 'team') return openApp()
        pageAccess.useCookie(found)
        setMe(found)
      },
      () => setMe('failed'),
    )
  }, [])
  if (me === null) return null
  if (me !== 'failed') return children(me)
  return (
    <AccessPage title={t.locked.serverUnreachable}>
      <Button kind="primary" onClick={() => window.location.reload()}>
        {t.locked.tryAgain}
      </Button>
    </AccessPage>
  )
}

const keyOf = ({ kind }: TeamLink): string => `troupe.link.${kind}`

function keepValue(link: TeamLink): string {
  if (link.value !== '') tabStorage.set(keyOf(link), link.value)
  return link.value === '' ? (tabStorage.get(keyOf(link)) ?? '') : link.value
}
