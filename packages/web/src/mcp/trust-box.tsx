import { ShieldQuestion } from 'lucide-react'
import { useRef } from 'react'
import type { McpInfo } from '../api/mcp-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { ServerFacts } from './server-facts.tsx'

const readingTime = 500

export interface TrustBoxProps {
  server: McpInfo
  what: 'command' | 'tools'
  busy: boolean
  onTrust: () => void
}

/** What the person is about to trust, all of it. Mounted anew when it becomes something else. */
export function TrustBox({ server, what, busy, onTrust }: TrustBoxProps) {
  const shownAt = useRef<number>(undefined)
  const isLocal = server.command !== null
  return (
    <section
      className="mcp-trust"
      aria-label={t.mcp.trust}
      ref={(element) => {
        if (element !== null) shownAt.current ??= performance.now()
      }}
    >
      <p>
        <ShieldQuestion aria-hidden />
        <span>{what === 'tools' ? t.mcp.aboutTools : isLocal ? t.mcp.aboutCommand : t.mcp.aboutAddress}</span>
      </p>
      {what === 'command' && server.error !== null && (
        <p className="mcp-trust-reason">
          <VisibleText text={server.error} />
        </p>
      )}
      {what === 'command' ? (
        <ServerFacts server={server} />
      ) : (
        <ul aria-label={t.mcp.toBeTrusted}>
          {server.tools.map((tool) => (
            <li key={tool.name}>
              <code>
                <VisibleText text={tool.name} as="exact" />
              </code>{' '}
              {tool.readOnlyHint && <span className="mcp-hint">{t.mcp.onlyReads}</span>}
              <p>
                <VisibleText text={tool.description} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <Button
        kind="primary"
        disabled={busy}
        onClick={(event) => {
          // What has just changed under the pointer was not read.
          if (event.detail > 0 && performance.now() - (shownAt.current ?? 0) < readingTime) return
          onTrust()
        }}
      >
        {what === 'tools'
          ? t.mcp.trustTools(server.tools.length)
          : isLocal
            ? t.mcp.trustAndStart
            : t.mcp.trustAndConnect}
      </Button>
    </section>
  )
}
