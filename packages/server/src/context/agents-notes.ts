import { statSync } from 'node:fs'
import path from 'node:path'
import { readAgentsNotes, type AgentsNote } from '@troupe/core'

/**
 * What people wrote down for agents: the person's own notes, then those of the folders from the repository down to the
 * workspace, nearest last, each file once. A folder that is not trusted says nothing.
 */
export function agentsNotes(options: {
  home: string
  personHome: string
  workspace: string
  trusted: boolean
}): AgentsNote[] {
  const { home, personHome, workspace, trusted } = options
  const seen = new Set<string>()
  const own = readAgentsNotes(home, { roots: [home], personHome, seen })
  if (!trusted) return own
  const folders = foldersDownTo(workspace)
  const roots = [folders[0] as string]
  return [...own, ...folders.flatMap((folder) => readAgentsNotes(folder, { roots, personHome, seen }))]
}

/** From the folder that holds `.git` down to this one; this one alone where there is none. */
function foldersDownTo(folder: string): string[] {
  const folders: string[] = []
  for (let each = folder; ; each = path.dirname(each)) {
    folders.unshift(each)
    if (statSync(path.join(each, '.git'), { throwIfNoEntry: false }) !== undefined) return folders
    if (path.dirname(each) === each) return [folder]
  }
}
