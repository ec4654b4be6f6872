import { spawn } from 'node:child_process'

/** Whether somebody sits in front of a screen of this machine. */
export function canOpenBrowser(env: NodeJS.ProcessEnv, platform = process.platform): boolean {
  if (env['CI'] || env['SSH_CONNECTION'] || env['SSH_TTY']) return false
  return platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
}

/** Hands an address to the desktop and does not wait for it. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [program, ...args] = opener(url)
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.once('error', onFailure)
  child.once('exit', (code) => {
    if (code !== 0) onFailure()
  })
  child.unref()
}

function opener(url: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', url]
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}
