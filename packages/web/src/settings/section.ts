import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Api } from '../api/api.ts'

/** Something that a person may look for. The element of its section that it is has `data-setting` with its id. */
export interface Setting {
  id: string
  title: string
  /** What else people call it. */
  words?: string
}

/** One file of `sections/`, named by its id, exports one as `section`. */
export interface SettingsSection {
  order: number
  title: () => string
  icon: LucideIcon
  /** What people call it besides its title. */
  words: () => string
  settings: () => Setting[]
  /** Those that only the server knows, asked for when somebody searches. */
  find?: (api: Api) => Promise<Setting[]>
  Component: ComponentType
}
