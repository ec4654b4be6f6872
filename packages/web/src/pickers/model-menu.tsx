import { Check, Columns3, Plus, Search } from 'lucide-react'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { groupModels, isDemoModel, type ModelInfo, modelName } from '../api/models.ts'
import { formatCount } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { maxCompared } from '../workspace/compare-actions.ts'
import { useApp, useCurrentModel, useWorkspace } from '../workspace/workspace.ts'

/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus --
   a list that a search field drives (the combobox pattern of ARIA) has no tag of its own; its keys are those of the field */

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

export function ModelChooser({
  models,
  current,
  compared,
  onChoose,
}: {
  models: ModelInfo[]
  current: string | undefined
  /** Selected models, if several can be selected. */
  compared?: readonly string[] | undefined
  onChoose: (ref: string) => void
}) {
  const [search, setSearch] = useState('')
  const groups = useMemo(() => groupModels(models, search), [models, search])
  const flat = groups.flatMap((group) => group.models)
  const [marked, setMarked] = useState(current)
  const active = flat.find(({ ref }) => ref === marked) ?? flat[0]
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  // The popover may have opened before this was loaded.
  useEffect(() => field.current?.focus(), [])
  const optionId = (ref: string) => `${listId}-${ref}`
  const isSelected = (ref: string) => (compared === undefined ? ref === current : compared.includes(ref))
  const isOff = (ref: string) => compared !== undefined && compared.length >= maxCompared && !compared.includes(ref)
  const choose = (ref: string) => void (isOff(ref) || onChoose(ref))

  const move = (by: number) => {
    const index = flat.findIndex(({ ref }) => ref === active?.ref)
    const next = flat[Math.min(Math.max(index + by, 0), flat.length - 1)]
    setMarked(next?.ref)
    if (next !== undefined) document.getElementById(optionId(next.ref))?.scrollIntoView({ block: 'nearest' })
  }

  return (
    <>
      <div className="model-search">
        <Search aria-hidden />
        <input
          ref={field}
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={active === undefined ? undefined : optionId(active.ref)}
          aria-label={t.models.search}
          placeholder={t.models.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key]
            if (step !== undefined) {
              event.preventDefault()
              move(step)
            } else if (event.key === 'Enter' && active !== undefined) {
              event.preventDefault()
              choose(active.ref)
            }
          }}
        />
      </div>
      <div
        id={listId}
        ref={list}
        className="model-list"
        role="listbox"
        aria-label={t.models.list}
        aria-multiselectable={compared !== undefined}
      >
        {groups.map((group) => (
          <div key={group.provider} role="group" aria-label={group.provider}>
            <div className="model-group">{group.provider}</div>
            {group.models.map((model) => (
              <div
                key={model.ref}
                id={optionId(model.ref)}
                role="option"
                aria-selected={isSelected(model.ref)}
                aria-disabled={isOff(model.ref) || undefined}
                title={isOff(model.ref) ? t.columns.most(maxCompared) : undefined}
                className={model.ref === active?.ref ? 'model-option model-active' : 'model-option'}
                onMouseMove={() => setMarked(model.ref)}
                onClick={() => choose(model.ref)}
              >
                <span className="model-name">
                  {modelName(model)}
                  {isSelected(model.ref) && <Check aria-hidden />}
                </span>
                <span className="model-facts">
                  {isDemoModel(model.ref) ? t.models.scripted : model.ref}
                  {model.contextWindow !== undefined &&
                    !isDemoModel(model.ref) &&
                    ` · ${t.models.window(formatCount(model.contextWindow))}`}
                  {model.price !== undefined &&
                    !isDemoModel(model.ref) &&
                    ` · ${t.models.price(model.price.input, model.price.output)}`}
                </span>
                <span className="model-tags">
                  {model.tags.map((tag) => (
                    <span key={tag} className="model-tag">
                      {t.models.tags[tag] ?? tag}
                    </span>
                  ))}
                </span>
              </div>
            ))}
          </div>
        ))}
        {flat.length === 0 && (
          <p className="model-none">{models.length === 0 ? t.models.noProvider : t.models.noResults}</p>
        )}
      </div>
    </>
  )
}
