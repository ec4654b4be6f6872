import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { rm, writeFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Isolation } from '@troupe/core'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import path from 'node:path'

export interface RunningBrowser {
  context: BrowserContext
  windows: WindowGuard
  end(): Promise<void>
}

const endMs = 5000

export const viewport = { width: 1280, height: 800 }

/**
 * Chromium's background services and features that bypass the proxy. Only the last such argument counts, so the list is
 * complete.
 */
const disabledFeatures = [
  'AutofillServerCommunication',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

export const launchArguments = [
  // Blocks Chromium's own traffic. Pages use a separate proxy.
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  // Only the proxy resolves host names.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  `--disable-features=${disabledFeatures.join(',')}`,
]

/** Chromium refuses to run its sandbox as root. */
export function hasOwnSandbox(isolation?: Isolation): boolean {
  return process.getuid?.() !== 0 || isolation?.user !== undefined
}

/**
 * In team mode: a script that starts Chromium as the user of the person, since the library takes only the path of a
 * program. `profile` replaces the folder that the library makes, which that user cannot write.
 */
export async function programFor(
  executable: string,
  folder: string,
  isolation: Isolation | undefined,
  profile?: string,
): Promise<{ path: string; remove(): Promise<void> }> {
  if (isolation === undefined) return { path: executable, remove: () => Promise.resolve() }
  const { file, args, release } = isolation.unconfined([executable])
  const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
  const last = profile === undefined ? '' : quote(`--user-data-dir=${profile}`)
  const script = path.join(folder, `start-${randomBytes(6).toString('hex')}`)
  await writeFile(script, `#!/bin/sh\nexec ${[file, ...args].map(quote).join(' ')} "$@" ${last}\n`, { mode: 0o700 })
  return {
    path: script,
    async remove() {
      release()
      await rm(script, { force: true })
    },
  }
}

/** Passes only the variables a program needs, with its own home folder. */
export function environmentIn(folder: string, mark: Record<string, string>): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG, TZ, TMPDIR } = process.env
  return {
    PATH,
    HOME: folder,
    ...(LANG !== undefined && { LANG }),
    ...(TZ !== undefined && { TZ }),
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...mark,
  }
}

export async function browserPid(system: CDPSession): Promise<number | undefined> {
  const { processInfo } = await system.send('SystemInfo.getProcessInfo')
  return processInfo.find(({ type }) => type === 'browser')?.id
}

/** A page that hangs can keep its browser from closing. */
export async function endOrKill(outer: Pick<BrowserContext, 'close'>, pid: number): Promise<void> {
  const closed = outer.close().then(() => true)
  const isClosed = await Promise.race([closed, delay(endMs, false, { ref: false })])
  if (!isClosed) process.kill(pid, 'SIGKILL')
}

export function isStarted(starting: Promise<RunningBrowser>): Promise<boolean> {
  return starting.then(
    () => true,
    () => false,
  )
}

export function launchFailureReason(message: string): string {
  if (/no usable sandbox/i.test(message))
    return 'its sandbox needs user namespaces, which this system does not allow. Allow them for Chromium (see "sandbox" in the browser guide).'
  const missing = /error while loading shared libraries: [^\n]+/.exec(message)?.[0]
  const line = missing ?? (message.split('\n', 1)[0] ?? '').replace(/^browserType\.\w+: /, '')
  return /[.!]$/.test(line) ? line : `${line}.`
}

/** Far above any legitimate browser message. */
const maxMessageBytes = 100_000_000

const spawnChannel = 'child_process'

/**
 * Kills the browser when a message exceeds `most` bytes. Pages control message size (console, errors, sockets), and one
 * longer than the maximum string length would crash this process. `mark` is an argument of the process that `launch`
 * starts, which writes its messages to file descriptor 4.
 */
export async function limitMessages<T extends { close(): Promise<void> }>(
  mark: string,
  launch: () => Promise<T>,
  most = maxMessageBytes,
): Promise<T> {
  const children: ChildProcess[] = []
  const hear = (message: unknown): void => void children.push((message as { process: ChildProcess }).process)
  subscribe(spawnChannel, hear)
  try {
    const launched = await launch()
    const child = children.find(({ spawnargs }) => spawnargs?.some((argument) => argument.includes(mark)))
    if (child !== undefined) {
      killOnOversizedMessage(child, most)
      return launched
    }
    await launched.close()
    throw new Error('its process was not found')
  } finally {
    unsubscribe(spawnChannel, hear)
  }
}

/** Messages end with a zero byte. */
function killOnOversizedMessage(child: ChildProcess, most: number): void {
  let length = 0
  const messages = child.stdio[4] as Readable
  messages.on('data', (bytes: Buffer) => {
    const end = bytes.lastIndexOf(0)
    length = end < 0 ? length + bytes.length : bytes.length - end - 1
    if (length <= most) return
    messages.destroy()
    child.kill('SIGKILL')
  })
}

export interface WindowGuard {
  /** Allows this tab to request documents and reports windows it tries to open. */
  own(page: Page, onRefused: (url: string) => void): Promise<void>
}
