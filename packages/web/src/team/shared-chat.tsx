import { Eye } from 'lucide-react'
import { Tooltip } from 'radix-ui'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { pageAccess } from '../api/page-access.ts'
import { ConnectionBar, ErrorCard } from '../chat/messages/error-card.tsx'
import { MessageList } from '../chat/messages/message-list.tsx'
import { DisclosureContext, SessionContext, useSession } from '../chat/session/session-context.ts'
import { useServerData } from '../settings/section-parts.tsx'
import { useTeam } from '../state/team.tsx'
import { formatMoment } from '../texts/format.ts'
import '../texts/show-team.ts'
import { t } from '../texts/t.ts'
import { Logo, VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { AccessPage } from './parts/access-page.tsx'
import './shared-chat.css'

/** A chat behind a read-only link, for anyone. A run in it is shown live. */
export function SharedChatPage({ token }: { token: string }) {
  const { call } = useWorkspace().api
  const asked = useServerData(
    useCallback(async () => {
      const found = await call('POST /ai/share', { body: { token } })
      pageAccess.useShare(token, found)
      useTeam.setState({ readOnly: { '*': t.team.shared.badge }, noApproval: { '*': t.team.shared.noApproval } })
      return found
    }, [call, token]),
  )
  if (asked.failure !== null)
    return (
      <AccessPage title={t.team.share.link}>
        <p>{t.team.shared.gone}</p>
        <p>{t.team.shared.ask}</p>
      </AccessPage>
    )
  if (asked.value === null) return null
  return (
    <Tooltip.Provider>
      <SharedChat {...asked.value} />
    </Tooltip.Provider>
  )
}

function SharedChat({ sessionId, title, expiresAt }: { sessionId: string; title: string; expiresAt: number }) {
  const workspace = useWorkspace()
  const store = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const disclosures = useMemo(() => new Map<string, boolean>(), [])
  const [now] = useState(Date.now)
  useEffect(() => {
    void store.open()
    return () => store.close()
  }, [store])
  const shown = title === '' ? t.sessions.untitled : title
  useEffect(() => {
    document.title = `${shown} · Troupe`
  }, [shown])
  return (
    <SessionContext value={store}>
      <DisclosureContext value={disclosures}>
        <main className="shared-chat">
          <header>
            <Logo />
            <h1 dir="auto">
              <VisibleText text={shown} as="name" />
            </h1>
            <p>
              <Eye aria-hidden />
              {t.team.shared.badge} · {t.team.shared.until(formatMoment(expiresAt, now))}
            </p>
          </header>
          <Messages />
          <ConnectionBar />
        </main>
      </DisclosureContext>
    </SessionContext>
  )
}

function Messages() {
  const failure = useSession((state) => state.failure)
  const isEmpty = useSession((state) => state.messages.length === 0 && state.run === null)
  if (!isEmpty) return <MessageList />
  if (failure !== null)
    return (
      <div className="chat-note">
        <ErrorCard error={failure} />
      </div>
    )
  return <div className="chat-note chat-loading">{t.chat.loading}</div>
}
