import { type ReactNode, useCallback, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { ConfigInfo, ConfigPatch } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { type ServerData, useServerData } from './section-parts.tsx'

interface ConfigFormProps {
  /** Setting ID, for search and status messages. */
  id: string
  title: string
  about: string
  /** True if there are valid changes to save. */
  isReady: boolean
  saved: SaveResult | null
  onSave: () => Promise<unknown>
  /** Disables browser validation in favor of our own. */
  noValidate?: boolean
  /** More buttons next to the one that saves. */
  buttons?: ReactNode
  note?: ReactNode
  children: ReactNode
}

/** Setting with several fields that are saved together. */
export function ConfigForm(props: ConfigFormProps) {
  const { id, title, about, isReady, saved, onSave, noValidate, buttons, note, children } = props
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
        {buttons}
      </div>
      {note}
      <SavedNote id={id} saved={saved} />
    </form>
  )
}

interface SaveResult {
  id: string
  failure: string | null
}

export interface EditableConfig {
  asked: ServerData<{ path: string; config: ConfigInfo }>
  /** Resolves with true if saved. */
  save: (id: string, patch: ConfigPatch) => Promise<boolean>
  saved: SaveResult | null
}

/** Reads and changes the user's settings. Reloads the models, because a change can affect them. */
export function useConfig(): EditableConfig {
  const { api, app } = useWorkspace()
  const asked = useServerData(useCallback(() => api.config(), [api]))
  const [saved, setSaved] = useState<SaveResult | null>(null)
  const save = async (id: string, patch: ConfigPatch) => {
    try {
      await api.changeConfig(patch)
      await asked.again()
      setSaved({ id, failure: null })
      if (patch.model !== undefined) void app.refreshModels()
      return true
    } catch (error) {
      setSaved({ id, failure: toErrorInfo(error).message })
      return false
    }
  }
  return { asked, save, saved }
}

export function SavedNote({ id, saved }: { id: string; saved: SaveResult | null }) {
  const isMine = saved?.id === id
  return (
    <output className={isMine && saved.failure !== null ? 'settings-failure' : 'settings-outcome'}>
      {isMine ? (saved.failure ?? t.settings.general.saved) : ''}
    </output>
  )
}
