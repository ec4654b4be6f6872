import { statSync } from 'node:fs'
import path from 'node:path'
import type { AgentState } from '../agent-state.ts'
import type { Confinement, Grant } from '../permission/decision.ts'
import { secretIn } from '../permission/place-names.ts'
import type { ConfinedStart, Sandbox } from '../sandbox/sandbox.ts'
import type { ToolContext } from '../tool.ts'

/** A program, ready to be started: as it is, or inside the sandbox. */
export interface Launch {
  file: string
  args: string[]
  env: Record<string, string>
  /** Where it is started; inside the sandbox it finds itself where it was asked to be. */
  cwd: string
  confinement: Confinement
  /** Its output stays open as long as anything of it runs. */
  holdsOutput: boolean
  /** To be called when nothing of it runs any more. */
  release(): void
}

export interface LaunchPlace {
  cwd: string
  env: Record<string, string>
}

/** How the processes of a call are confined. Throws where they should be and cannot. */
export function confinementOf({ granted, state }: Pick<ToolContext, 'granted' | 'state'>): Confinement {
  const confinement = granted?.confinement ?? 'none'
  if (confinement !== 'none' && state.sandbox === undefined)
    throw new Error('It may run only inside a sandbox, and there is none in this session, so it was not run.')
  return confinement
}

/** Makes a program ready in the way that the permission of its call says. */
export async function launch(ctx: ToolContext, argv: readonly string[], { cwd, env }: LaunchPlace): Promise<Launch> {
  const confinement = confinementOf(ctx)
  const [file = '', ...args] = argv
  if (confinement === 'none') return { file, args, env, cwd, confinement, holdsOutput: false, release: () => undefined }
  const { state, granted } = ctx
  state.sandbox?.check?.(state.roots)
  const [secrets, own] = await Promise.all([
    secretsOf(state, granted?.grants ?? []),
    confinement === 'workspace' ? ownPlaces(state) : {},
  ])
  const confined = (state.sandbox as Sandbox).wrap({
    argv,
    cwd,
    env,
    confinement,
    roots: state.roots,
    readable: state.readable,
    grants: granted?.grants ?? [],
    secrets,
    ...own,
  })
  return { ...confined, confinement }
}

async function ownPlaces(state: AgentState): Promise<Pick<ConfinedStart, 'temporary' | 'gitConfig'>> {
  const { SessionFolder } = await import('./session-folder.ts')
  const { temporary, gitConfig } = SessionFolder.of(state)
  const [folder, settings] = await Promise.all([temporary, gitConfig]).catch((error: unknown) => {
    // The next command tries anew.
    SessionFolder.forget(state)
    throw error
  })
  return { temporary: folder, ...(settings !== undefined && { gitConfig: settings }) }
}

/** Looked for once, then again beside the commands that come. */
async function secretsOf(state: AgentState, grants: readonly Grant[]): Promise<string[]> {
  const { SecretFinder } = await import('../sandbox/secret-finder.ts')
  const known = state.kept.get('secrets')
  const finder = known instanceof SecretFinder ? known : new SecretFinder()
  state.kept.set('secrets', finder)
  const undo = path.join(state.outputFolder, '.undo')
  // What is only listed is not read, and a place that was granted for its secrets is granted with them.
  const read = grants.filter(({ how, path: place }) => how !== 'list' && secretIn(place) === undefined)
  const looks = [
    ...state.roots.map((root) => finder.within(root)),
    ...read.map(({ path: place }) => (isFolder(place) ? finder.inGranted(place) : [])),
  ]
  return [undo, ...(await Promise.all(looks)).flat()]
}

function isFolder(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}
