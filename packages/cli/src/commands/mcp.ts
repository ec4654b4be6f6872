import { openHome } from '@troupe/server/home'
import { createMcpService, serveOverHttp, serveOverStdio } from '@troupe/server/mcp'
import { defineCommand, printNotice, UsageError } from '../shared/command.ts'
import { connect } from '../shared/connect.ts'

/** `troupe mcp`: offers our agents and selected tools to other programs, over stdio or HTTP. */
export const command = defineCommand({
  options: {
    http: { type: 'boolean', default: false },
    port: { type: 'string', default: '0' },
    tools: { type: 'string' },
    agents: { type: 'string' },
    model: { type: 'string', short: 'm' },
    allow: { type: 'string', multiple: true },
    deny: { type: 'string', multiple: true },
    session: { type: 'string', multiple: true },
    workspace: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    if (positionals.length > 0) throw new UsageError(`unexpected argument "${positionals[0]}"`)
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new UsageError('--port must be a number up to 65535')
    context.env['TROUPE_DEMO_SPEED'] ??= 'instant'
    const connection = await connect(context, {
      listen: true,
      workspace: values.workspace,
    })
    try {
      const { allow, deny, model } = values
      const offer = await createMcpService({
        fetch: connection.fetch,
        version: '0.1.0',
        tools: splitNames(values.tools),
        agents: splitNames(values.agents),
        model,
        sessions: values.session,
        rules: allow || deny ? { allow, deny } : undefined,
      }).catch((error: unknown) => {
        throw new UsageError((error as Error).message, { cause: error })
      })
      const stopped = new Promise<void>((resolve) => {
        context.onSignal(() => resolve())
      })
      if (!values.http) {
        const served = await serveOverStdio(offer)
        await Promise.race([served.ended, stopped])
        await served.close()
        return 0
      }
      const served = await serveOverHttp(offer, { port, token: openHome({ env: context.env }).token })
      printNotice(
        context,
        `MCP at ${served.url}, with "Authorization: Bearer <token from the home folder>": ${offer.names.join(', ')}`,
      )
      context.stdout.write(`${JSON.stringify({ url: served.url, tools: offer.names })}\n`)
      await stopped
      await served.close()
      return 0
    } finally {
      await connection.close()
    }
  },
})

function splitNames(list: string | undefined): string[] | undefined {
  return list?.split(',').flatMap((name) => name.trim() || [])
}
