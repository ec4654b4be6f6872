import { useState } from 'react'
import type { McpInfo } from '../api/mcp-info.ts'
import { Button } from '../ui/button.tsx'
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
    <section className="mcp-tools" aria-label={`Tools of ${name}`}>
      <header>
        <h3>Tools</h3>
        {tools.length > manyTools && (
          <input
            type="search"
            aria-label="Search the tools"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        <Button kind="quiet" disabled={tools.every(({ enabled }) => enabled)} onClick={() => onPick(null)}>
          All
        </Button>
        <Button kind="quiet" disabled={!tools.some(({ enabled }) => enabled)} onClick={() => onPick([])}>
          None
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
                {tool.readOnlyHint && <span className="mcp-hint">says it only reads</span>}
                <span className="mcp-tokens">{tool.tokens.toLocaleString('en')} tokens</span>{' '}
                <span className="mcp-description">
                  <VisibleText text={tool.description} />
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {fitting.length > shownAtOnce && <p className="mcp-note">And {fitting.length - shownAtOnce} more: search.</p>}
    </section>
  )
}
