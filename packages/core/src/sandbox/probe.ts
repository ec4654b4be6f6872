import type { Sandbox } from '../agent-state.ts'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startProcess } from '../start-process.ts'
import { findBash } from '../shell/find-bash.ts'

const limitMs = 5000

/** Says what is wrong; nothing when the sandbox holds. */
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

/** Starts a program inside and has it try to get out. Resolves to what is wrong, or to nothing. */
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
    const confined = sandbox.wrap({
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
      return printed.replace(/confined\n$/, '').trim() || complaints.trim() || 'it ended without a word'
    } finally {
      confined.release()
    }
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a program to its end. What cannot be started has a complaint. */
export function runConfined(
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
