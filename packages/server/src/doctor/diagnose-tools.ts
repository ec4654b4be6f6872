import { readdirSync } from 'node:fs'
import path from 'node:path'
import { count } from './count.ts'
import type { Finding } from './finding.ts'

/** Loads tools as a start does: the person's own, and those of the folder if it is trusted. */
export async function toolFindings(home: string, workspace: string, trusted: boolean): Promise<Finding[]> {
  const { getBuiltinTools, loadTools } = await import('@troupe/core')
  const builtin = getBuiltinTools()
  const folders = { own: path.join(home, 'tools'), here: path.join(workspace, '.troupe', 'tools') }
  const loaded = loadTools(trusted ? [folders.own, folders.here] : [folders.own], builtin)
  const from = (folder: string): number => loaded.entries.filter((entry) => path.dirname(entry.path) === folder).length
  const tools: Finding = {
    status: 'ok',
    name: 'tools',
    text: `${builtin.length} built in, ${from(folders.own)} of your own from ${folders.own}, ${from(folders.here)} from this folder`,
  }
  const problems = loaded.problems.map((problem): Finding => ({
    status: 'warn',
    name: 'tool file',
    text: `${problem.path} was not loaded: ${problem.message}`,
    fix: 'correct the file, or move it away',
  }))
  return [tools, ...problems, trustFinding(workspace, trusted, fileCount(folders.here))]
}

function trustFinding(workspace: string, trusted: boolean, files: number): Finding {
  const name = 'workspace'
  if (trusted) return { status: 'ok', name, text: `${workspace} is trusted; "troupe trust --off" takes that back` }
  const text = `${workspace} is not trusted`
  if (files === 0) return { status: 'info', name, text: `${text}; it brings no tools of its own` }
  return {
    status: 'info',
    name,
    text: `${text}: ${count(files, 'tool file')} in its .troupe/tools ${files === 1 ? 'is' : 'are'} not loaded`,
    fix: 'read them, then run "troupe trust" in this folder',
  }
}

function fileCount(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => /\.[jt]s$/.test(name) && !/\.(test|d)\.[jt]s$/.test(name)).length
  } catch {
    // There is none, or it cannot be read.
    return 0
  }
}
