import type { Message } from '@troupe/protocol'
import type { Api } from '../api/api.ts'
import { isRecord, textIn } from '../api/read-fields.ts'
import type { ReadablePage } from '../api/session-types.ts'
import { getToolName, isToolCall } from '../chat/session/message-parts.ts'
import { offeredKinds } from '../panels/offered-kinds.ts'
import type { Panels } from '../state/panels.ts'

export interface ActionContext {
  sessionId: string
  /** What stands beside the session that asks. */
  panels: Panels
  /** The name of an agent of that session. */
  agentName: (agentId: string) => string | undefined
  /** The newest call of that session, as far as it is loaded, that has shown a chart with this title. */
  findChart: (title: string) => Promise<string | undefined>
  /** Whether that session is what the person looks at. */
  isInSight: () => boolean
  api: Api
  reader: ReaderPages
  /** Tells the person; by the browser where that is allowed and they look elsewhere. */
  tell: (title: string, body: string | undefined, tag: string) => Promise<'notification' | 'notice'>
}

/** What a file of `actions/` exports. Gives what the tool is told; throws words for the model where it cannot. */
export type Action = (input: Record<string, unknown>, context: ActionContext, call: { toolCallId: string }) => unknown

// The folder is the list of what a page may be asked to do: `actions/open-url.ts` is `open-url`.
const files = import.meta.glob<Action>('../actions/*.ts', { import: 'default' })

export interface ActionRegistry {
  names: readonly string[]
  /** What models are to know of an action beyond what its tool says. */
  notes?: Readonly<Record<string, readonly string[]>>
  load: (name: string) => Promise<Action | undefined>
}

export const pageActions: ActionRegistry = {
  names: Object.keys(files).map((path) => path.replace(/^.*\//, '').replace(/\.ts$/, '')),
  notes: { 'show-panel': [...offeredKinds].map(([kind, about]) => `"${kind}" is a panel, too: ${about}`) },
  load: (name) => files[`../actions/${name}.ts`]?.() ?? Promise.resolve(undefined),
}

/** Pages of the web as text to read, each fetched once by the server. */
export interface ReaderPages {
  /** `here`: the person wants a page of this machine. `again`: not the one that was read before. */
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

/** Pages of this machine are read only when the person says so. */
export function isLocalAddress(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  return host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]'
}

type Messages = readonly Pick<Message, 'parts'>[]

/** The newest call of ChartRender that has shown a chart with this title. */
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

/** How long the stream may be behind what a tool asks of the page. */
const chartTimeoutMs = 3000

/** The same for a chart that may be on its way: what a tool asks for comes by another way than the stream. */
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
