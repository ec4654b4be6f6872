import type { Media } from '@troupe/core'
import {
  chatRequestSchema,
  type Chunk,
  formatEvent,
  NamedError,
  steerRequestSchema,
  type StoredMessage,
} from '@troupe/protocol'
import { z } from 'zod'
import { expandSteering } from '../commands/expand-message.ts'
import { type Ctx, route, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import { resumeAfter, streamHeaders, streamResponse } from '../http/stream-response.ts'
import type { Permissions } from '../permission/permissions.ts'
import { noRun } from '../runs/live-run.ts'
import type { LogEvent } from '../runs/subscriber.ts'
import type { KeyedMutex } from '../util/concurrency.ts'
import { type ChatContext, handleChat } from './handle-chat.ts'
import { handleImageRequest } from './image-answer.ts'
import { claimedAddresses } from './user-message.ts'

export function chatRoutes(
  options: ChatContext & { media: Media; inTurn: KeyedMutex; permissions: Pick<Permissions, 'noteUserHosts'> },
): Route[] {
  const { live, store } = options
  const stored = (sessionId: string, messageId: string): Promise<StoredMessage | undefined> =>
    store.messages.get({ sessionId }, messageId)

  return [
    route({
      method: 'POST',
      path: '/ai/chat',
      summary: 'Sends a message, an edit, a retry, a regeneration or answers to approvals; streams the answer.',
      query: z.object({ hold: z.string().optional() }),
      body: chatRequestSchema,
      gives: ['stream', 'json'],
      scoped: true,
      answers: {
        200: 'UI message stream, or {sessionId, message, waiting} with responseMode json',
        400: 'BadRequest, ProviderNotConfigured',
        403: 'BypassNotAllowed',
        404: 'SessionNotFound, MessageNotFound, BlobNotFound, ModelNotFound, ProviderNotFound, ProjectNotFound',
        409: 'SessionBusy, SessionTrashed, OtherProject, NoWaitingRun, NothingAnswered',
        422: 'UnknownMode, BadRule, BadParams, BadSaveDir, CommandUnreadable, CommandArguments',
        502: 'McpFailed, MediaFailed',
      },
      async handle(c, { body, query, workspaceId }) {
        const sessionId = body.sessionId ?? body.id
        if (sessionId === undefined) throw new NamedError('BadRequest', 'sessionId (or id) is missing.')
        const given = { ...options, sessionId, workspaceId }
        const turn =
          body.intent === 'image'
            ? await handleImageRequest(body, given)
            : await options.inTurn(sessionId, () => handleChat(body, given))
        if (turn.kind === 'replay') {
          if (body.responseMode !== 'json') return replayResponse(c, turn.events)
          return c.json({ sessionId, message: await stored(sessionId, turn.messageId), waiting: false })
        }
        const { run, after } = turn
        if (body.responseMode === 'json') {
          await run.settled()
          const waiting = run.status === 'waiting'
          if (!waiting) await run.done
          return c.json({ sessionId, message: await stored(sessionId, run.messageId), waiting })
        }
        const untilWaiting = query['hold'] !== '1'
        return streamResponse(c, (sink) => run.subscribe(sink, { untilWaiting, after }))
      },
    }),
    route({
      method: 'GET',
      path: '/ai/chat/:sessionId/stream',
      summary:
        'Resumes and follows the run of a session, after the number in Last-Event-ID or ?after; with ?hold=0 it ends where the POST would.',
      query: z.object({
        hold: z.string().optional(),
        after: z
          .string()
          .regex(/^\d{1,15}$/, 'a whole number')
          .optional(),
      }),
      gives: ['stream'],
      scoped: true,
      answers: { 200: 'UI message stream', 204: 'no run', 404: 'SessionNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const { id: sessionId } = await findSession(store, params['sessionId'], workspaceId)
        const run = live.get(sessionId)
        if (run === undefined) return c.body(null, 204)
        const after = resumeAfter(c, query['after'])
        return streamResponse(c, (sink) => run.subscribe(sink, { ...after, untilWaiting: query['hold'] === '0' }))
      },
    }),
    route({
      method: 'POST',
      path: '/ai/chat/:sessionId/stop',
      summary: 'Stops the run of a session: provider, tools and child processes.',
      scoped: true,
      answers: { 200: '{stopped, runId, ms}', 404: 'SessionNotFound', 409: 'NoRun' },
      async handle(c, { params, workspaceId }) {
        const { id } = await findSession(store, params['sessionId'], workspaceId)
        const stopped = await live.stop(id)
        if (stopped === undefined) throw noRun()
        return c.json({ stopped: true, ...stopped })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/chat/:sessionId/steer',
      summary: 'Gives a running answer a message at its next step; what it names is brought in.',
      body: steerRequestSchema,
      scoped: true,
      answers: {
        200: '{id, hints}',
        404: 'SessionNotFound',
        409: 'NoRun, CommandWhileRunning, McpNotRunning',
        422: 'CommandUnreadable, CommandArguments',
        502: 'McpFailed',
      },
      async handle(c, { params, body, workspaceId }) {
        const session = await findSession(store, params['sessionId'], workspaceId)
        if (live.get(session.id) === undefined) throw noRun()
        const { message, hints } = await expandSteering(body, session, options)
        options.permissions.noteUserHosts(session.id, claimedAddresses(body.text, body.typedUrls))
        await live.steer(session.id, message)
        return c.json({ id: body.id, hints })
      },
    }),
  ]
}

/** Streams a finished answer to a client that retries after missing the end. */
function replayResponse(c: Ctx, events: (LogEvent | { chunk: Chunk })[]): Response {
  const text = events.map((event) =>
    'number' in event ? formatEvent(event.number, event.chunk) : `data: ${JSON.stringify(event.chunk)}\n\n`,
  )
  return c.body(`${text.join('')}data: [DONE]\n\n`, 200, streamHeaders)
}
