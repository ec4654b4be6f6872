import type { McpInfo } from '../api/mcp-info.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'

/** How a server is reached, exactly as it is written. */
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
          <dt>{t.mcp.isGiven}</dt>
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
        <dt>{t.mcp.writtenIn}</dt>
        <dd>
          <VisibleText text={file} as="name" />
        </dd>
      </div>
      {title !== null && title !== '' && (
        <div>
          <dt>{t.mcp.callsItself}</dt>
          <dd>
            <VisibleText text={title} />
          </dd>
        </div>
      )}
      {instructions !== null && instructions !== '' && (
        <div>
          <dt>{t.mcp.tellsModels}</dt>
          <dd className="mcp-instructions">
            <VisibleText text={instructions} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** Each on its own, so that nobody takes two for one. */
function WordList({ words }: { words: string[] }) {
  return words.map((word, index) => (
    <span key={index}>
      {index > 0 && ' '}
      <code>{word === '' ? t.mcp.empty : <VisibleText text={word} as="exact" />}</code>
    </span>
  ))
}
