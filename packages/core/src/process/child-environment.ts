import path from 'node:path'

/** Variables passed on to commands. Excludes the keys, tokens, and options of our process. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'SHELL']

/** Clean environment of a command, without the agent's exports. */
export function childEnvironment(own: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const env: Record<string, string> = { TERM: 'dumb', ...unattended }
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && (passedOn.includes(name) || name.startsWith('LC_'))) env[name] = value
  }
  env['PATH'] = absolutePath(own['PATH']) || '/usr/local/bin:/usr/bin:/bin'
  return env
}

/** Nobody can page through output, and git reads must not take locks that block others. */
const unattended = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_OPTIONAL_LOCKS: '0' }

/** Drops relative folders, which would let workspace programs shadow system ones. */
function absolutePath(given = ''): string {
  return given
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .join(path.delimiter)
}

/** Tells programs that there is no network. They would otherwise retry for a minute. */
const offline = {
  npm_config_offline: 'true',
  YARN_ENABLE_NETWORK: '0',
  CARGO_NET_OFFLINE: 'true',
  PIP_RETRIES: '0',
  UV_OFFLINE: '1',
  GOPROXY: 'off',
}

export function confinedEnvironment(): Record<string, string> {
  return { ...childEnvironment(), ...offline }
}

/** Variables managed by the shell, or that would change how the next shell starts. */
const notRemembered = new Set([
  'PWD',
  'SHLVL',
  '_',
  'TROUPE_CALL',
  'TROUPE_TASK',
  'BASH_ENV',
  'ENV',
  'SHELLOPTS',
  'BASHOPTS',
  'BASH_XTRACEFD',
])

/**
 * The kernel rejects single entries of 128 KiB or more, and more than a few MiB of environment and arguments in total.
 */
const longestValue = 100_000
const longestTogether = 1_000_000

/** Returns the variables a command exported beyond the clean environment, and the names of those too long to keep. */
export function exportedVariables(
  exported: Record<string, string>,
  clean: Record<string, string>,
): { env: Record<string, string>; dropped: string[] } {
  const env: Record<string, string> = {}
  const dropped: string[] = []
  let left = longestTogether
  for (const [name, value] of Object.entries(exported)) {
    if (notRemembered.has(name) || clean[name] === value) continue
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value)
    if (bytes > longestValue || bytes > left) {
      dropped.push(name)
      continue
    }
    env[name] = value
    left -= bytes
  }
  return { env, dropped }
}
