import { useCallback, useState } from 'react'
import { toErrorInfo } from '../../api/api-error.ts'
import type { ConfigInfo, ConfigPatch } from '../../api/config-info.ts'
import { useWorkspace } from '../../workspace.ts'
import { useAsked } from '../use-asked.ts'
import type { Asked } from '../use-asked.ts'

/** What came of the last change of a setting. */
export interface Saved {
  id: string
  failure: string | null
}

export interface KeptConfig {
  asked: Asked<{ path: string; config: ConfigInfo }>
  /** Whether it was saved. */
  save: (id: string, patch: ConfigPatch) => Promise<boolean>
  saved: Saved | null
}

/** The settings of the home, and the way to change them. Models are read anew, since a change may make others of them. */
export function useConfig(): KeptConfig {
  const { api, app } = useWorkspace()
  const asked = useAsked(useCallback(() => api.config(), [api]))
  const [saved, setSaved] = useState<Saved | null>(null)
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
