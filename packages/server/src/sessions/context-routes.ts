import { modelLimits, firstPrompt } from '../runs/prepare-run.ts'
import { applyCompactions, applyTrim, finalText, shownTools, type Store, TokenGauge, toolTokens } from '@troupe/core'
import {
  contextEndpoints,
  type ContextPiece,
  dataParts,
  type DataParts,
  type Metadata,
  NamedError,
  type StoredMessage,
} from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import type { Models } from '../models/models.ts'
import type { RunManager } from '../runs/run-types.ts'
import type { RunServices } from '../runs/run-services.ts'
import { cacheBreak, fingerprints, type LastCalls } from './context.ts'

export function contextRoutes(options: {
  store: Store
  runs: RunManager
  context: { lastCalls: LastCalls }
  models: Pick<Models, 'resolveChatModel'>
  session: RunServices['session']
}): Route[] {
  const { store } = options
  return implement(contextEndpoints, {
    'GET /ai/sessions/:id/context': async ({ params, query, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      const at = { sessionId: session.id }
      const leaf = query.leaf ?? (await store.messages.latestLeaf(at))
      const own = await options.session(session)
      const [{ blocks, tools: allowed }, { id: modelId, definition }, last, chain] = await Promise.all([
        own.agent(session.agent ?? 'master').then((agent) => firstPrompt(own, agent)),
        options.models.resolveChatModel(session.model ?? undefined),
        options.context.lastCalls.get(session.id),
        leaf === undefined ? [] : store.messages.chain(at, leaf),
      ])
      const { contextWindow, price } = modelLimits(definition)
      // Tools behind ToolSearch are not sent until found.
      const tools = shownTools(allowed, chain, (action) => own.offers(action), own.mode().get())
      const before = new Map(last?.blocks)
      const now = fingerprints(blocks, tools)
      const changed = (name: string): boolean =>
        last !== undefined && before.get(name) !== now.find(([other]) => other === name)?.[1]
      const gauge = new TokenGauge()
      const priced = (tokens: number): { tokens: number; cost?: number } => ({
        tokens: Math.round(tokens),
        cost: price && (tokens * price.input) / 1_000_000,
      })
      const estimated: ContextPiece[] = [
        ...tools.map((tool): ContextPiece => ({ kind: 'tool', name: tool.name, ...priced(toolTokens([tool])) })),
        ...blocks.map(({ name, text }): ContextPiece => ({
          kind: 'instructions',
          name,
          ...priced(gauge.text(text)),
          changed: changed(name),
        })),
        ...messagePieces(chain, gauge, priced),
      ]
      const pieces = calibrate(estimated, chain.at(-1)?.metadata, modelId)
      const usage = chain.findLast(({ role }) => role === 'assistant')?.metadata?.usage
      return {
        model: modelId,
        window: contextWindow ?? null,
        total: priced(pieces.reduce((sum, { tokens }) => sum + tokens, 0)),
        pieces: query.pieces === 'none' ? [] : pieces,
        cache: {
          lastCallAt: last?.at ?? null,
          modelChanged: last !== undefined && last.model !== modelId,
          brokenBy: (last === undefined ? undefined : cacheBreak(last, { blocks: now, chain })) ?? null,
          inputTokens: usage?.inputTokens,
          cachedInputTokens: usage && (usage.cachedInputTokens ?? 0),
        },
      }
    },
    'PATCH /ai/sessions/:id/compactions/:compactionId': async ({ params, body, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      await options.runs.assertFree(session.id)
      return { compaction: await switchCompaction(session.id, params.compactionId, body.off) }
    },
  })

  async function switchCompaction(sessionId: string, id: string, off: boolean): Promise<DataParts['compaction']> {
    const at = { sessionId }
    for await (const message of everyMessage(at)) {
      const found = message.parts.find((part) => findCompaction(part)?.id === id)
      if (found === undefined) continue
      const { off: _, ...data } = findCompaction(found) as DataParts['compaction']
      const now = off ? { ...data, off } : data
      const parts = message.parts.map((part) => (part === found ? ({ ...part, data: now } as typeof part) : part))
      await store.messages.replace(at, { ...message, parts })
      return now
    }
    throw new NamedError('CompactionNotFound', 'This summary does not exist in this chat.', { status: 404 })
  }

  /** Covers all branches. */
  async function* everyMessage(at: { sessionId: string }): AsyncGenerator<StoredMessage> {
    for (let after: number | null = 0; after !== null;) {
      const { messages, next }: Awaited<ReturnType<Store['messages']['page']>> = await store.messages.page(at, {
        after,
      })
      yield* messages
      after = next
    }
  }
}

/** Scales the estimates to the provider's count, if the branch ends with an answer that this model gave. */
function calibrate(pieces: ContextPiece[], last: Metadata | undefined, modelId: string): ContextPiece[] {
  const counted = last?.model === modelId ? last.contextTokens : undefined
  const estimate = pieces.reduce((sum, { tokens }) => sum + tokens, 0)
  const ratio = (counted ?? 0) / estimate
  // An estimate is never this far off: the provider counted something else.
  if (!(ratio > 0.5 && ratio < 10)) return pieces
  return pieces.map((piece) => ({
    ...piece,
    tokens: Math.round(piece.tokens * ratio),
    cost: piece.cost && piece.cost * ratio,
  }))
}

function findCompaction(part: StoredMessage['parts'][number]): DataParts['compaction'] | undefined {
  return part.type === 'data-compaction' ? dataParts.compaction.schema.safeParse(part.data).data : undefined
}

function messagePieces(
  chain: readonly StoredMessage[],
  gauge: TokenGauge,
  priced: (tokens: number) => { tokens: number; cost?: number },
): ContextPiece[] {
  const named = new Map<string, number>()
  return applyCompactions(applyTrim(chain)).flatMap((message): ContextPiece[] => {
    const isSummary = message.role === 'user' && message.id === undefined
    const text = message.role === 'user' ? finalText({ parts: message.parts }) : ''
    const written = { ...message, parts: message.parts.filter((part) => attachmentName(part) === undefined) }
    const own: ContextPiece = {
      kind: isSummary ? 'summary' : 'message',
      name: isSummary ? 'summary of the older part' : `${message.role}${text === '' ? '' : `: ${text.slice(0, 60)}`}`,
      ...priced(gauge.messages([written])),
      messageId: message.id,
    }
    const frame = gauge.messages([{ ...message, parts: [] }])
    const brought = message.parts.flatMap((part): ContextPiece[] => {
      const name = attachmentName(part)
      if (name === undefined) return []
      const count = (named.get(name) ?? 0) + 1
      named.set(name, count)
      const tokens = gauge.messages([{ ...message, parts: [part] }]) - frame
      return [{ kind: 'message', name: count === 1 ? name : `${name} (${count})`, ...priced(tokens) }]
    })
    return [...brought, own]
  })
}

/** Counts expansions of a message separately, since they may be far longer than the message. */
function attachmentName(part: StoredMessage['parts'][number]): string | undefined {
  const kind = /^data-(skill|command|mention)$/.exec(part.type)?.[1]
  if (kind === undefined || !('data' in part)) return undefined
  return `${kind} ${(part.data as { name?: string }).name ?? ''}`.trim()
}
