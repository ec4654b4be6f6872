import { useEffect, useState } from 'react'
import { modelName } from '../api/models.ts'
import type { ProviderInfo } from '../api/providers.ts'
import { useSession } from '../chat/session/session-context.ts'
import { openComparison } from '../chat/session/session-state.ts'
import { browserStorage } from '../platform/storage.ts'
import { noticeError } from '../state/notices.tsx'
import { useMay, useReadOnly } from '../state/team.tsx'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { currentModel, findSession } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'

interface Blocked {
  text: string
  /** Remedies, most likely first. */
  actions: { label: string; go: () => void }[]
}

/** Null if sending is possible. */
export function useBlocked(): Blocked | null {
  const { api, app, refresh } = useWorkspace()
  const unreachable = useApp((state) => state.access === 'unreachable')
  const noModels = useApp((state) => state.access === 'open' && state.modelsLoaded && state.models.length === 0)
  const modelsFailure = useApp((state) => state.modelsFailure)
  const sessionId = useApp((state) => state.sessionId)
  const readOnly = useReadOnly(sessionId)
  const gone = useMissingModel()
  const isCompared = useSession((state) => state.run === null && openComparison(state.messages) !== undefined)
  const other = useApp((state) => state.models.find(({ ref }) => ref === currentModel(state, browserStorage)))
  const setUp = (provider?: string) => ({
    label: t.composer.setUpModel,
    go: () => app.openSettings(provider === undefined ? 'models' : `models/provider-${provider}`),
  })
  const lookAgain = (go: () => unknown) => [{ label: t.composer.tryAgain, go: () => void go() }]
  if (readOnly !== undefined) return { text: readOnly, actions: [] }
  if (unreachable) return { text: t.composer.serverUnreachable, actions: lookAgain(refresh) }
  if (modelsFailure !== null)
    return { text: t.composer.modelsFailed(modelsFailure), actions: lookAgain(app.refreshModels) }
  if (isCompared) return { text: t.columns.first, actions: [] }
  if (noModels) return { text: t.composer.noModel, actions: [setUp()] }
  if (gone === null) return null
  const { text, provider } = gone
  const instead =
    other === undefined
      ? []
      : [{ label: t.composer.useInstead(modelName(other)), go: () => void app.chooseModel(other.ref) }]
  const on =
    provider?.enabled === false
      ? [{ label: t.composer.switchProviderOn(provider.name), go: () => void switchOn(provider.id) }]
      : []
  return { text, actions: [...on, ...instead, setUp(provider?.id)] }

  async function switchOn(id: string): Promise<void> {
    try {
      await api.changeProvider(id, { enabled: true })
      await app.refreshModels()
    } catch (error) {
      noticeError(error)
    }
  }
}

/** Reports that the session's model is no longer available. Never switches to another model unasked. */
function useMissingModel(): { text: string; provider: ProviderInfo | null } | null {
  const { api } = useWorkspace()
  const mayManage = useMay('manage')
  const model = useApp((state) => {
    const { sessionId, chosenModels, models, modelsLoaded } = state
    const wanted = chosenModels[sessionId] ?? findSession(state, sessionId)?.model ?? null
    return wanted === null || !modelsLoaded || models.some(({ ref }) => ref === wanted) ? null : wanted
  })
  const [provider, setProvider] = useState<ProviderInfo | null>(null)
  useEffect(() => {
    if (model === null || !mayManage) return
    let isOver = false
    api.providers().then(
      ({ providers }) => {
        if (!isOver) setProvider(providers.find(({ id }) => id === model.split('/')[0]) ?? null)
      },
      // A lost connection is reported elsewhere.
      () => undefined,
    )
    return () => {
      isOver = true
      setProvider(null)
    }
  }, [api, model, mayManage])
  if (model === null) return null
  const text = [t.composer.modelUnavailable(model), translateServerText(provider?.problem ?? '', 'text')]
    .filter((part) => part !== '')
    .join(' ')
  return { text, provider }
}

export function BlockedNote({ blocked }: { blocked: Blocked | null }) {
  return (
    <div className="composer-blocked" hidden={blocked === null}>
      <output>{blocked?.text}</output>
      {blocked?.actions.map(({ label, go }, index) => (
        <Button key={label} kind={index === 0 ? 'plain' : 'quiet'} onClick={go}>
          {label}
        </Button>
      ))}
    </div>
  )
}
