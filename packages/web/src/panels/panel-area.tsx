import { lazy, Suspense, useMemo } from 'react'
import { useStore } from 'zustand'
import { SessionContext } from '../chat/session/session-context.ts'
import { useWorkspace } from '../workspace/workspace.ts'

const PanelStack = lazy(async () => ({ default: (await import('./panel-stack.tsx')).PanelStack }))

export function PanelArea({ sessionId }: { sessionId: string }) {
  const workspace = useWorkspace()
  const store = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const isShown = useStore(store.panels, (state) => state.panels.length > 0 && !state.hidden)
  if (!isShown) return null
  return (
    <SessionContext value={store}>
      <Suspense fallback={null}>
        <PanelStack panels={store.panels} />
      </Suspense>
    </SessionContext>
  )
}
