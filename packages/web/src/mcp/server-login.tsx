import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import type { McpInfo } from '../api/mcp-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'

type Login =
  | { state: 'none' | 'beginning' | 'logged-in' }
  | { state: 'open'; url: string }
  | { state: 'failed'; text: string }

/** A login goes on at the server's own place, in a page of its own; the address is shown before it is gone to. */
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
            <ExternalLink aria-hidden /> {t.mcp.goOn(new URL(login.url).host)}
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
