import { useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { Decision } from '../api/settings-types.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { EffectMark } from './new-rule-form.tsx'

const kinds = ['command', 'read', 'write', 'url', 'tool'] as const
type Kind = (typeof kinds)[number]

const examples: Record<Kind, string> = {
  // Code, not shown as prose.
  command: 'npm test && git push',
  read: '.env',
  write: 'src/app.ts',
  url: 'https://example.com/docs',
  tool: 'Task {"agent": "explore"}',
}

/** Shows how a tool call would be decided, by which rule and why. Runs nothing. */
export function ExplainCall({ sessionId }: { sessionId: string | undefined }) {
  const { api } = useWorkspace()
  const [kind, setKind] = useState<Kind>('command')
  const [text, setText] = useState('')
  const [answer, setAnswer] = useState<{ decision: Decision } | { failure: string } | null>(null)
  const explain = async () => {
    const call = callFrom(kind, text.trim())
    if (call === undefined) return setAnswer({ failure: t.explain.badCall })
    try {
      const { decisions } = await api.explainCall(call, sessionId)
      const [decision] = decisions
      if (decision !== undefined) setAnswer({ decision })
    } catch (error) {
      setAnswer({ failure: toErrorInfo(error).message })
    }
  }
  return (
    <form
      className="new-rule"
      aria-label={t.explain.title}
      data-setting="explain"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') void explain()
      }}
    >
      <div className="new-rule-row">
        <select
          aria-label={t.explain.kind}
          value={kind}
          onChange={({ target }) => {
            setKind(target.value as Kind)
            setAnswer(null)
          }}
        >
          {kinds.map((one) => (
            <option key={one} value={one}>
              {t.explain.kinds[one]}
            </option>
          ))}
        </select>
        <input
          className="new-rule-text"
          aria-label={t.explain.call}
          placeholder={examples[kind]}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          dir="auto"
          maxLength={20_000}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setAnswer(null)
          }}
        />
        <Button type="submit" disabled={text.trim() === ''}>
          {t.explain.explain}
        </Button>
      </div>
      {answer !== null && 'failure' in answer && (
        <p className="settings-failure" role="alert">
          {answer.failure}
        </p>
      )}
      {answer !== null && 'decision' in answer && <DecisionNote decision={answer.decision} />}
    </form>
  )
}

function DecisionNote({ decision: { decision, reason, rule, commands = [], remember = [] } }: { decision: Decision }) {
  return (
    <output className="explained">
      <p>
        <EffectMark effect={decision} /> <VisibleText text={translateServerText(reason, 'text')} />
      </p>
      <p>
        {rule === null ? (
          t.explain.noRule
        ) : (
          <>
            {t.explain.byRule}{' '}
            <code>
              <VisibleText text={rule} as="exact" />
            </code>
          </>
        )}
      </p>
      {commands.length > 1 && (
        <ul>
          {commands.map(({ text, note }, index) => (
            <li key={index}>
              <code>
                <VisibleText text={text} as="exact" />
              </code>{' '}
              {note !== undefined && <VisibleText text={translateServerText(note, 'text')} />}
            </li>
          ))}
        </ul>
      )}
      {decision === 'ask' && remember.length > 0 && (
        <p>
          {t.explain.wouldAllow}{' '}
          {remember.map((one) => (
            <code key={one}>
              <VisibleText text={one} as="exact" />
            </code>
          ))}
        </p>
      )}
    </output>
  )
}

// Names for the server, not shown.
const tools: Record<Exclude<Kind, 'tool'>, string> = { command: 'Bash', read: 'Read', write: 'Write', url: 'WebFetch' }
const inputs: Record<Exclude<Kind, 'tool'>, (text: string) => object> = {
  command: (command) => ({ command }),
  read: (file_path) => ({ file_path }),
  write: (file_path) => ({ file_path, content: '' }),
  url: (url) => ({ url }),
}

/** Undefined if a tool's input is not JSON. `tool` is written as `Name {"input": …}`. */
export function callFrom(kind: Kind, text: string): { tool: string; input: unknown } | undefined {
  if (kind !== 'tool') return { tool: tools[kind], input: inputs[kind](text) }
  const [, tool = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(text) ?? []
  try {
    return { tool, input: rest === '' ? {} : (JSON.parse(rest) as unknown) }
  } catch {
    return undefined
  }
}
