import { ShieldQuestion } from 'lucide-react'
import { useRef } from 'react'
import type { McpInfo } from '../api/mcp-info.ts'
import { Button } from '../ui/button.tsx'
import { countOf } from '../ui/format.ts'
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
      aria-label="Trust"
      ref={(element) => {
        if (element !== null) shownAt.current ??= performance.now()
      }}
    >
      <p>
        <ShieldQuestion aria-hidden />
        <span>{what === 'tools' ? aboutTools : isLocal ? aboutCommand : aboutAddress}</span>
      </p>
      {what === 'command' && server.error !== null && (
        <p className="mcp-trust-reason">
          <VisibleText text={server.error} />
        </p>
      )}
      {what === 'command' ? (
        <ServerFacts server={server} />
      ) : (
        <ul aria-label="Tools to be trusted">
          {server.tools.map((tool) => (
            <li key={tool.name}>
              <code>
                <VisibleText text={tool.name} as="exact" />
              </code>{' '}
              {tool.readOnlyHint && <span className="mcp-hint">says it only reads</span>}
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
          ? server.tools.length === 1
            ? 'Trust this tool'
            : `Trust these ${countOf(server.tools.length, 'tool')}`
          : isLocal
            ? 'Trust and start it'
            : 'Trust and connect'}
      </Button>
    </section>
  )
}

const aboutCommand =
  'This program would run on your machine with your rights, outside the sandbox. Trust it only if you know what it does.'
const aboutAddress =
  'This address would be told what models put into calls, and its tools and texts would reach models.'
const aboutTools =
  'These are not the tools that you trusted. What a tool is called and says of itself is told to models word for word.'
