import { type Message, parseUrl } from '@troupe/protocol'
import type { Api } from '../api/api.ts'
import { isRecord, textIn } from '../api/read-fields.ts'
import type { ReadablePage } from '../api/session-types.ts'
import { getToolName, isToolCall } from '../chat/session/message-parts.ts'
import { offeredKinds } from '../panels/offered-kinds.ts'
import type { Panels } from '../state/panels.ts'

export interface ActionContext {
  sessionId: string
  panels: Panels
  agentName: (agentId: string) => string | undefined
  /** ID of the latest loaded call in that session that showed a chart with this title. */
  findChart: (title: string) => Promise<string | undefined>
  isInSight: () => boolean
  api: Api
  reader: ReaderPages
  /** Notifies the user, through the browser if permitted and the user is looking elsewhere. */
  notify: (title: string, body: string | undefined, tag: string) => Promise<'notification' | 'notice'>
}

/** Default export of a file in `actions/`. Returns the tool's result. Throws an error for the model to read. */
export type Action = (input: Record<string, unknown>, context: ActionContext, call: { toolCallId: string }) => unknown

// The folder lists the available actions: `actions/open-url.ts` is `open-url`.
const files = import.meta.glob<Action>('../actions/*.ts', { import: 'default' })

export interface ActionRegistry {
  names: readonly string[]
  /** Action details for models beyond the tool's own description. */
  notes?: Readonly<Record<string, readonly string[]>>
  load: (name: string) => Promise<Action | undefined>
}

export const pageActions: ActionRegistry = {
  names: Object.keys(files).map((path) => path.replace(/^.*\//, '').replace(/\.ts$/, '')),
  notes: { 'show-panel': [...offeredKinds].map(([kind, about]) => `"${kind}" is another panel: ${about}`) },
  load: (name) => files[`../actions/${name}.ts`]?.() ?? Promise.resolve(undefined),
}

/** Web pages as readable text, each fetched once by the server. */
export interface ReaderPages {
  /** `here` allows a page on this machine. `again` bypasses the cache. */
  read(url: string, options?: { here?: boolean; again?: boolean }): Promise<ReadablePage>
}

const most = 30

export function createReaderPages(api: Pick<Api, 'readWebPage'>): ReaderPages {
  const pages = new Map<string, Promise<ReadablePage>>()
  return {
    read(url, { here = false, again = false } = {}) {
      const known = pages.get(url)
      if (known !== undefined && !again) return known
      const page = api.readWebPage(url, here).then((answer) => answer.page)
      pages.delete(url)
      pages.set(url, page)
      page.catch(() => pages.delete(url))
      const oldest = pages.keys().next().value
      if (pages.size > most && oldest !== undefined) pages.delete(oldest)
      return page
    },
  }
}

/** Pages on this machine are read only at the user's request. */
export function isLocalAddress(url: string): boolean {
  const host = parseUrl(url)?.hostname ?? ''
  return host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]'
}

type Messages = readonly Pick<Message, 'parts'>[]

export function findChartCall(messages: Messages, title: string): string | undefined {
  return messages
    .flatMap(({ parts }) => parts)
    .filter(isToolCall)
    .findLast(
      (part) =>
        getToolName(part) === 'ChartRender' &&
        part.state === 'output-available' &&
        isRecord(part.input) &&
        textIn(part.input['title']) === title,
    )?.toolCallId
}

/** Maximum lag of the stream behind a page call. */
const chartTimeoutMs = 3000

/** Waits for a chart that may still be streaming, because page calls do not arrive on the stream. */
export function waitForChart(
  { messages, subscribe }: { messages: () => Messages; subscribe: (listener: () => void) => () => void },
  title: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const look = () => {
      const found = findChartCall(messages(), title)
      if (found !== undefined) end(found)
    }
    const timer = setTimeout(() => end(undefined), chartTimeoutMs)
    const stop = subscribe(look)
    look()

    function end(found: string | undefined): void {
      clearTimeout(timer)
      stop()
      resolve(found)
    }
  })
}
