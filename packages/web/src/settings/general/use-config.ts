import { useCallback, useState } from 'react'
import { toErrorInfo } from '../../api/api-error.ts'
import type { ConfigInfo, ConfigPatch } from '../../api/config-info.ts'
import { useWorkspace } from '../../workspace.ts'
import { useServerData } from '../use-asked.ts'
import type { ServerData } from '../use-asked.ts'

/** What came of the last change of a setting. */
export interface SaveResult {
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
