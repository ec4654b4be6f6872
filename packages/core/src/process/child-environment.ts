import path from 'node:path'

/** Everything of our own environment that a command may see. Keys, tokens and options of our process are not in it. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'SHELL']

/** The clean environment of a command, before what the agent exported. */
export function childEnvironment(own: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const env: Record<string, string> = { TERM: 'dumb', ...unattended }
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && (passedOn.includes(name) || name.startsWith('LC_'))) env[name] = value
  }
  env['PATH'] = absolutePath(own['PATH']) || '/usr/local/bin:/usr/bin:/bin'
  return env
}

/** Nobody is there to turn pages, and looking at a repository takes no locks that would be in somebody's way. */
const unattended = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_OPTIONAL_LOCKS: '0' }

/** A relative folder in it would have programs of the workspace run in place of those that are meant. */
function absolutePath(given = ''): string {
  return given
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .join(path.delimiter)
}

/** Tells programs that there is no network, which would otherwise try for a minute to find one. */
const offline = {
  npm_config_offline: 'true',
  YARN_ENABLE_NETWORK: '0',
  CARGO_NET_OFFLINE: 'true',
  PIP_RETRIES: '0',
  UV_OFFLINE: '1',
  GOPROXY: 'off',
}

/** The same inside the sandbox. */
export function confinedEnvironment(): Record<string, string> {
  return { ...childEnvironment(), ...offline }
}

/** Names that the shell keeps itself, or that would change how the next one starts. */
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

/** The kernel takes no single entry of 128 KiB or more, and no environment and arguments beyond a few MiB together. */
const longestValue = 100_000
const longestTogether = 1_000_000

/** What a command exported beyond the clean environment, and the names of what is too long to be kept. */
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
