import { Bot } from 'lucide-react'
import { useSession } from '../chat/session-context.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import './asks-below.css'

/** What agents that work below this session ask. The answer in sight has no card for it, so the way to it stands here. */
export function SubAgentAsks() {
  const { app } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const asks = useApp((state) => state.asks)
  const below = asks.filter((ask) => ask.sessionId === sessionId && ask.agentPath.length > 1)
  const [first] = below
  return (
    <output className="asks-below" aria-live="polite">
      {first !== undefined && (
        <>
          <Bot aria-hidden />
          <span>
            <b>
              <VisibleText text={first.agentPath.at(-1) ?? ''} as="name" />
            </b>{' '}
            {t.inbox.waitsBelow} <VisibleText text={first.title} as="name" />
            {below.length > 1 && t.inbox.andMore(below.length - 1)}
          </span>
          <Button onClick={() => app.setDialog('inbox')}>{t.inbox.answer}</Button>
        </>
      )}
    </output>
  )
}
