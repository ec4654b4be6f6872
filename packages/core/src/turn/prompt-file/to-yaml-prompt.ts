import { Document, isScalar, Scalar, visit } from 'yaml'
import { toJson } from '../../run/to-json.ts'
import { isEmpty, type Slots } from '../slots.ts'
import { writeOutput } from './write-output.ts'

const fileNames: Readonly<Record<string, string>> = {
  userInfo: 'user_info',
  history: 'chat_history',
  actionResults: 'action_results',
}

/** Slots as a prompt file that gives the same slots when it is loaded. */
export function toYamlPrompt(agent: Slots, turn: Slots): string {
  const document = {
    ...(!isEmpty(agent) && { '.agent': writeSlots(agent) }),
    ...(!isEmpty(turn) && { '.request': writeSlots(turn) }),
  }
  const written = new Document(document, { aliasDuplicateObjects: false })
  visit(written, {
    Pair(_, { key }) {
      // Without quotes, this key would merge its value into the map around it.
      if (isScalar(key) && key.value === '<<') key.type = Scalar.QUOTE_DOUBLE
    },
  })
  return written.toString({ lineWidth: 0 })
}

function writeSlots(slots: Slots): Record<string, unknown> {
  const pairs = Object.entries(slots).map(([name, value]) => {
    const written = name === 'output' && typeof value !== 'string' ? writeOutput(value) : toJson(value)
    return [fileNames[name] ?? name, written] as const
  })
  return Object.fromEntries(pairs)
}
