import type { Message } from '@troupe/core/protocol'
import { isToolCall, toolNameOf } from '../chat/tool-call.ts'
import { isRecord, textIn } from '../displays/parts/read-fields.ts'

/** The newest call of ChartRender that has shown a chart with this title. */
export function chartNamed(messages: readonly Pick<Message, 'parts'>[], title: string): string | undefined {
  return messages
    .flatMap(({ parts }) => parts)
    .filter(isToolCall)
    .findLast(
      (part) =>
        toolNameOf(part) === 'ChartRender' &&
        part.state === 'output-available' &&
        isRecord(part.input) &&
        textIn(part.input['title']) === title,
    )?.toolCallId
}
