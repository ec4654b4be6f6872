import { ExternalLink, ShieldQuestion } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { McpInfo } from '../api/settings-types.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

export function ServerFacts({ server }: { server: McpInfo }) {
  const { command, args, cwd, url, env, headers, file, title, instructions } = server
  return (
    <dl className="mcp-facts">
      {command !== null && (
        <div>
          <dt>{t.mcp.command}</dt>
          <dd>
            <WordList words={[command, ...args]} />
          </dd>
        </div>
      )}
      {command !== null && (
        <div>
          <dt>{t.mcp.startsIn}</dt>
          <dd>{cwd === null ? t.mcp.theWorkspace : <WordList words={[cwd]} />}</dd>
        </div>
      )}
      {url !== null && (
        <div>
          <dt>{t.mcp.address}</dt>
          <dd>
            <WordList words={[url]} />
          </dd>
        </div>
      )}
      {env.length > 0 && (
        <div>
          <dt>{t.mcp.environmentNames}</dt>
          <dd>
            <WordList words={env} />
          </dd>
        </div>
      )}
      {headers.length > 0 && (
        <div>
          <dt>{t.mcp.headerNames}</dt>
          <dd>
            <WordList words={headers} />
          </dd>
        </div>
      )}
      <div>
        <dt>{t.mcp.definedIn}</dt>
        <dd>
          <VisibleText text={file} as="name" />
        </dd>
      </div>
      {title !== null && title !== '' && (
        <div>
          <dt>{t.mcp.reportedName}</dt>
          <dd>
            <VisibleText text={title} />
          </dd>
        </div>
      )}
      {instructions !== null && instructions !== '' && (
        <div>
          <dt>{t.mcp.instructions}</dt>
          <dd className="mcp-instructions">
            <VisibleText text={instructions} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** Separates the words visually, so that two never look like one. */
function WordList({ words }: { words: string[] }) {
  return words.map((word, index) => (
    <span key={index}>
      {index > 0 && ' '}
      <code>{word === '' ? t.mcp.empty : <VisibleText text={word} as="exact" />}</code>
    </span>
  ))
}

const readingTime = 500

interface TrustBoxProps {
  server: McpInfo
  what: 'command' | 'tools'
  busy: boolean
  onTrust: () => void
}

/** Shows everything the user is about to trust. Remounts when that changes. */
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
          <VisibleText text={translateServerText(server.error, 'text')} />
        </p>
      )}
      {what === 'command' ? (
        <ServerFacts server={server} />
      ) : (
        <ul aria-label={t.mcp.toolsToTrust}>
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
          // Ignore clicks right after the content changed, because it was not read.
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

type Login =
  | { state: 'none' | 'beginning' | 'logged-in' }
  | { state: 'open'; url: string }
  | { state: 'failed'; text: string }

/** Logs in at the server's own site in a new page. Shows the URL first. */
export function ServerLogin({ server }: { server: McpInfo }) {
  const { api } = useWorkspace()
  const [login, setLogin] = useState<Login>({ state: 'none' })
  if (server.login !== 'needed') return null
  const begin = async () => {
    setLogin({ state: 'beginning' })
    try {
      const { url } = await api.loginToMcp(server.name)
      if (url === null) return setLogin({ state: 'logged-in' })
      if (!/^https?:\/\//i.test(url)) return setLogin({ state: 'failed', text: t.mcp.badLogin(url) })
      setLogin({ state: 'open', url })
    } catch (error) {
      setLogin({ state: 'failed', text: toErrorInfo(error).message })
    }
  }
  return (
    <section className="mcp-login" aria-label={t.mcp.login}>
      {login.state === 'open' ? (
        <p>
          <a href={login.url} target="_blank" rel="noopener noreferrer nofollow">
            <ExternalLink aria-hidden /> {t.mcp.continueLogin(new URL(login.url).host)}
          </a>
        </p>
      ) : (
        <Button kind="primary" disabled={login.state === 'beginning'} onClick={() => void begin()}>
          {t.mcp.logIn}
        </Button>
      )}
      {login.state === 'logged-in' && <p className="settings-note">{t.mcp.loggedIn}</p>}
      {login.state === 'failed' && (
        <p className="settings-failure" role="alert">
          <VisibleText text={login.text} />
        </p>
      )}
    </section>
  )
}

export function ServerLog({ name }: { name: string }) {
  const { api } = useWorkspace()
  const [shown, setShown] = useState<string | null>(null)
  const logId = useId()
  const read = async () => {
    try {
      const { log } = await api.mcpLog(name)
      setShown(log.trim() === '' ? t.mcp.noOutput : log)
    } catch (error) {
      setShown(toErrorInfo(error).message)
    }
  }
  return (
    <section className="mcp-log" aria-label={t.mcp.logOf(name)}>
      <Button
        kind="quiet"
        aria-expanded={shown !== null}
        aria-controls={logId}
        onClick={() => (shown === null ? void read() : setShown(null))}
      >
        {shown === null ? t.mcp.showLog : t.mcp.hideLog}
      </Button>
      {shown !== null && (
        <Button kind="quiet" onClick={() => void read()}>
          {t.mcp.refresh}
        </Button>
      )}
      <div id={logId} hidden={shown === null}>
        {shown !== null && (
          <pre tabIndex={0} aria-label={t.mcp.outputOf(name)}>
            <VisibleText text={shown} />
          </pre>
        )}
      </div>
    </section>
  )
}
