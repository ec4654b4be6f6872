import type { Sandbox } from '../agent-state.ts'
import { homedir } from 'node:os'
import { findProgram } from './find-program.ts'
import { createBubblewrap } from './bubblewrap.ts'
import { probeSandbox, runConfined } from './probe.ts'
import type { SandboxFinding } from './sandbox.ts'
import { createSeatbelt } from './seatbelt.ts'
import { systemPlaces, toolPlaces } from './system-places.ts'
import { noSandboxReason } from './why-none.ts'

export interface FindSandboxOptions {
  /** The person's home folder. Default: of who runs this. */
  home?: string
  /** Our own home folder. */
  troupeHome?: string | undefined
  env?: NodeJS.ProcessEnv
}

/**
 * What confines commands on this machine, if anything does. A sandbox counts only when a program that was started in it
 * could neither see nor reach nor change what it must not. Never rejects.
 */
export async function findSandbox(options: FindSandboxOptions = {}): Promise<SandboxFinding> {
  const { platform } = process
  try {
    if (platform === 'linux') return await findBubblewrap(options)
    if (platform === 'darwin') return await findSeatbelt(options)
    return noSandboxReason(platform)
  } catch (error) {
    return noSandboxReason(platform, (error as Error).message)
  }
}

async function findBubblewrap({
  home = homedir(),
  troupeHome,
  env = process.env,
}: FindSandboxOptions): Promise<SandboxFinding> {
  const program = findProgram('bwrap', env)
  if (program === undefined) return noSandboxReason('linux')
  const [help, version] = await Promise.all([runConfined(program, ['--help']), runConfined(program, ['--version'])])
  const { TMPDIR } = env
  const sandbox = createBubblewrap({
    program,
    supports: (option) => help.printed.includes(`${option} `),
    places: systemPlaces({ home, troupeHome, PATH: env['PATH'] ?? '', TMPDIR, execPath: process.execPath }),
    home,
    troupeHome,
    TMPDIR,
  })
  return judge(sandbox, version.printed.trim())
}

async function findSeatbelt({
  home = homedir(),
  troupeHome,
  env = process.env,
}: FindSandboxOptions): Promise<SandboxFinding> {
  const program = '/usr/bin/sandbox-exec'
  const toolFolders = toolPlaces({ home, troupeHome, PATH: env['PATH'] ?? '', execPath: process.execPath })
  return judge(createSeatbelt({ program, home, troupeHome, toolFolders }), 'Seatbelt')
}

async function judge(sandbox: Sandbox, name: string): Promise<SandboxFinding> {
  const complaint = await probeSandbox(sandbox)
  if (complaint !== undefined) return noSandboxReason(process.platform, complaint)
  return { sandbox, text: `${name} confines commands: they change nothing but the workspace and reach no network.` }
}
