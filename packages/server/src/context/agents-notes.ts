import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

const names = ['AGENTS.md', 'CLAUDE.md']
const maxCharacters = 32_000

export interface AgentsNote {
  path: string
  text: string
}

/**
 * What people wrote down for agents: the person's own notes, then those of the folders from the repository down to the
 * workspace, nearest last. `AGENTS.md`, else `CLAUDE.md`. A folder that is not trusted says nothing.
 */
export function agentsNotes(options: { home: string; workspace: string; trusted: boolean }): AgentsNote[] {
  const folders = [options.home, ...(options.trusted ? foldersDownTo(options.workspace) : [])]
  return folders.flatMap((folder) => readNote(folder) ?? [])
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

function readNote(folder: string): AgentsNote | undefined {
  for (const name of names) {
    const file = path.join(folder, name)
    try {
      if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue
      const text = readFileSync(file, 'utf8').trim()
      if (text === '') continue
      return {
        path: file,
        text: text.length > maxCharacters ? `${text.slice(0, maxCharacters)}\n[cut; Read it for the rest]` : text,
      }
    } catch {
      // Notes that cannot be read are none.
    }
  }
  return undefined
}
