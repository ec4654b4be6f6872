import { Search } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { type PaletteEntry, useEntries } from './entries.ts'
import './palette-dialog.css'

/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus --
   a list that a search field drives (the combobox pattern of ARIA) has no tag of its own; its keys are those of the field */

export function PaletteDialog() {
  const { app } = useWorkspace()
  const [query, setQuery] = useState('')
  const [marked, setMarked] = useState<string | undefined>(undefined)
  const entries = useEntries(query)
  const active = entries.find(({ id }) => id === marked) ?? entries[0]
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  const optionId = (id: string) => `${listId}-${id}`
  const groups = [...Map.groupBy(entries, ({ group }) => group)]

  const move = (by: number) => {
    const next = entries.at((entries.findIndex(({ id }) => id === active?.id) + by) % entries.length)
    setMarked(next?.id)
    if (next !== undefined) document.getElementById(optionId(next.id))?.scrollIntoView({ block: 'nearest' })
  }
  const take = ({ run, narrowsTo }: PaletteEntry) => {
    if (narrowsTo !== undefined) {
      setQuery(narrowsTo)
      return setMarked(undefined)
    }
    // Close the dialog first, so that the opened view keeps the focus.
    dialog.current?.close()
    app.setDialog(null)
    run()
  }

  return (
    <Dialog
      ref={dialog}
      className="palette"
      title={<span className="visually-hidden">{t.palette.title}</span>}
      onClose={() => {
        if (app.getState().dialog === 'palette') app.setDialog(null)
      }}
    >
      <div className="palette-search">
        <Search aria-hidden />
        <input
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={active === undefined ? undefined : optionId(active.id)}
          aria-label={t.palette.field}
          placeholder={t.palette.field}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setMarked(undefined)
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
            if (step !== undefined && entries.length > 0) {
              event.preventDefault()
              move(step)
            } else if (event.key === 'Enter' && active !== undefined) {
              event.preventDefault()
              take(active)
            }
          }}
        />
      </div>
      <div id={listId} className="palette-list" role="listbox" aria-label={t.palette.title}>
        {groups.map(([group, members]) => (
          <div key={group} role="group" aria-label={t.palette.groups[group]}>
            <div className="palette-group" aria-hidden>
              {t.palette.groups[group]}
            </div>
            {members.map((entry) => (
              <div
                key={entry.id}
                id={optionId(entry.id)}
                role="option"
                aria-selected={entry.id === active?.id}
                className="palette-entry"
                onMouseMove={() => setMarked(entry.id)}
                onClick={() => take(entry)}
              >
                <span>
                  <VisibleText text={entry.title} as="name" />
                </span>
                <small>
                  <VisibleText text={entry.detail} as="name" />
                </small>
              </div>
            ))}
          </div>
        ))}
        {entries.length === 0 && <p className="palette-none">{t.palette.nothing}</p>}
      </div>
    </Dialog>
  )
}
