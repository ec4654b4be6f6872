import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** Whether somebody sits in front of a screen of this machine. */
export function canOpenBrowser(env: NodeJS.ProcessEnv, platform = process.platform): boolean {
  if (env['CI'] || env['SSH_CONNECTION'] || env['SSH_TTY']) return false
  return platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
}

/**
 * Opens an address in the browser of the desktop. All users of a machine can read command lines, so the opener gets a
 * file that only this user can read and that leads to the address. Resolves when the file is gone: some seconds later,
 * or at the signal.
 */
export async function openBrowser(
  url: string,
  onFailure: () => void,
  {
    env = process.env,
    graceMs = 5000,
    signal,
  }: { env?: NodeJS.ProcessEnv; graceMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-open-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    const file = path.join(folder, 'open.html')
    writeFileSync(file, redirectTo(url), { mode: 0o600, flag: 'wx' })
    const [program, ...args] = opener(pathToFileURL(file).href)
    const child = spawn(program, args, { stdio: 'ignore', detached: true, env })
    child.unref()
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(1))
      child.once('exit', resolve)
    })
    if (code !== 0) onFailure()
    // The opener has only passed the file on; the browser reads it a moment later.
    else await delay(graceMs, undefined, { signal }).catch(() => undefined)
  } finally {
    process.off('exit', remove)
    remove()
  }
}

function redirectTo(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Troupe</title>
<p><a href="${address}">Open Troupe</a></p>
`
}

function opener(target: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', target]
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', target]
  return ['xdg-open', target]
}
