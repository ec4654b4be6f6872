import { lstatSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { findProgram } from '../process/start-process.ts'
import { createBubblewrap } from '../sandbox/bubblewrap.ts'
import { optionsOf } from '../sandbox/find-sandbox.ts'
import { systemPlaces } from '../sandbox/mounts.ts'
import type { Confined, Isolation, PersonNetwork, ProcessUser, ResourceLimits } from '../tool/isolation.ts'
import { type ControlGroups, findControlGroups } from './control-groups.ts'
import { createPersonSandbox, type PersonSandboxOptions, startUnconfined } from './person-sandbox.ts'

export interface IsolatePeopleOptions {
  troupeHome: string
  env: NodeJS.ProcessEnv
  limits: ResourceLimits
  /** All programs of a person together may use this multiple of the limits. */
  runs: number
  /** Folder for files of a start. Only the server may read it. */
  launchFolder: string
  /** Name of this server among others on the machine. */
  name: string
}

/** Creates the isolation of each person on this machine. */
export interface People {
  /** Undefined if memory and processes cannot be limited. */
  readonly groups: ControlGroups | undefined
  of(person: PersonPlace): Isolation
  close(): void
}

export interface PersonPlace {
  person: string
  user?: ProcessUser | undefined
  /** Folder for temporary files. */
  folder: string
  /** The workspace. */
  roots: readonly string[]
  network?: PersonNetwork | undefined
  /** Files that programs see in place of others, by path. */
  files: Readonly<Record<string, string>>
}

/** Everyone's home directory inside the sandbox: an empty folder in memory at each start. */
export const personHome = '/home/member'

/** Returns undefined if bubblewrap or, for root, `setpriv` is missing. */
export async function isolatePeople(options: IsolatePeopleOptions): Promise<People | undefined> {
  const { troupeHome, env, limits, runs, launchFolder, name } = options
  const program = findProgram('bwrap', env)
  const setpriv = findProgram('setpriv', env)
  const isRoot = process.getuid?.() === 0
  if (process.platform !== 'linux' || program === undefined || (isRoot && setpriv === undefined)) return undefined
  const groups = findControlGroups({ name })
  const { TMPDIR } = env
  const system = { home: personHome, troupeHome, PATH: env['PATH'] ?? '', TMPDIR, execPath: process.execPath }
  const bubblewrap = createBubblewrap({
    program,
    supports: await optionsOf(program),
    places: systemPlaces(system, isRoot ? isReachable : undefined),
    home: personHome,
    troupeHome,
    TMPDIR,
  })
  const total = { ...limits, ...multiplied(limits, runs) }
  return {
    groups,
    of({ person, user, folder, roots, files, network }) {
      const own: PersonSandboxOptions = {
        bubblewrap,
        person: user === undefined ? person.replaceAll(/[^\w-]/g, '_') : String(user.uid),
        user,
        setpriv,
        limits,
        total,
        groups,
        network,
        home: personHome,
        folders: [...roots, folder],
        launchFolder,
        files,
        troupeHome,
      }
      const unconfined = (argv: readonly string[]): Confined => startUnconfined(own, argv)
      return { person, user, limits, sandbox: createPersonSandbox(own), unconfined, network, folder }
    },
    close: () => groups?.close(),
  }
}

function multiplied(limits: ResourceLimits, runs: number): Partial<ResourceLimits> {
  const { cpus, memoryMb, processes } = limits
  return { cpus: cpus * runs, memoryMb: memoryMb * runs, processes: processes * runs }
}

/** True if any user can read it. */
export function isReachable(place: string): boolean {
  try {
    const real = realpathSync(place)
    const found = lstatSync(real)
    const wanted = found.isDirectory() ? 0o005 : 0o004
    return (found.mode & wanted) === wanted && isTraversable(path.dirname(real))
  } catch {
    return false
  }
}

/** True if any user can enter the folder. */
export function isTraversable(folder: string): boolean {
  const above = path.dirname(folder)
  return (lstatSync(folder).mode & 0o001) !== 0 && (above === folder || isTraversable(above))
}
