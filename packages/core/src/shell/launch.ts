import { statSync } from 'node:fs'
import path from 'node:path'
import { secretIn } from '@troupe/command-policy'
import type { Confinement, Forbidden, Grant } from '../access/decision.ts'
import { isInside } from '../files/resolve-path.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { ConfinedStart, Sandbox } from '../tool/isolation.ts'
import type { ToolContext } from '../tool/tool.ts'

export interface Launch {
  file: string
  args: string[]
  env: Record<string, string>
  /** Folder to start in. The sandbox changes to the requested folder inside. */
  cwd: string
  confinement: Confinement
  /** Its output stays open as long as any of its processes runs. */
  holdsOutput: boolean
  /** Sentence for the model and the person if a limit has ended it. */
  stopReason?(exitCode: number | null): string | undefined
  /** Call when none of its processes is left. */
  release(): void
}

export interface LaunchPlace {
  cwd: string
  env: Record<string, string>
}

/**
 * Returns the confinement for the processes of a call. In team mode no approval leads out of the sandbox. Throws if they
 * must be confined and cannot be.
 */
export function confinementOf({
  granted,
  state,
}: Pick<ToolContext, 'granted'> & { state: Pick<AgentState, 'sandbox' | 'isolation'> }): Confinement {
  const decided = granted?.confinement ?? 'none'
  const confinement = decided === 'none' && state.isolation !== undefined ? 'workspace' : decided
  if (confinement !== 'none' && state.sandbox === undefined)
    throw new Error('It may only run in a sandbox, and no sandbox is available, so it did not run.')
  return confinement
}

/** In team mode a command that was allowed to leave the sandbox gets the network of its person instead. */
export function usesNetwork({ granted, state }: Pick<ToolContext, 'granted'> & { state: AgentState }): boolean {
  return granted?.confinement === 'none' && state.isolation?.network !== undefined
}

export async function launch(ctx: ToolContext, argv: readonly string[], { cwd, env }: LaunchPlace): Promise<Launch> {
  const confinement = confinementOf(ctx)
  const [file = '', ...args] = argv
  if (confinement === 'none') return { file, args, env, cwd, confinement, holdsOutput: false, release: () => undefined }
  const { state } = ctx
  state.sandbox?.check?.(state.roots)
  const grants = grantsOf(ctx)
  const [secrets, forbidden, own] = await Promise.all([
    secretsOf(state, grants),
    forbiddenOf(ctx, grants),
    confinement === 'workspace' ? ownPlaces(state) : {},
  ])
  const confined = await (state.sandbox as Sandbox).wrap({
    argv,
    cwd,
    env,
    confinement,
    roots: state.roots,
    readable: state.readable,
    grants,
    fixed: forbidden.write,
    secrets: [...secrets, ...forbidden.read],
    ...own,
    ...(usesNetwork(ctx) && { network: 'proxy' as const }),
  })
  return { ...confined, confinement }
}

/** In team mode no approval leads outside the workspace. */
function grantsOf({ granted, state }: ToolContext): readonly Grant[] {
  const grants = granted?.grants ?? []
  if (state.isolation === undefined) return grants
  return grants.filter((grant) => state.roots.some((root) => isInside(grant.path, root)))
}

async function ownPlaces(state: AgentState): Promise<Pick<ConfinedStart, 'temporary' | 'gitConfig'>> {
  const { SessionFolder } = await import('./session-folder.ts')
  const { temporary, gitConfig } = SessionFolder.of(state)
  const [folder, settings] = await Promise.all([temporary, gitConfig]).catch((error: unknown) => {
    // Let the next command retry.
    SessionFolder.forget(state)
    throw error
  })
  return { temporary: folder, gitConfig: settings }
}

/** Awaits the first scan. Later scans run in the background of later commands. */
async function secretsOf(state: AgentState, grants: readonly Grant[]): Promise<string[]> {
  const { SecretFinder } = await import('../sandbox/hidden-files.ts')
  const known = state.resources.get('secrets')
  const finder = known instanceof SecretFinder ? known : new SecretFinder()
  state.resources.set('secrets', finder)
  const undo = path.join(state.outputFolder, '.undo')
  // A path granted for its secrets includes them.
  const folders = readFolders(grants).filter((place) => secretIn(place) === undefined)
  const looks = [
    ...state.roots.map((root) => finder.within(root)),
    ...folders.map((folder) => finder.inGranted(folder)),
  ]
  return [undo, ...(await Promise.all(looks)).flat()]
}

async function forbiddenOf(
  { state, granted }: ToolContext,
  grants: readonly Grant[],
): Promise<Record<'read' | 'write', string[]>> {
  if (granted?.forbidden === undefined) return { read: [], write: [] }
  const { ForbiddenFinder } = await import('../sandbox/hidden-files.ts')
  const known = state.resources.get('forbidden')
  const finder = known instanceof ForbiddenFinder ? known : new ForbiddenFinder()
  state.resources.set('forbidden', finder)
  const folders = [...state.roots, ...state.readable, ...readFolders(grants)]
  const find = async (forbidden: Forbidden | undefined): Promise<string[]> =>
    forbidden === undefined ? [] : finder.within(forbidden, folders)
  const [read, write] = await Promise.all([find(granted.forbidden.read), find(granted.forbidden.write)])
  return { read, write }
}

/** Excludes folders that are only listed. */
function readFolders(grants: readonly Grant[]): string[] {
  return grants
    .filter(({ how }) => how !== 'list')
    .map(({ path: place }) => place)
    .filter(isFolder)
}

function isFolder(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}
