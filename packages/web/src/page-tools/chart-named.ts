import type { Message } from '@troupe/core/protocol'
import { isToolCall, getToolName } from '../chat/tool-call.ts'
import { isRecord, textIn } from '../displays/parts/read-fields.ts'

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
