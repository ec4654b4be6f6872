import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Real path of the checkout, without a trailing slash. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/** Progress goes to stderr: stdout belongs to the program being started. */
export function say(line) {
  process.stderr.write(`troupe: ${line}\n`)
}

/** A failure the user can act on. Printed without a stack. */
export class Failure extends Error {}

/** Runs a command and returns its exit code and, unless inherited, its output. */
export function run(command, args, { cwd = root, env = process.env, stdio = 'pipe', timeoutMs, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      shell,
      stdio: stdio === 'pipe' ? ['ignore', 'pipe', 'pipe'] : stdio,
    })
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => (output += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (output += text))
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code: code ?? 1, signal, output })
    })
  })
}

/** Runs the npm that started this script, else the one on PATH. Unless piped, its output goes to stderr. */
export function npm(args, { stdio = ['ignore', 2, 2] } = {}) {
  const options = { stdio, env: { ...process.env, npm_config_update_notifier: 'false' } }
  const own = process.env.npm_execpath
  if (own !== undefined && /npm-cli\.c?js$/.test(own)) return run(process.execPath, [own, ...args], options)
  return run('npm', args, { ...options, shell: process.platform === 'win32' })
}

/**
 * Runs a program in place of this one: same terminal, signals and exit code. A terminal sends Ctrl-C to both, so it is
 * forwarded only without a terminal.
 */
export async function become(command, args, { env = process.env, cwd = process.cwd() } = {}) {
  const child = spawn(command, args, { cwd, env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  endWithParent(() => child.kill('SIGTERM'))
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (...how) => resolve(how))
  })
  if (signal === null) process.exit(code)
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)
  process.kill(process.pid, signal)
}

/** npm kills the shell between itself and its script, but the script gets no signal. */
function endWithParent(end) {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    end()
  }, 500)
  timer.unref()
}

/** Runs a script's main function. A `Failure` prints only its message. */
export async function main(work) {
  try {
    await work()
  } catch (error) {
    if (error instanceof Failure) say(error.message)
    else console.error(error)
    process.exitCode = 1
  }
}
