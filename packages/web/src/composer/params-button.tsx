import { modelParams } from '@troupe/protocol'
import { SlidersHorizontal } from 'lucide-react'
import { Popover } from 'radix-ui'
import { lazy, Suspense, useMemo } from 'react'
import { modelName } from '../api/models.ts'
import { t } from '../texts/t.ts'
import { currentParams } from '../workspace/session-choices.ts'
import { useApp, useCurrentModel } from '../workspace/workspace.ts'
import './params-button.css'

const ParamsPanel = lazy(() =>
  import('../models/params-panel.tsx').then(({ ParamsPanel: Panel }) => ({ default: Panel })),
)

export function ParamsButton() {
  const current = useCurrentModel()
  const model = useApp((state) => state.models.find(({ ref }) => ref === current))
  const values = useApp(currentParams)
  const params = useMemo(() => modelParams(model), [model])
  if (model === undefined || params.length === 0) return null
  const set = params.filter(({ name }) => values[name] !== undefined).length
  return (
    <Popover.Root>
      <Popover.Trigger
        className="params-trigger"
        data-set={set > 0 ? '' : undefined}
        aria-label={set > 0 ? t.composer.settingsSet(set) : t.composer.settings}
        title={t.composer.settings}
      >
        <SlidersHorizontal aria-hidden />
        {set > 0 && <span aria-hidden>{set}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="params-popover"
          side="top"
          align="start"
          sideOffset={8}
          collisionPadding={10}
          aria-label={t.composer.settingsOf(modelName(model))}
        >
          <Suspense>
            <ParamsPanel model={model} params={params} />
          </Suspense>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
