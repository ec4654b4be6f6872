import { makeTitle, type RunRecord, type Store } from '@troupe/core'
import type { Models } from '../models/models.ts'
import { runRequestOf } from '../runs/prepare-run.ts'
import { titleFrom } from '../stores/sql/message-text.ts'
import type { Spending } from '../usage/spending.ts'
import type { Logger } from '../util/logger.ts'

const maxTitleTokens = 60

export interface TitleOptions {
  store: Store
  models: Pick<Models, 'listModels' | 'resolveChatModel'>
  spending?: Pick<Spending, 'guard'>
  logger: Logger
  isOn(): boolean
  /** True for program-provided models and the demo, which must not get calls outside the chat. */
  isSilent(model: string): boolean
}

/** Lets a model title sessions in the background after their first answer. Failures are logged. */
export function createTitleWriter(options: TitleOptions): {
  answered(record: RunRecord): void
  close(): Promise<void>
} {
  const { store, models, logger } = options
  const closing = new AbortController()
  const working = new Set<Promise<void>>()
  const titling = new Set<string>()

  return {
    answered(record) {
      const request = runRequestOf(record)
      if (!options.isOn() || request.headless === true || options.isSilent(request.model) || closing.signal.aborted)
        return
      // Of several models that answer the first message, the first to finish is enough.
      if (titling.has(record.sessionId)) return
      titling.add(record.sessionId)
      const work = title(record, request.model).catch((error: unknown) => {
        if (closing.signal.aborted) return
        const text = error instanceof Error ? error.message : String(error)
        logger({ level: 'warn', message: 'a session got no title', session: record.sessionId, error: text })
      })
      working.add(work)
      void work.finally(() => {
        working.delete(work)
        titling.delete(record.sessionId)
      })
    },
    async close() {
      closing.abort()
      await Promise.all(working)
    },
  }

  async function title({ sessionId, messageId }: RunRecord, model: string): Promise<void> {
    const chain = await store.messages.chain({ sessionId }, messageId)
    const asked = chain.filter(({ role }) => role === 'user')
    const [first] = asked
    if (first === undefined || asked.length > 1 || chain.at(-1)?.metadata?.error !== undefined) return
    const words = titleFrom(first.parts)
    const isOurs = async () => (await store.sessions.get(sessionId))?.title === words
    if (!(await isOurs())) return
    const { id, model: cheap, definition, local } = await models.resolveChatModel(await cheapest(model))
    const workspace = await store.workspaces.get((await store.sessions.get(sessionId))?.workspaceId ?? '')
    const guard = workspace && options.spending?.guard({ id, price: definition.price, local }, workspace)
    const made = await makeTitle(chain, cheap, '', { maxOutputTokens: maxTitleTokens, signal: closing.signal, guard })
    // The user may have renamed it meanwhile.
    if (await isOurs()) await store.sessions.update(sessionId, { title: made })
  }

  /** Uses the same provider, so the text goes to no third party. */
  async function cheapest(model: string): Promise<string> {
    const provider = `${model.split('/')[0]}/`
    const priced = (await models.listModels()).flatMap(({ ref, usable, price }) => {
      const cost = (price?.input ?? Number.NaN) + (price?.output ?? Number.NaN)
      return usable && ref.startsWith(provider) && Number.isFinite(cost) ? [{ ref, cost }] : []
    })
    return priced.toSorted((one, other) => one.cost - other.cost)[0]?.ref ?? model
  }
}
