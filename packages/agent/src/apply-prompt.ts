import type { PromptAction } from './prompt-file/load-prompt.ts'
import { unknownPosition } from './prompt-file/parse-source.ts'
import { readOutput } from './prompt-file/read-output.ts'
import type { Slots } from './prompt/slots.ts'
import type { Turn } from './turn/turn.ts'

/** The agent operations a prompt file may use. `agent.ts` imports this file, not the reverse. */
export interface PromptTarget {
  merge(slots: Slots): unknown
  turn(): Turn
}

/** Methods that `.alias` may call. Those of the agent change the agent, the others the new turn. */
const agentMethods = ['always', 'merge', 'set', 'useTool', 'useTools'] as const
const turnMethods = [
  'input',
  'info',
  'instruct',
  'examples',
  'attachment',
  'history',
  'system',
  'developer',
  'role',
  'rules',
  'userInfo',
  'output',
  'ensure',
  'retries',
] as const

const parameters: Readonly<Record<string, readonly string[]>> = {
  ensure: ['paths', 'rule'],
  retries: ['count', 'otherwise'],
}

type AnyMethod = (...args: unknown[]) => unknown

export function applyPrompt(
  agent: PromptTarget,
  actions: readonly PromptAction[],
): Turn<Record<string, unknown>, unknown> {
  let turn: unknown = agent.turn()
  for (const action of actions) {
    if (action.type === 'agent') agent.merge(action.slots)
    else if (action.type === 'turn') turn = (turn as Turn).merge(action.slots)
    else turn = applyAlias(agent, turn, action)
  }
  return turn as Turn<Record<string, unknown>, unknown>
}

function applyAlias(agent: PromptTarget, turn: unknown, action: Extract<PromptAction, { type: 'alias' }>): unknown {
  const { fail } = action
  const method = camelCase(action.method)
  const scope = /^set(Agent|Request|Execution|Turn)Prompt$/.exec(method)?.[1]
  if (scope !== undefined) return setPrompt(agent, turn, action, scope === 'Agent')
  const args = positional(method, action)
  const given =
    method === 'output'
      ? [readOutput(args[0], unknownPosition, 'output', (message) => fail(message)), ...args.slice(1)]
      : args
  const isAgents = (agentMethods as readonly string[]).includes(method)
  if (!isAgents && !(turnMethods as readonly string[]).includes(method)) {
    fail(`this method does not exist; available: ${[...agentMethods, ...turnMethods].join(', ')}`)
  }
  const target = (isAgents ? agent : turn) as Record<string, AnyMethod>
  try {
    const made = (target[method] as AnyMethod).apply(target, given)
    return isAgents ? turn : made
  } catch (error) {
    return fail((error as Error).message)
  }
}

/** Agently's `set_request_prompt(key, value)` and `set_agent_prompt(key, value)`: one slot of the prompt. */
function setPrompt(
  agent: PromptTarget,
  turn: unknown,
  { args, named, fail }: Extract<PromptAction, { type: 'alias' }>,
  isAgents: boolean,
): unknown {
  const [key, value] = named
    ? [(args[0] as Record<string, unknown>)['key'], (args[0] as Record<string, unknown>)['value']]
    : args
  if (typeof key !== 'string') return fail('takes a key and a value')
  const slot = camelCase(key)
  const slots = {
    [slot]: slot === 'output' ? readOutput(value, unknownPosition, 'output', (message) => fail(message)) : value,
  }
  if (!isAgents) return (turn as Turn).merge(slots)
  agent.merge(slots)
  return turn
}

function positional(method: string, { args, named, fail }: Extract<PromptAction, { type: 'alias' }>): unknown[] {
  const names = Object.hasOwn(parameters, method) ? parameters[method] : undefined
  if (!named || names === undefined) return args
  const map = args[0] as Record<string, unknown>
  const unknown = Object.keys(map).filter((name) => !names.includes(name))
  if (unknown.length > 0) fail(`unknown argument ${unknown.join(', ')}; available: ${names.join(', ')}`)
  return names.map((name) => map[name])
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
