import { createHash } from 'node:crypto'

interface Message {
  role: string
  tool_call_id?: string
  tool_calls?: { id: string }[]
}

const family = /mistral|mixtral|ministral|magistral|codestral|devstral|pixtral/i

/**
 * A request as Mistral's models take it, whoever serves them: they refuse a message of the person right after results
 * (where what a tool has read is shown, or the person steered), and calls whose id is not nine letters and digits (such
 * as those that another model made). Requests of other models are left as they are.
 */
export function forMistral<Body extends Record<string, unknown>>(body: Body): Body {
  const { model, messages } = body
  if (typeof model !== 'string' || !family.test(model) || !Array.isArray(messages)) return body
  const given = messages as Message[]
  const bridged = given.flatMap((message, index) => {
    const follows = message.role === 'user' && given[index - 1]?.role === 'tool'
    return follows ? [{ role: 'assistant', content: 'I have the results.' }, message] : [message]
  })
  return { ...body, messages: bridged.map(withShortIds) }
}

function withShortIds(message: Message): Message {
  const { tool_call_id: id, tool_calls: calls } = message
  if (id !== undefined) return { ...message, tool_call_id: shortId(id) }
  if (calls === undefined) return message
  return { ...message, tool_calls: calls.map((call) => ({ ...call, id: shortId(call.id) })) }
}

function shortId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)
}
