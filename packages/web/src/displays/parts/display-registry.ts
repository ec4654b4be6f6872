import type { ComponentType } from 'react'
import { isRecord } from '../../api/read-fields.ts'

interface DisplayFile {
  default: ComponentType<DisplayProps>
  /** Shown without being asked for. */
  opens?: boolean
  /** The call has ended, and what it did has not gone well. */
  isBad?: (content: DisplayContent) => boolean
}

// The folder is the registry, the file name is the kind: `displays/diff.tsx` shows `{kind: 'diff', …}` of any tool.
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

/** How a content is shown by its kind; undefined for everything that has no kind that is known here. */
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

/** What a tool put into `display.content`, or into `permission.content` while its call waits. */
export interface DisplayContent {
  kind: string
  [field: string]: unknown
}

/** What every display gets. Contents come from tools of anybody: a field may be missing or be anything. */
export interface DisplayProps {
  content: DisplayContent
  /** More is coming. */
  live?: boolean
}
