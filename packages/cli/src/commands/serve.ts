import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { styleText } from 'node:util'
import type { SandboxFinding } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { Server, ServerOptions } from '@troupe/server'
import { openConfig } from '@troupe/server/config'
import { openHome, type Owner } from '@troupe/server/home'
import { readTeamOptions, type TeamOptions } from '@troupe/server/team'
import { type CommandContext, defineCommand, printNotice, UsageError } from '../shared/command.ts'
import { createLoadProblemReporter, debugLogging, readJson } from '../shared/connect.ts'

function canOpenBrowser(env: NodeJS.ProcessEnv, platform = process.platform): boolean {
  if (env['CI'] || env['SSH_CONNECTION'] || env['SSH_TTY']) return false
  return platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
}

/**
 * Opens a URL in the desktop browser. All users of a machine can read command lines, so the opener gets a file that
 * only this user can read and that redirects to the URL. Resolves when the file is removed: some seconds later, or at
 * the signal.
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
    // The opener only passes the file on; the browser reads it a moment later.
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

export function warnAboutProtection(
  context: Pick<CommandContext, 'stderr' | 'env'>,
  { sandbox, allowBypass }: { sandbox: SandboxFinding; allowBypass: boolean },
): void {
  if (sandbox.sandbox === undefined) {
    const fix = sandbox.fix === undefined ? '' : ` ${sandbox.fix}`
    printNotice(context, `${highlight(context, 'yellow', 'NO SANDBOX:')} ${sandbox.text}${fix}`)
    printNotice(context, 'Approved commands run with all your permissions, so more of them need approval.')
  }
  if (allowBypass)
    printNotice(
      context,
      highlight(
        context,
        'red',
        'BYPASS IS ALLOWED: chats in bypass mode never ask for approval. Whatever runs there can change or send out anything you can.',
      ),
    )
}

/** Uses colors only in a terminal where they are wanted. */
function highlight(
  { stderr, env }: Pick<CommandContext, 'stderr' | 'env'>,
  color: 'red' | 'yellow',
  text: string,
): string {
  const colored = stderr.isTTY && !env['NO_COLOR']
  return colored ? styleText(['bold', color], text, { validateStream: false }) : text
}

/**
 * `troupe [serve]`: serves the workspace until SIGTERM or Ctrl-C. If a server of this home is running, opens the
 * workspace there and prints its address.
 */
export const command = defineCommand({
  options: {
    port: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    open: { type: 'boolean', default: true },
    workspace: { type: 'string' },
    json: { type: 'boolean', default: false },
    'allow-bypass': { type: 'boolean', default: false },
    team: { type: 'boolean', default: false },
  },
  async run({ values, positionals }, context) {
    if (positionals.length > 0) throw new UsageError(`unexpected argument "${positionals[0]}"`)
    const { env } = context
    const port = parsePort(values.port ?? env['TROUPE_PORT'])
    const workspace = path.resolve(context.cwd, values.workspace ?? '.')
    if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${workspace} is not a folder`)
    const ending = new AbortController()
    const show = async (at: Address): Promise<void> => {
      if (values.json) context.stdout.write(`${JSON.stringify(at)}\n`)
      else if (values.open && team === undefined && canOpenBrowser(env))
        await openBrowser(
          at.url,
          () => printNotice(context, 'the browser could not be opened; open the URL yourself'),
          {
            signal: ending.signal,
          },
        )
    }
    const team = teamOptions(values.team, env)
    const isolation = team && (await isolateMembers(context))
    const problems = createLoadProblemReporter(context)
    const allowBypass = values['allow-bypass']
    const settings = {
      env,
      workspace,
      host: values.host,
      team,
      isolation,
      allowBypass,
      log: problems.log,
      ...debugLogging(env),
    }
    let server: Server
    try {
      server = await start(settings, port)
    } catch (error) {
      if (team !== undefined || !(error instanceof NamedError && error.name === 'HomeOwned')) throw error
      const at = await joinRunningServer(error.data['owner'] as Owner | null, workspace, context, error)
      if (!values.json)
        context.stdout.write(`Troupe is already running (pid ${at.pid}). Opened ${at.workspace} there: ${at.url}\n`)
      await show(at)
      return 0
    }
    const ended = new Promise<void>((resolve) => {
      context.onSignal(() => resolve())
    })
    for (const warning of [...server.home.warnings, ...server.config.warnings(), ...server.ruleWarnings])
      printNotice(context, warning)
    warnAboutProtection(context, { sandbox: server.sandbox, allowBypass })
    for (const problem of server.problems) problems.report(problem)
    if (!values.json && team !== undefined) context.stdout.write(teamText(server.url, team.publicUrl))
    else if (!values.json)
      context.stdout.write(
        `Troupe is running at ${server.url}\n  folder ${workspace}, data in ${server.home.path}. Press Ctrl+C to stop.\n`,
      )
    void show({ url: server.url, port: server.port, pid: process.pid, workspace }).catch((error: unknown) =>
      printNotice(context, `the browser could not be opened (${String(error)}); open the URL yourself`),
    )
    await ended
    ending.abort()
    await server.close()
    return 0
  },
})

function teamOptions(isWanted: boolean, env: NodeJS.ProcessEnv): TeamOptions | undefined {
  const config = openConfig(openHome({ env })).get().team
  return isWanted || config?.enabled === true ? readTeamOptions(env, config) : undefined
}

/** May replace this process by itself. Throws `NoIsolation` on a machine that cannot separate members. */
async function isolateMembers(context: CommandContext): Promise<ServerOptions['isolation']> {
  const { env } = context
  const { enterOwnView, openIsolation } = await import('@troupe/server/isolation')
  enterOwnView(env)
  const home = openHome({ env, isTeam: true })
  const isolation = await openIsolation({ home: home.path, env, settings: openConfig(home).get().team ?? {} })
  if (isolation === undefined)
    printNotice(
      context,
      highlight(
        context,
        'red',
        'NO ISOLATION: members can read the files and secrets of each other and of this server.',
      ),
    )
  return isolation
}

function teamText(url: string, publicUrl: string): string {
  const first = url.includes('#setup=')
    ? `  Nobody has an account yet. Create the owner here, within a day: ${url}\n`
    : ''
  return `Troupe serves a team at ${publicUrl}\n${first}  Press Ctrl+C to stop.\n`
}

/** If the default port is taken, another one is used. */
async function start(settings: ServerOptions, port: number | undefined): Promise<Server> {
  const { startServer } = await import('@troupe/server')
  try {
    return await startServer({ ...settings, port })
  } catch (error) {
    if (port !== undefined || !(error instanceof NamedError && error.name === 'PortInUse')) throw error
    return startServer({ ...settings, port: 0 })
  }
}

interface Address {
  url: string
  port: number
  pid: number
  workspace: string
}

/** Opens the folder in the running server. Returns its address there, with a fresh key. Throws `otherwise` if it does not listen. */
async function joinRunningServer(
  owner: Owner | null,
  workspace: string,
  { env }: CommandContext,
  otherwise: Error,
): Promise<Address> {
  if (owner === null || owner.url === null || owner.port === null) throw otherwise
  const headers = { authorization: `Bearer ${openHome({ env }).token}`, 'content-type': 'application/json' }
  const ask = async <T>(method: string, target: string, body?: object): Promise<T> => {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(owner.url + target, init).catch(() => {
      throw otherwise
    })
    return readJson<T>(response)
  }
  type Opened = { workspace: { id: string; path: string } }
  const { workspace: opened } = await ask<Opened>('POST', '/ai/workspaces', { path: workspace })
  const { workspace: own } = await ask<Opened>('GET', '/ai/workspace')
  const { key } = await ask<{ key: string }>('POST', '/ai/auth/keys')
  const folder = opened.id === own.id ? '' : `&w=${opened.id}`
  return { url: `${owner.url}/#k=${key}${folder}`, port: owner.port, pid: owner.pid, workspace: opened.path }
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`"${text}" is not a port; use 0 to 65535`)
  return port
}
