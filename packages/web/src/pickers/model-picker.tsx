import { ChevronDown, Columns3 } from 'lucide-react'
import { Popover } from 'radix-ui'
import { lazy, Suspense, useRef, useState } from 'react'
import { isDemoModel, modelName } from '../api/models.ts'
import { t } from '../texts/t.ts'
import { useApp, useComparedModels, useCurrentModel, useWorkspace } from '../workspace/workspace.ts'
import './picker-trigger.css'
import './model-picker.css'

const loadMenu = () => import('./model-menu.tsx')
const ModelMenu = lazy(() => loadMenu().then((module) => ({ default: module.ModelMenu })))

/** Selects the model for the next answer, or several to compare. Arrow keys move, Enter selects, typing searches. */
export function ModelPicker() {
  const { app } = useWorkspace()
  const models = useApp((state) => state.models)
  const current = useCurrentModel()
  const compared = useComparedModels().filter((ref) => models.some((model) => model.ref === ref))
  const [open, setOpen] = useState(false)
  const adding = useRef(false)
  const nameOf = (ref: string | undefined) => {
    const model = models.find((one) => one.ref === ref)
    // Facts about a model that was just typed are not loaded yet.
    return model === undefined ? ref?.split('/').slice(1).join('/') : modelName(model)
  }
  const name = compared.length > 1 ? t.columns.shown(compared.length) : nameOf(compared[0] ?? current)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        className="picker-trigger model-trigger"
        // Loads the menu before the click.
        onPointerEnter={() => void loadMenu()}
        onFocus={() => void loadMenu()}
        aria-label={
          compared.length > 1
            ? t.columns.picked(compared.length, compared.map(nameOf).join(', '))
            : t.models.picked(name ?? t.models.none, isDemoModel(current))
        }
        title={compared.length > 1 ? compared.map(nameOf).join(', ') : undefined}
      >
        {compared.length > 1 && <Columns3 aria-hidden />}
        <span className="model-trigger-name">{name ?? t.models.noModel}</span>
        <ChevronDown aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="model-popover"
          side="top"
          align="start"
          sideOffset={8}
          collisionPadding={10}
          aria-label={t.models.choose}
          onCloseAutoFocus={() => {
            // Wait until the trigger has the focus, so that the dialog restores it there.
            if (adding.current) setTimeout(() => app.openSettings('models/key'))
            adding.current = false
          }}
        >
          <Suspense>
            <ModelMenu
              compared={compared}
              onClose={(opensSettings) => {
                adding.current = opensSettings
                setOpen(false)
              }}
            />
          </Suspense>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
