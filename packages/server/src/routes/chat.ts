import { chatRequestSchema, NamedError, steerRequestSchema, type Chunk, type Message } from '@troupe/core'
import { z } from 'zod'
import { takeChat, type ChatOptions } from '../chat.ts'
import { replayChunks } from '../replay.ts'
import { route, type Ctx, type Route } from '../route.ts'
import { streamResponse } from '../stream-response.ts'

export function chatRoutes(options: ChatOptions): Route[] {
  const { live, store, workspaceId } = options
  const requireSession = async (sessionId: string | undefined): Promise<string> => {
    const session = await store.sessions.get(sessionId ?? '')
    if (session === undefined || session.workspaceId !== workspaceId) throw new NamedError('SessionNotFound', 'There is no such session.', { status: 404, data: { sessionId: sessionId ?? null } })
    return session.id
  }
  return [
    route({
      method: 'POST',
      path: '/ai/chat',
      summary: 'Sends a message, an edit, a retry, a regeneration or answers to approvals; streams the answer.',
      query: z.object({ hold: z.string().optional() }),
      body: chatRequestSchema,
      answers: { 200: 'UI message stream, or {sessionId, message, waiting} with responseMode json', 400: 'BadRequest', 404: 'MessageNotFound, BlobNotFound', 409: 'SessionBusy, NoWaitingRun', 422: 'ProviderNotConfigured, ModelNotFound' },
      async handle(c, { body, query }) {
        const turn = await takeChat(body, options)
        if (turn.kind === 'replay') {
          const { message, sessionId } = turn
          if (body.responseMode === 'json') return c.json({ sessionId, message, waiting: false })
          return replay(c, await replayChunks(store, turn))
        }
        const { run, after } = turn
        if (body.responseMode === 'json') {
          await run.settled()
          const waiting = run.status === 'waiting'
          const message: Message | undefined = waiting ? ((await store.messages.get({ sessionId: run.sessionId }, run.messageId)) as Message | undefined) : await run.done
          return c.json({ sessionId: run.sessionId, message, waiting })
        }
        const untilWaiting = query['hold'] !== '1'
        return streamResponse(c, (sink) => run.subscribe(sink, { untilWaiting, ...(after !== undefined && { after }) }))
      },
    }),
    route({
      method: 'GET',
      path: '/ai/chat/:sessionId/stream',
      summary: 'Resumes and follows the run of a session, after the number in Last-Event-ID or ?after.',
      query: z.object({ after: z.string().regex(/^\d{1,15}$/, 'a whole number').optional() }),
      answers: { 200: 'UI message stream', 204: 'no run', 404: 'SessionNotFound' },
      async handle(c, { params, query }) {
        const sessionId = await requireSession(params['sessionId'])
        const run = live.get(sessionId)
        if (run === undefined) return c.body(null, 204)
        const given = query['after'] ?? c.req.header('last-event-id')
        const after = given !== undefined && /^\d{1,15}$/.test(given) ? Number(given) : undefined
        return streamResponse(c, (sink) => run.subscribe(sink, after === undefined ? {} : { after }))
      },
    }),
    route({
      method: 'POST',
      path: '/ai/chat/:sessionId/stop',
      summary: 'Stops the run of a session: provider, tools and child processes.',
      answers: { 200: '{stopped, runId, ms}', 404: 'SessionNotFound', 409: 'NoRun' },
      async handle(c, { params }) {
        const stopped = await live.stop(await requireSession(params['sessionId']))
        if (stopped === undefined) throw new NamedError('NoRun', 'No run is under way in this session.', { status: 409 })
        return c.json({ stopped: true, ...stopped })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/chat/:sessionId/steer',
      summary: 'Gives a running answer a message at its next step.',
      body: steerRequestSchema,
      answers: { 200: '{id}', 404: 'SessionNotFound', 409: 'NoRun' },
      async handle(c, { params, body }) {
        await live.steer(await requireSession(params['sessionId']), body)
        return c.json({ id: body.id })
      },
    }),
  ]
}

/** A finished answer as a stream: what a client sees that retries after it missed the end. */
function replay(c: Ctx, chunks: Chunk[]): Response {
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
  return c.body(`${text}data: [DONE]\n\n`, 200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-vercel-ai-ui-message-stream': 'v1' })
}
