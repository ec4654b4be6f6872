import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir, release, tmpdir } from 'node:os'
import path from 'node:path'
import { findBash, findProgram, startProcess } from '../process/start-process.ts'
import type { Sandbox } from '../tool/isolation.ts'
import { createBubblewrap } from './bubblewrap.ts'
import { systemPlaces, toolPlaces } from './mounts.ts'
import type { SandboxFinding } from './sandbox.ts'
import { createSeatbelt } from './seatbelt.ts'

export interface FindSandboxOptions {
  /** Home folder of the user. Default: the home of the current user. */
  home?: string
  troupeHome?: string | undefined
  env?: NodeJS.ProcessEnv
}

/**
 * Finds a sandbox for commands on this machine. Accepts it only if a program started inside could not see, reach or
 * change forbidden things. Never rejects.
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
  const [supports, version] = await Promise.all([optionsOf(program), runConfined(program, ['--version'])])
  const { TMPDIR } = env
  const sandbox = createBubblewrap({
    program,
    supports,
    places: systemPlaces({ home, troupeHome, PATH: env['PATH'] ?? '', TMPDIR, execPath: process.execPath }),
    home,
    troupeHome,
    TMPDIR,
  })
  return judge(sandbox, version.printed.trim())
}

/** Resolves to a function that tells if this bubblewrap knows an option. */
export async function optionsOf(program: string): Promise<(option: string) => boolean> {
  const { printed } = await runConfined(program, ['--help'])
  return (option) => printed.includes(`${option} `)
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
  return { sandbox, text: `${name} sandboxes commands: they can only change the open folder and have no network.` }
}

const limitMs = 5000

/** Prints the problem, or nothing if the sandbox holds. */
const script = `
cat "$1/outside" > /dev/null 2>&1 && echo 'files outside the workspace can be read'
(echo x > "$1/new") 2> /dev/null
(echo x > file) 2> /dev/null || echo 'the workspace cannot be written'
mkdir -p .troupe/x 2> /dev/null && echo 'protected places can be written'
(exec 9<> "/dev/tcp/127.0.0.1/$3") 2> /dev/null && echo 'the network can be reached'
case $2 in
  bubblewrap) [ $$ -lt 10 ] ;;
  *) ! kill -0 "$4" 2> /dev/null ;;
esac || echo 'processes outside can be reached'
echo confined
`

/** Starts a program inside that tries to escape. Resolves to the problem, or to undefined. */
export async function probeSandbox(sandbox: Sandbox): Promise<string | undefined> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-probe-')))
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))
    const { port } = server.address() as AddressInfo
    const workspace = path.join(folder, 'workspace')
    mkdirSync(workspace)
    writeFileSync(path.join(folder, 'outside'), '')
    const facts = [folder, sandbox.name, String(port), String(process.pid)]
    const confined = await sandbox.wrap({
      argv: [findBash(), '--noprofile', '--norc', '-c', script, 'bash', ...facts],
      cwd: workspace,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      confinement: 'workspace',
      roots: [workspace],
    })
    try {
      const { printed, complaints } = await runConfined(confined.file, confined.args, confined)
      if (existsSync(path.join(folder, 'new'))) return 'files outside the workspace can be written'
      if (printed.trim() === 'confined') return undefined
      return printed.replace(/confined\n$/, '').trim() || complaints.trim() || 'it ended without output'
    } finally {
      confined.release()
    }
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a program to completion. If it cannot start, the result has a complaint. */
function runConfined(
  file: string,
  args: readonly string[],
  { env = {}, cwd = '/' }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ printed: string; complaints: string }> {
  const options = { env, cwd, timeout: limitMs, killSignal: 'SIGKILL' } as const
  return startProcess(path.basename(file), () =>
    spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }),
  ).then(
    (child) =>
      new Promise((resolve) => {
        let printed = ''
        let complaints = ''
        child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
        child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
        child.once('close', () => resolve({ printed, complaints }))
      }),
    (error: unknown) => ({ printed: '', complaints: (error as Error).message }),
  )
}

export function noSandboxReason(platform: NodeJS.Platform, complaint?: string): SandboxFinding {
  if (platform === 'win32')
    return noSandbox('Windows has no sandbox for commands', 'run troupe in WSL 2, with bubblewrap installed there')
  if (platform === 'darwin')
    return noSandbox(
      `sandbox-exec does not confine commands here${quotedComplaint(complaint)}`,
      'make sure /usr/bin/sandbox-exec works',
    )
  if (platform !== 'linux') return noSandbox(`there is no sandbox for ${platform}`)
  if (/microsoft/i.test(release()) && !/wsl2|microsoft-standard/i.test(release()))
    return noSandbox('WSL 1 has no namespaces', 'switch to WSL 2: wsl --set-version <name> 2')
  if (complaint === undefined)
    return noSandbox(
      'bubblewrap is not installed',
      'install it: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap',
    )
  if (isRefused(complaint)) return refusedByKernel(complaint)
  return noSandbox(`bubblewrap does not confine commands here${quotedComplaint(complaint)}`)
}

function isRefused(complaint: string): boolean {
  return /permission|not permitted|No space left|namespace/i.test(complaint)
}

/** The kernel, or a layer in front of it, forbids creating namespaces. */
function refusedByKernel(complaint: string): SandboxFinding {
  const may = 'the system does not allow bubblewrap to create user namespaces'
  if (readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === 1)
    return noSandbox(
      `${may} (AppArmor restricts them, as on Ubuntu 24.04)`,
      'give bwrap an AppArmor profile with "userns,", or: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0',
    )
  if (readNumber('/proc/sys/kernel/unprivileged_userns_clone') === 0)
    return noSandbox(`${may} (kernel.unprivileged_userns_clone is 0)`, 'sudo sysctl kernel.unprivileged_userns_clone=1')
  if (readNumber('/proc/sys/user/max_user_namespaces') === 0)
    return noSandbox(`${may} (user.max_user_namespaces is 0)`, 'sudo sysctl user.max_user_namespaces=15000')
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv'))
    return noSandbox(
      'this container is not allowed to create namespaces',
      'the container already confines commands; to sandbox them inside it, start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined',
    )
  return noSandbox(`${may}${quotedComplaint(complaint)}`)
}

function noSandbox(why: string, fix?: string): SandboxFinding {
  const text = `Commands run without a sandbox: ${why}. More of them need approval.`
  return fix === undefined ? { text } : { text, fix }
}

function quotedComplaint(complaint: string | undefined): string {
  const line = complaint?.trim().split('\n').at(-1)
  return line === undefined || line === '' ? '' : ` (${line.slice(0, 200)})`
}

function readNumber(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'latin1'))
  } catch {
    return undefined
  }
}
