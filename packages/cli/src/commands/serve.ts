import path from 'node:path'
import { realpathSync, statSync } from 'node:fs'
import { NamedError } from '@troupe/core/error'
import { openHome, type Owner } from '@troupe/server/home'
import { defineCommand, printNotice, UsageError, type CommandContext } from '../command.ts'
import { debugLogging, readJson } from '../connect.ts'
import { canOpenBrowser, openBrowser } from '../open-browser.ts'
import { warnAboutProtection } from '../tell-guard.ts'
import { createLoadProblemReporter } from '../tell-problems.ts'
import type { Server, ServerOptions } from '@troupe/server'

/** `troupe [serve]`: the workspace, until SIGTERM or Ctrl-C. A second one says where the first is. */
export const command = defineCommand({
  options: {
    port: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    open: { type: 'boolean', default: true },
    workspace: { type: 'string' },
    json: { type: 'boolean', default: false },
    'allow-bypass': { type: 'boolean', default: false },
  },
  async run({ values, positionals }, context) {
    if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not understood`)
    const { env } = context
    const port = parsePort(values.port ?? env['TROUPE_PORT'])
    const workspace = path.resolve(context.cwd, values.workspace ?? '.')
    if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${workspace} is not a folder`)
    const ending = new AbortController()
    const show = async (at: Address): Promise<void> => {
      if (values.json) context.stdout.write(`${JSON.stringify(at)}\n`)
      else if (values.open && canOpenBrowser(env))
        await openBrowser(
          at.url,
          () => printNotice(context, 'the browser could not be opened; open the address yourself'),
          {
            signal: ending.signal,
          },
        )
    }
    const problems = createLoadProblemReporter(context)
    const allowBypass = values['allow-bypass']
    const settings = { env, workspace, host: values.host, allowBypass, log: problems.log, ...debugLogging(env) }
    let server: Server
    try {
      server = await start(settings, port)
    } catch (error) {
      if (!(error instanceof NamedError && error.name === 'HomeOwned')) throw error
      const at = await findRunningServer(error.data['owner'] as Owner | null, context, error)
      if (!isSameFolder(at.workspace, workspace)) printNotice(context, otherWorkspaceText(at, workspace))
      if (!values.json) context.stdout.write(`Troupe is running already (pid ${at.pid}): ${at.url}\n`)
      await show(at)
      return 0
    }
    const ended = new Promise<void>((resolve) => {
      context.onSignal(() => resolve())
    })
    for (const warning of [...server.home.warnings, ...server.config.warnings(), ...server.ruleWarnings])
      printNotice(context, warning)
    warnAboutProtection(context, { sandbox: server.sandbox, allowBypass })
    for (const problem of server.problems) problems.tell(problem)
    if (!values.json)
      context.stdout.write(
        `Troupe is at ${server.url}\n  working in ${workspace}, files in ${server.home.path}. Ctrl-C ends it.\n`,
      )
    void show({ url: server.url, port: server.port, pid: process.pid, workspace }).catch((error: unknown) =>
      printNotice(context, `the browser could not be opened (${String(error)}); open the address yourself`),
    )
    await ended
    ending.abort()
    await server.close()
    return 0
  },
})

/** A port that nobody asked for gives way when it is taken. */
async function start(settings: ServerOptions, port: number | undefined): Promise<Server> {
  const { startServer } = await import('@troupe/server')
  try {
    return await startServer({ ...settings, ...(port !== undefined && { port }) })
  } catch (error) {
    if (port !== undefined || !(error instanceof NamedError && error.name === 'PortInUse')) throw error
    return startServer({ ...settings, port: 0 })
  }
}

interface Address {
  url: string
  port: number
  pid: number
  /** The folder that the server works in. */
  workspace: string
}

/** Where the owner is, with a fresh key, and what it works in. Throws `otherwise` when it does not listen. */
async function findRunningServer(owner: Owner | null, { env }: CommandContext, otherwise: Error): Promise<Address> {
  if (owner === null || owner.url === null || owner.port === null) throw otherwise
  const headers = { authorization: `Bearer ${openHome({ env }).token}` }
  const ask = async <T>(target: string, init: RequestInit = {}): Promise<T> => {
    const response = await fetch(owner.url + target, { ...init, headers }).catch(() => {
      throw otherwise
    })
    return readJson<T>(response)
  }
  const { workspace } = await ask<{ workspace: { path: string } }>('/ai/workspace')
  const { key } = await ask<{ key: string }>('/ai/auth/keys', { method: 'POST' })
  return { url: `${owner.url}/#k=${key}`, port: owner.port, pid: owner.pid, workspace: workspace.path }
}

function isSameFolder(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    // The owner's folder is gone.
    return false
  }
}

function otherWorkspaceText({ pid, workspace }: Address, wanted: string): string {
  return (
    `the Troupe that is running works in ${workspace}, not in ${wanted}.\n` +
    `troupe: To work in ${wanted}, stop it (kill ${pid}, or Ctrl-C where it runs) and start again here, ` +
    'or start here with another home: TROUPE_HOME=<folder> troupe'
  )
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError(`"${text}" is not a port: 0 to 65535`)
  return port
}
