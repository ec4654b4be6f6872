import type { SeenDecision } from '../runs/run-services.ts'
import type { Logger } from '../util/logger.ts'
import type { Audit } from './audit.ts'

const maxInput = 300

/** Records each decision about a tool call with the rule that decided. Never delays the call. */
export function recordDecisions(audit: Pick<Audit, 'record'>, logger: Logger): (seen: SeenDecision) => void {
  return ({ session, person, call, ctx, decision }) => {
    audit
      .record({
        actor: person === undefined ? 'system' : { id: person, name: '' },
        action: `tool.${decision.decision}`,
        target: { type: 'session', id: session.id },
        outcome: decision.decision === 'deny' ? 'denied' : 'ok',
        detail: {
          tool: call.tool.name,
          input: shown(call.input),
          rule: decision.rule ?? undefined,
          reason: decision.decision === 'allow' ? undefined : decision.reason,
          run: ctx.run.id,
          call: ctx.toolCallId,
          agent: ctx.agent.name,
        },
      })
      .catch((error: unknown) =>
        logger({ level: 'error', message: 'a decision was not recorded', run: ctx.run.id, error: String(error) }),
      )
  }
}

/** The path or command of a call without its content, which may be secret. */
function shown(input: unknown): unknown {
  const fields = Object.entries(Object(input) as Record<string, unknown>)
  const kept = fields.filter(([name]) =>
    /^(?:command|cmd|url|path|file_?path|pattern|query|agent|name|action)$/i.test(name),
  )
  return Object.fromEntries(
    kept.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.slice(0, maxInput)]] : [])),
  )
}
