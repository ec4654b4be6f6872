import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { formatCount, formatPercent } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { useApp, useCurrentModel, useWorkspace } from '../workspace/workspace.ts'
import './context-ring.css'
import { useCurrentSession } from './header-state.ts'

export interface ContextFill {
  /** Undefined until known. */
  tokens: number | undefined
  /** Context window of the current model. Undefined if unknown. */
  window: number | undefined
}

/** Share of the window from which the ring warns. The server compacts soon after. */
const nearlyFull = 0.75

/** Share of the context window in use. Opens the breakdown. */
export function ContextRing({ fill }: { fill: ContextFill }) {
  const { app } = useWorkspace()
  const isNew = useApp((state) => state.isNew)
  if (isNew) return null
  const { tokens, window } = fill
  const share = tokens === undefined || window === undefined ? undefined : Math.min(1, tokens / window)
  const percent = contextPercent(fill)
  return (
    <IconButton
      className="context-ring"
      label={ringLabel(fill)}
      aria-haspopup="dialog"
      data-full={share !== undefined && share >= nearlyFull}
      onClick={() => app.setDialog('context')}
    >
      <svg viewBox="0 0 20 20" aria-hidden>
        <circle cx="10" cy="10" r="7.5" />
        {share !== undefined && (
          <circle
            cx="10"
            cy="10"
            r="7.5"
            className="context-ring-fill"
            pathLength="100"
            // A zero-length dash would still be drawn as a dot.
            strokeDasharray={`${Math.max(1, share * 100)} 100`}
          />
        )}
      </svg>
      {percent !== undefined && <span className="context-ring-percent">{percent}</span>}
    </IconButton>
  )
}

/** `34%`. Undefined if the fill or the window is unknown. */
export function contextPercent({ tokens, window }: ContextFill): string | undefined {
  return tokens === undefined || window === undefined ? undefined : formatPercent(Math.min(tokens, window), window)
}

function ringLabel(fill: ContextFill): string {
  const { tokens, window } = fill
  const percent = contextPercent(fill)
  if (percent !== undefined && window !== undefined) return t.context.ring(percent, formatCount(window))
  if (tokens === undefined) return t.context.title
  return t.context.ringUnknown(formatCount(tokens))
}

/** An estimate by the server is read only if the chat stays open for this long. */
const estimateAfterMs = 1000

/**
 * The provider counts the tokens of each answer. After an import or a summary there is no count, so the server
 * estimates them.
 */
export function useContextFill(): ContextFill {
  const { api } = useWorkspace()
  const store = useCurrentSession()
  const model = useCurrentModel()
  const window = useApp((state) => state.models.find(({ ref }) => ref === model)?.contextWindow)
  const isRunning = useStore(store, (state) => state.run !== null)
  const live = useStore(store, (state) => state.run?.contextTokens)
  const last = useStore(store, (state) => state.messages.findLast(({ role }) => role === 'assistant'))
  const [estimate, setEstimate] = useState<{ id: string; tokens: number }>()
  const counted = live ?? last?.metadata?.contextTokens
  const missing = counted === undefined && !isRunning ? last?.id : undefined
  const { sessionId } = store.getState()
  useEffect(() => {
    if (missing === undefined) return
    let isLate = false
    const timer = setTimeout(() => {
      api.context(sessionId, missing, 'none').then(
        ({ total }) => isLate || setEstimate({ id: missing, tokens: total.tokens }),
        // The ring stays neutral. The dialog reports errors.
        () => undefined,
      )
    }, estimateAfterMs)
    return () => {
      isLate = true
      clearTimeout(timer)
    }
  }, [api, sessionId, missing])
  return { tokens: counted ?? (estimate?.id === last?.id ? estimate?.tokens : undefined), window }
}
