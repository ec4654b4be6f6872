import { Columns3, Plus } from 'lucide-react'
import { t } from '../texts/t.ts'
import { maxCompared } from '../workspace/compare-actions.ts'
import { useApp, useCurrentModel, useWorkspace } from '../workspace/workspace.ts'
import { ModelChooser } from './model-chooser.tsx'

interface ModelMenuProps {
  /** Models to compare. Empty if only one is selected. */
  compared: readonly string[]
  onClose: (opensSettings: boolean) => void
}

export function ModelMenu({ compared, onClose }: ModelMenuProps) {
  const { app } = useWorkspace()
  const models = useApp((state) => state.models)
  const current = useCurrentModel()
  const isComparing = compared.length > 0
  return (
    <>
      <ModelChooser
        models={models}
        current={current}
        compared={isComparing ? compared : undefined}
        onChoose={(ref) => {
          if (isComparing)
            return app.compareModels(
              compared.includes(ref) ? compared.filter((one) => one !== ref) : [...compared, ref],
            )
          void app.chooseModel(ref)
          onClose(false)
        }}
      />
      {isComparing && <p className="model-note">{t.columns.compareAbout(maxCompared)}</p>}
      {models.length > 1 && (
        <button
          type="button"
          className="model-add"
          aria-pressed={isComparing}
          onClick={(event) => {
            app.compareModels(isComparing || current === undefined ? [] : [current])
            // The next key presses select models.
            event.currentTarget.closest('.model-popover')?.querySelector('input')?.focus()
          }}
        >
          <Columns3 aria-hidden />
          {isComparing ? t.columns.stop : t.columns.compare}
        </button>
      )}
      <button type="button" className="model-add" onClick={() => onClose(true)}>
        <Plus aria-hidden />
        {t.models.add}
      </button>
    </>
  )
}
