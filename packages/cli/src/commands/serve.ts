import path from 'node:path'
import { statSync } from 'node:fs'
import { NamedError } from '@troupe/core/error'
import { openHome, type Owner } from '@troupe/server/home'
import { defineCommand, tell, UsageError, type Context } from '../command.ts'
import { debugLogging, readJson } from '../connect.ts'
import { canOpenBrowser, openBrowser } from '../open-browser.ts'
import type { Server, ServerOptions } from '@troupe/server'

/** `troupe [serve]`: the workspace, until SIGTERM or Ctrl-C. A second one says where the first is. */
export const command = defineCommand({
  options: {
    port: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    open: { type: 'boolean', default: true },
    workspace: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  async run({ values, positionals }, context) {
    if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not understood`)
    const { env } = context
    const port = portOf(values.port ?? env['TROUPE_PORT'])
    const workspace = path.resolve(context.cwd, values.workspace ?? '.')
    if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${workspace} is not a folder`)
    const show = (at: { url: string; port: number; pid: number }): void => {
      if (values.json) context.stdout.write(`${JSON.stringify(at)}\n`)
      else if (values.open && canOpenBrowser(env))
        openBrowser(at.url, () => tell(context, 'the browser could not be opened; open the address yourself'))
    }
    const settings = { env, workspace, host: values.host, ...debugLogging(env) }
    let server: Server
    try {
      server = await start(settings, port)
    } catch (error) {
      if (!(error instanceof NamedError && error.name === 'HomeOwned')) throw error
      const at = await askOwner(error.data['owner'] as Owner | null, context, error)
      if (!values.json) context.stdout.write(`Troupe is running already (pid ${at.pid}): ${at.url}\n`)
      show(at)
      return 0
    }
    const ended = new Promise<void>((resolve) => {
      context.onSignal(() => resolve())
    })
    const warnings = [
      ...server.home.warnings,
      ...server.config.warnings(),
      ...server.problems.map((problem) => `${problem.path}: ${problem.message}`),
    ]
    for (const warning of warnings) tell(context, warning)
    if (!values.json)
      context.stdout.write(
        `Troupe is at ${server.url}\n  working in ${workspace}, files in ${server.home.path}. Ctrl-C ends it.\n`,
      )
    show({ url: server.url, port: server.port, pid: process.pid })
    await ended
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

/** Where the owner is, with a fresh key. Throws `otherwise` when it does not listen. */
async function askOwner(
  owner: Owner | null,
  { env }: Context,
  otherwise: Error,
): Promise<{ url: string; port: number; pid: number }> {
  if (owner === null || owner.url === null || owner.port === null) throw otherwise
  const { token } = openHome({ env })
  const response = await fetch(`${owner.url}/ai/auth/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  }).catch(() => {
    throw otherwise
  })
  const { key } = await readJson<{ key: string }>(response)
  return { url: `${owner.url}/#k=${key}`, port: owner.port, pid: owner.pid }
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError(`"${text}" is not a port: 0 to 65535`)
  return port
}
