import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The checkout: real path, without a trailing slash. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/** Progress goes to stderr: stdout belongs to the program that is set up. */
export function say(line) {
  process.stderr.write(`troupe: ${line}\n`)
}

/** A failure that a person can act on; printed without a stack. */
export class Failure extends Error {}

/** Runs a command and gives its exit code and, unless it is inherited, what it printed. */
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

/** npm as it was started, else the one on PATH. Its output goes to stderr. */
export function npm(args) {
  const options = { stdio: ['ignore', 2, 2], env: { ...process.env, npm_config_update_notifier: 'false' } }
  const own = process.env.npm_execpath
  if (own !== undefined && /npm-cli\.c?js$/.test(own)) return run(process.execPath, [own, ...args], options)
  return run('npm', args, { ...options, shell: process.platform === 'win32' })
}

/**
 * Runs the program that this one stands for: same terminal, same signals, same exit code. A terminal sends Ctrl-C to
 * both, so it is only handed on where there is none.
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

/** npm ends the shell between it and its script, and nobody tells the script. */
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

/** Runs a script's main function; a `Failure` is printed as its message alone. */
export async function main(work) {
  try {
    await work()
  } catch (error) {
    if (error instanceof Failure) say(error.message)
    else console.error(error)
    process.exitCode = 1
  }
}
