import type { ComponentType } from 'react'
import { isRecord } from '../displays/parts/read-fields.ts'
import type { DisplayContent, DisplayProps } from '../displays/parts/display-props.ts'

interface DisplayFile {
  default: ComponentType<DisplayProps>
  /** Shown without being asked for. */
  opens?: boolean
  /** The call has ended, and what it did has not gone well. */
  isBad?: (content: DisplayContent) => boolean
}

// The folder is the registry, the file name is the kind: `displays/diff.tsx` shows `{kind: 'diff', …}` of any tool.
const files = import.meta.glob<DisplayFile>('../displays/*.tsx', { eager: true })
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
