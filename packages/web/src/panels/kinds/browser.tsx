import { ExternalLink, Globe, RotateCw } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { textIn, webAddress } from '../../api/read-fields.ts'
import { toErrorInfo } from '../../api/request.ts'
import type { ReadablePage } from '../../api/session-types.ts'
import { Markdown } from '../../content/markdown.tsx'
import { isLocalAddress } from '../../page-tools/actions.ts'
import type { PanelProps } from '../../state/panels-state.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import { t } from '../../texts/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import './browser.css'

export { Globe as Icon }

/** Web page (`url`) as readable text with a link. The page itself is never embedded. */
export default function BrowserPanel({ panel }: PanelProps) {
  const address = webAddress(panel.data['url'])
  const url = address?.href
  const { page, problem, read } = useReadable(url)
  if (address === undefined || url === undefined)
    return <p className="side-panel-none">{t.panels.noAddress(textIn(panel.data['url']) ?? '')}</p>
  return (
    <>
      <header className="side-panel-head">
        <a
          className="side-panel-head-main browser-address"
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          <VisibleText text={url} as="name" />
        </a>
        <IconButton label={t.panels.reload} onClick={() => void read({ again: true, here: isLocalAddress(url) })}>
          <RotateCw />
        </IconButton>
        <a
          className="icon-button"
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          aria-label={t.panels.openInTab}
        >
          <ExternalLink aria-hidden />
        </a>
      </header>
      {page === undefined ? (
        <div className="side-panel-none">
          <p>{waiting()}</p>
          {(problem !== undefined || isLocalAddress(url)) && (
            <p className="browser-ways">
              <a className="button button-primary" href={url} target="_blank" rel="noopener noreferrer nofollow">
                <ExternalLink aria-hidden />
                {t.panels.openInTab}
              </a>
              {isLocalAddress(url) && (
                <Button onClick={() => void read({ again: true, here: true })}>{t.panels.readHere}</Button>
              )}
            </p>
          )}
        </div>
      ) : (
        <Article page={page} />
      )}
    </>
  )

  function waiting() {
    if (problem !== undefined) return <VisibleText text={problem} />
    return url !== undefined && isLocalAddress(url) ? t.panels.onThisComputer : t.panels.loading
  }
}

function Article({ page }: { page: ReadablePage }) {
  return (
    <article className="side-panel-body browser-page" tabIndex={0} aria-label={page.title || page.url}>
      <p className="browser-note">{page.status >= 400 ? t.panels.answered(page.status) : t.panels.reader}</p>
      {page.title !== '' && (
        <h2>
          <VisibleText text={page.title} />
        </h2>
      )}
      {page.note !== undefined && (
        <p className="browser-note">
          <VisibleText text={translateServerText(page.note, 'text')} />
        </p>
      )}
      {page.isMarkdown ? (
        <Markdown text={page.text} done />
      ) : (
        <pre>
          <VisibleText text={page.text} />
        </pre>
      )}
    </article>
  )
}

/** Reads pages on this machine only at the user's request, all others at once. */
function useReadable(url: string | undefined) {
  const { reader } = useWorkspace().pageTools
  const [shown, setShown] = useState<{ url: string; page?: ReadablePage; problem?: string }>()
  const load = useCallback(
    (from: string, options?: { again?: boolean; here?: boolean }) =>
      reader.read(from, options).then(
        (page) => setShown({ url: from, page }),
        (error: unknown) => setShown({ url: from, problem: toErrorInfo(error).message }),
      ),
    [reader],
  )
  useEffect(() => {
    if (url !== undefined && !isLocalAddress(url)) void load(url)
  }, [load, url])
  const current = shown?.url === url ? shown : undefined
  const read = (options: { again: boolean; here: boolean }) => (url === undefined ? undefined : load(url, options))
  return { page: current?.page, problem: current?.problem, read }
}
