import type { ReactNode } from 'react'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { SavedNote } from './saved-note.tsx'
import type { SaveResult } from './use-config.ts'

export interface ConfigFormProps {
  /** By which the setting is found and its outcome told. */
  id: string
  title: string
  about: string
  /** There is something to save, and it can be saved. */
  isReady: boolean
  saved: SaveResult | null
  onSave: () => Promise<unknown>
  /** What was entered is checked here and not by the browser. */
  noValidate?: boolean
  /** What is to be said of what was entered. */
  note?: ReactNode
  children: ReactNode
}

/** A setting of several fields that are saved together. */
export function ConfigForm(props: ConfigFormProps) {
  const { id, title, about, isReady, saved, onSave, noValidate, note, children } = props
  return (
    <form
      className="settings-group"
      data-setting={id}
      aria-label={title}
      noValidate={noValidate}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void onSave()
      }}
    >
      <h3>{title}</h3>
      <p className="settings-note">{about}</p>
      {children}
      <div className="settings-row-buttons">
        <Button type="submit" disabled={!isReady}>
          {t.ui.save}
        </Button>
      </div>
      {note}
      <SavedNote id={id} saved={saved} />
    </form>
  )
}
