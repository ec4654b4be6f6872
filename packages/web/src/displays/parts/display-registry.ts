import type { ComponentType } from 'react'
import { isRecord } from '../../api/read-fields.ts'

interface DisplayFile {
  default: ComponentType<DisplayProps>
  /** True if the display starts expanded. */
  opens?: boolean
  /** True if the call ended unsuccessfully. */
  isBad?: (content: DisplayContent) => boolean
}

// The folder is the registry and file names are kinds: `displays/diff.tsx` renders `{kind: 'diff', …}` of any tool.
const files = import.meta.glob<DisplayFile>('../*.tsx', { eager: true })
const displays = new Map(
  Object.entries(files).map(([path, file]) => [path.replace(/^.*\//, '').replace(/\.tsx$/, ''), file]),
)

export interface FoundDisplay {
  Display: ComponentType<DisplayProps>
  content: DisplayContent
  opens: boolean
  isBad: boolean
}

/** Finds the display for the content's kind. Undefined if the kind is unknown. */
export function findDisplay(content: unknown): FoundDisplay | undefined {
  if (!isRecord(content) || typeof content['kind'] !== 'string') return undefined
  const file = displays.get(content['kind'])
  if (file === undefined) return undefined
  const known = content as DisplayContent
  return {
    Display: file.default,
    content: known,
    opens: file.opens === true,
    isBad: file.isBad?.(known) === true,
  }
}

/** Value of a tool's `display.content`, or of `permission.content` while the call awaits approval. */
export interface DisplayContent {
  kind: string
  [field: string]: unknown
}

/** Props of every display. Content comes from arbitrary tools, so any field may be missing or malformed. */
export interface DisplayProps {
  content: DisplayContent
  /** True if more content will arrive. */
  live?: boolean
}
