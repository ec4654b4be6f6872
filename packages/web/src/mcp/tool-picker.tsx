import { useState } from 'react'
import type { McpInfo } from '../api/mcp-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { formatNumber } from '../ui/format.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { pickTool } from './pick-tool.ts'

const manyTools = 12
const shownAtOnce = 200

/** Which of its tools models may use. */
export function ToolPicker({ server, onPick }: { server: McpInfo; onPick: (useTools: string[] | null) => void }) {
  const { name, tools } = server
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const fitting = tools.filter((tool) => `${tool.name} ${tool.description}`.toLowerCase().includes(words))
  return (
    <section className="mcp-tools" aria-label={t.mcp.toolsOf(name)}>
      <header>
        <h3>{t.mcp.tools}</h3>
        {tools.length > manyTools && (
          <input
            type="search"
            aria-label={t.mcp.searchTools}
            placeholder={t.ui.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        <Button kind="quiet" disabled={tools.every(({ enabled }) => enabled)} onClick={() => onPick(null)}>
          {t.mcp.all}
        </Button>
        <Button kind="quiet" disabled={!tools.some(({ enabled }) => enabled)} onClick={() => onPick([])}>
          {t.mcp.noTools}
        </Button>
      </header>
      <ul>
        {fitting.slice(0, shownAtOnce).map((tool) => (
          <li key={tool.name}>
            <label>
              <input
                type="checkbox"
                checked={tool.enabled}
                onChange={(event) => onPick(pickTool(tools, tool.name, event.target.checked))}
              />
              <span>
                <code title={tool.toolName}>
                  <VisibleText text={tool.name} as="name" />
                </code>{' '}
                {tool.readOnlyHint && <span className="mcp-hint">{t.mcp.onlyReads}</span>}
                <span className="mcp-tokens">{t.mcp.tokens(formatNumber(tool.tokens))}</span>{' '}
                <span className="mcp-description">
                  <VisibleText text={tool.description} />
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {fitting.length > shownAtOnce && <p className="settings-note">{t.mcp.moreTools(fitting.length - shownAtOnce)}</p>}
    </section>
  )
}
