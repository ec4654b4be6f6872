import type { ToolContext } from '../tool/tool.ts'
import type { McpLimits } from './server-config.ts'

/** Calls in progress on one server. A request from the server to the person is asked within the call that caused it. */
export interface ActiveCalls {
  begin(ctx: McpCallContext, limits: Pick<McpLimits, 'callMs' | 'longestCallMs'>): ActiveMcpCall
  /** Returns the call that a server request belongs to. Throws if that is ambiguous. */
  only(what: string): ActiveMcpCall
}

export interface ActiveMcpCall {
  ctx: McpCallContext
  /** Aborts with the call's own signal, or when the server is silent for too long. */
  signal: AbortSignal
  /** Resets the idle timeout when the server sends something. */
  touch(): void
  /** Pauses the timeouts while a person is asked. */
  ask: McpCallContext['ask']
  overdue(): string | undefined
  [Symbol.dispose](): void
}

export function openActiveCalls(): ActiveCalls {
  const active = new Set<ActiveMcpCall>()
  return {
    begin(ctx, limits) {
      const call = openCall(ctx, limits, () => active.delete(call))
      active.add(call)
      return call
    },
    only(what) {
      const calls = [...active]
      const [first] = calls
      // A server does not name the call it asks for. Never ask in another chat.
      if (first === undefined) throw new Error(`${what} is only allowed during a tool call`)
      if (calls.some(({ ctx }) => ctx.session.id !== first.ctx.session.id))
        throw new Error(`${what} is not allowed while several chats are calling the server`)
      return calls.at(-1) as ActiveMcpCall
    },
  }
}

function openCall(
  ctx: McpCallContext,
  { callMs, longestCallMs }: Pick<McpLimits, 'callMs' | 'longestCallMs'>,
  onEnd: () => void,
): ActiveMcpCall {
  // Forward the call's abort to one controller. Joining signals costs more than the rest of a call.
  const controller = new AbortController()
  const follow = (): void => controller.abort(ctx.signal.reason)
  if (ctx.signal.aborted) follow()
  else ctx.signal.addEventListener('abort', follow, { once: true })
  let why: string | undefined
  let asking = 0
  let used = 0
  let since = performance.now()
  let timer = arm()
  return {
    ctx,
    signal: controller.signal,
    touch() {
      if (asking === 0) restart()
    },
    async ask(request) {
      if (asking++ === 0) pause()
      try {
        return await ctx.ask(request)
      } finally {
        if (--asking === 0) {
          since = performance.now()
          timer = arm()
        }
      }
    },
    overdue: () => why,
    [Symbol.dispose]() {
      clearTimeout(timer)
      ctx.signal.removeEventListener('abort', follow)
      onEnd()
    },
  }

  function arm(): NodeJS.Timeout {
    const isLast = longestCallMs - used <= callMs
    return setTimeout(
      () => {
        const seconds = (isLast ? longestCallMs : callMs) / 1000
        why = isLast
          ? `took longer than ${seconds} s to answer a tool call`
          : `sent nothing for ${seconds} s during a tool call`
        controller.abort(new Error(why))
      },
      Math.max(0, Math.min(callMs, longestCallMs - used)),
    )
  }

  function pause(): void {
    clearTimeout(timer)
    used += performance.now() - since
  }

  function restart(): void {
    pause()
    since = performance.now()
    timer = arm()
  }
}

export type McpCallContext = Pick<
  ToolContext,
  'ask' | 'emit' | 'signal' | 'toolCallId' | 'chatModel' | 'session' | 'spend'
>
