import { type ReactNode, useCallback, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { ConfigInfo, ConfigPatch } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { type ServerData, useServerData } from './section-parts.tsx'

interface ConfigFormProps {
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

/** What came of the last change of a setting. */
interface SaveResult {
  id: string
  failure: string | null
}

export interface EditableConfig {
  asked: ServerData<{ path: string; config: ConfigInfo }>
  /** Whether it was saved. */
  save: (id: string, patch: ConfigPatch) => Promise<boolean>
  saved: SaveResult | null
}

/** The settings of the home, and the way to change them. Models are read anew, since a change may make others of them. */
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

/** That a setting was saved, or why it was not, beside it. */
export function SavedNote({ id, saved }: { id: string; saved: SaveResult | null }) {
  const isMine = saved?.id === id
  return (
    <output className={isMine && saved.failure !== null ? 'settings-failure' : 'settings-outcome'}>
      {isMine ? (saved.failure ?? t.settings.general.saved) : ''}
    </output>
  )
}
