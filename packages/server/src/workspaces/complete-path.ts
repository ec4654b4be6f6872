import path from 'node:path'
import { SlowFolder } from './file-thread.ts'
import type { FolderLanes, FolderStates } from './folder-states.ts'
import type { FolderEntry } from './inspect-folder.ts'
import type { Workspaces } from './open-workspaces.ts'

export interface CompletedPath {
  folder: string | null
  state: 'ok' | 'missing' | 'unreadable' | 'slow' | 'outside'
  entries: FolderEntry[]
  isCut: boolean
}

const maxEntries = 100

/** Completes a typed path: `/home/ann/pro` lists the folders of `/home/ann` that begin with `pro`. */
export async function completePath(
  typed: string,
  options: {
    workspaces: Pick<Workspaces, 'roots' | 'isAllowed'>
    states: Pick<FolderStates, 'check'>
    lanes: Pick<FolderLanes, 'list'>
    personHome: string
  },
): Promise<CompletedPath> {
  const { workspaces, states, lanes, personHome } = options
  const text = typed.replace(/^~(?=$|\/|\\)/, personHome)
  const roots = async (): Promise<CompletedPath> => {
    const found = (await workspaces.roots()).filter((root) => root.toLowerCase().startsWith(text.toLowerCase()))
    const entries = found.map((root) => ({ name: root, path: root, git: false }))
    return { folder: null, state: text === '' || entries.length > 0 ? 'ok' : 'outside', entries, isCut: false }
  }
  if (!path.isAbsolute(text) || text.includes('\0')) return roots()
  const isWhole = /[/\\]$/.test(text) || typed === '~'
  const folder = path.resolve(isWhole ? text : path.dirname(text))
  const prefix = isWhole ? '' : path.basename(text)
  const { state, real } = await states.check(folder)
  const isOutside = real === undefined ? state === 'ok' : !(await workspaces.isAllowed(real))
  if (isOutside) return roots()
  if (state !== 'ok') return { folder, state, entries: [], isCut: false }
  try {
    return { folder, state, ...(await lanes.list({ folder, prefix, most: maxEntries })) }
  } catch (error) {
    return { folder, state: error instanceof SlowFolder ? 'slow' : 'unreadable', entries: [], isCut: false }
  }
}
