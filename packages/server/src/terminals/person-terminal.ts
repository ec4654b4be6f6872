import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { userInfo } from 'node:os'
import path from 'node:path'
import {
  endCommand,
  isInside,
  type Isolation,
  isolatedStart,
  isProgram,
  makeTemporaryFolder,
  sendSignalTo,
} from '@troupe/core'
import { NamedError, type TerminalInfo } from '@troupe/protocol'
import type { IPty } from '@lydell/node-pty'
import { createHistory, type History } from './history.ts'
import { createOutputFilter } from './output-filter.ts'
import { createQueries } from './queries.ts'

export interface TerminalSize {
  columns: number
  rows: number
}

/** A shell of the person. Agents have no way to it. */
export interface PersonTerminal {
  readonly id: string
  readonly workspaceId: string
  /** The only person who may use it. Null without accounts. */
  readonly ownerId: string | null
  readonly pid: number
  readonly info: TerminalInfo
  readonly history: History
  /** When it last printed, was typed into, or was watched. */
  usedAt: number
  viewers: number
  /** Called after new output and after a change of `info`. */
  readonly listeners: Set<() => void>
  write(text: string): void
  /** Answers a query for the cursor position. */
  position(query: number, row: number, column: number): void
  resize(size: TerminalSize): void
  /** Lets a full-screen program draw again. */
  redraw(): void
  /** Ends the shell and everything in its session, whatever signals they ignore. */
  end(): Promise<void>
  readonly ended: Promise<void>
}

interface TerminalStart extends TerminalSize {
  workspaceId: string
  /** The open folder. */
  root: string
  folder: string
  env: NodeJS.ProcessEnv
  /** In team mode: the person, whose shell runs in their sandbox. */
  ownerId: string | null
  isolation?: Isolation | undefined
  /** Names the terminal among others with the same program. */
  number: number
}

/** Output that is read at full speed. A program that never stops printing is then slowed down, for the others' sake. */
const burstBytes = 192 << 20
const bytesPerSecond = 24 << 20
const nameEveryMs = 500

export async function startPersonTerminal(start: TerminalStart): Promise<PersonTerminal> {
  const { spawn } = await import('@lydell/node-pty')
  const env = personEnvironment(start.env)
  const shell = findShell(start.env)
  env['SHELL'] = shell
  const temporary = start.isolation && (await makeTemporaryFolder('terminal', start.isolation))
  const inside = await isolatedStart(start.isolation, {
    argv: [shell, ...(process.platform === 'darwin' ? ['-l'] : [])],
    cwd: start.folder,
    env,
    confinement: 'workspace',
    roots: [start.root],
    ...(temporary !== undefined && { temporary }),
  })
  const release = (): void => {
    inside.release()
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
  }
  let pty: IPty
  try {
    pty = spawn(inside.file, inside.args, {
      name: 'xterm-256color',
      cols: start.columns,
      rows: start.rows,
      cwd: inside.cwd,
      env: inside.env,
      // Read bytes, so that split characters can be joined here.
      encoding: null,
    })
  } catch (error) {
    release()
    throw new NamedError(
      'TerminalNotStarted',
      'The terminal could not be started. The machine may be out of terminals, files or processes. Close some programs and try again.',
      { status: 503, cause: error },
    )
  }
  const terminal = followTerminal(pty, shell, start)
  void terminal.ended.then(release)
  return terminal
}

function followTerminal(pty: IPty, shell: string, start: TerminalStart): PersonTerminal {
  let isTyped = false
  const queries = createQueries({
    pid: pty.pid,
    isTyped: () => isTyped,
    write: (text) => info.running && pty.write(text),
  })
  const filter = createOutputFilter(queries.ask)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const history = createHistory()
  const ended = Promise.withResolvers<void>()
  const listeners = new Set<() => void>()
  let allowance = burstBytes
  let allowedAt = performance.now()
  let namedAt = 0
  let naming: NodeJS.Timeout | undefined
  let info: TerminalInfo = {
    id: `pt-${randomBytes(8).toString('hex')}`,
    number: start.number,
    program: path.basename(shell),
    folder: path.relative(start.root, start.folder),
    columns: start.columns,
    rows: start.rows,
    startedAt: Date.now(),
    exitCode: null,
    running: true,
  }
  const terminal: PersonTerminal = {
    id: info.id,
    workspaceId: start.workspaceId,
    ownerId: start.ownerId,
    pid: pty.pid,
    get info() {
      return info
    },
    history,
    usedAt: Date.now(),
    viewers: 0,
    listeners,
    write(text) {
      if (!info.running) return
      terminal.usedAt = Date.now()
      isTyped = true
      pty.write(text)
    },
    position: queries.answer,
    resize({ columns, rows }) {
      if (!info.running || (columns === info.columns && rows === info.rows)) return
      pty.resize(columns, rows)
      change({ columns, rows })
    },
    redraw() {
      if (!info.running) return
      // The kernel tells a program only about another size.
      pty.resize(info.columns, info.rows + 1)
      pty.resize(info.columns, info.rows)
    },
    async end() {
      if (info.running) {
        // A shell at its prompt ignores SIGTERM, but saves its history and exits when its terminal closes.
        sendSignalTo(-pty.pid, 'SIGHUP')
        pty.resume()
        await endCommand({ pid: pty.pid })
      }
      await ended.promise
    },
    ended: ended.promise,
  }
  pty.onData((bytes) => {
    const given = bytes as unknown as Uint8Array
    history.add(filter.push(decoder.decode(given, { stream: true })))
    slowDown(given.length)
    terminal.usedAt = Date.now()
    nameLater()
    tell()
  })
  pty.onExit(({ exitCode, signal }) => {
    clearTimeout(naming)
    history.add(filter.push(decoder.decode()))
    // Jobs in the background lose their terminal and end with it.
    endCommand({ pid: pty.pid })
      // A process that cannot be killed is no reason to show a terminal that is gone.
      .catch(() => undefined)
      .finally(() => {
        change({ running: false, exitCode: signal === undefined || signal === 0 ? exitCode : null })
        ended.resolve()
      })
  })
  return terminal

  function change(changed: Partial<TerminalInfo>): void {
    info = { ...info, ...changed }
    tell()
  }

  function tell(): void {
    for (const listener of listeners) listener()
  }

  /** The program in front names the tab. Titles that programs set are dropped. */
  function nameLater(): void {
    if (naming !== undefined) return
    naming = setTimeout(
      () => {
        naming = undefined
        namedAt = performance.now()
        void look()
      },
      Math.max(50, namedAt + nameEveryMs - performance.now()),
    ).unref()
  }

  async function look(): Promise<void> {
    // Only Linux tells where a process is. Elsewhere, paths are relative to the start.
    const at = await readlink(`/proc/${pty.pid}/cwd`).catch(() => undefined)
    if (!info.running) return
    const program = programName(pty.process)
    const folder = at === undefined ? info.folder : isInside(at, start.root) ? path.relative(start.root, at) : null
    if (program !== info.program || folder !== info.folder) change({ program, folder })
  }

  function slowDown(bytes: number): void {
    const now = performance.now()
    allowance = Math.min(burstBytes, allowance + ((now - allowedAt) / 1000) * bytesPerSecond) - bytes
    allowedAt = now
    if (allowance > 0) return
    pty.pause()
    setTimeout(() => pty.resume(), 20 + (-allowance / bytesPerSecond) * 1000)
  }
}

/** A process can rename itself, so its name is text of a stranger. */
function programName(given: string): string {
  const [first = ''] = given.split(' ')
  const name = path.basename(first.replace(/^-/, '')).replace(/[^\p{L}\p{N}._+ -]/gu, '')
  return name.slice(0, 40) || 'shell'
}

function findShell(env: NodeJS.ProcessEnv): string {
  const shells = [env['SHELL'], loginShell(), '/bin/bash', '/bin/sh']
  return shells.find((file) => file !== undefined && path.isAbsolute(file) && isProgram(file)) ?? '/bin/sh'
}

function loginShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined
  } catch {
    return undefined
  }
}

/** Variables of the desktop and the login. Everything else, such as keys of providers, stays with the server. */
const passedOn =
  /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|TMPDIR|USER|LOGNAME|SHELL|TZ|EDITOR|VISUAL|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|SSH_AGENT_PID|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$/

/** The shell reads its own startup files, so the rest of the person's variables come from there. */
export function personEnvironment(own: NodeJS.ProcessEnv): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) if (value !== undefined && passedOn.test(name)) env[name] = value
  env['PATH'] ??= '/usr/local/bin:/usr/bin:/bin'
  return { ...env, TERM: 'xterm-256color', COLORTERM: 'truecolor', TERM_PROGRAM: 'troupe' }
}
