import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../../core/src/testing/index.ts'
import { createAgent } from './agent.ts'

const agentFor = (...texts: string[]) => {
  const model = scriptedModel((_, index) => [{ text: texts[index] ?? 'ok' }])
  return { model, agent: createAgent({ name: 'file', model }) }
}

describe('a prompt file', () => {
  it('becomes a turn, and agent settings stay with the agent', async () => {
    const { agent } = agentFor()
    const turn = agent.loadYamlPrompt('$role: editor\n.request: { info: { a: 1 } }\ninput: ${topic}', {
      mappings: { topic: 'sea' },
    })
    expect(turn.info({ b: 2 }).toText()).toBe(
      'system:\n[ROLE]:\neditor\n\nuser:\n[INFO]:\na: 1\nb: 2\n\n[INPUT]:\nsea\n\n[OUTPUT]:\n\nassistant:',
    )
    expect(agent.turn().input('x').toText()).toContain('[ROLE]:\neditor')
    expect(agent.turn().input('x').toText()).not.toContain('sea')
  })

  it('calls methods by alias: a map passes arguments by name, a list in order, null none', async () => {
    const { agent } = agentFor()
    const turn = agent.loadYamlPrompt(`
.alias:
  always: { rules: [cite] }
  user_info: { name: Ana }
  info: { .args: ["from a list"] }
  output: { t: str }
  ensure: { .args: [t, not-empty] }
  use_tools: { .args: [TimeNow] }
`)
    expect(turn.toText()).toContain('[RULES]:\n- cite')
    expect(turn.toText()).toContain('[USER INFO]:\nname: Ana')
    expect(turn.toText()).toContain('[INFO]:\nfrom a list')
    expect(turn.toText()).toContain('"t": <string>')
    expect(agent.getToolList().map(({ name }) => name)).toEqual(['TimeNow'])
  })

  it('accepts Agently’s names for prompt slots, and JSON as the only structured output format', () => {
    const { agent } = agentFor()
    const turn = agent.loadYamlPrompt(`
output_format: json
.alias:
  set_agent_prompt: { .args: [role, editor] }
  set_request_prompt: { key: input, value: the sea }
`)
    expect(turn.toText()).toContain('[ROLE]:\neditor')
    expect(turn.toText()).toContain('the sea')
    expect(turn.toText()).not.toContain('output_format')
    expect(() => agent.loadYamlPrompt('output: { a: str }\noutput_format: markdown')).toThrow(
      /<yaml text>:2: output_format: structured output must be JSON/,
    )
  })

  it('rejects an unknown method, and lists the known ones', () => {
    const { agent } = agentFor()
    const load = (text: string) => () => agent.loadYamlPrompt(text)
    expect(load('.alias:\n  close: null')).toThrow(
      /<yaml text>:2: .alias.close: this method does not exist; available: always, .*retries/,
    )
    expect(load('.alias:\n  constructor: null')).toThrow(/this method does not exist/)
    expect(load('.alias:\n  use_tools: { .args: [Nothing] }')).toThrow(
      /<yaml text>:2: .alias.use_tools: There is no tool "Nothing"/,
    )
  })

  it('a map passes the arguments of a method by name', async () => {
    const { agent, model } = agentFor('{"a": ""}', '{"a": ""}')
    const aliases = '.alias:\n  ensure: { paths: a, rule: not-empty }\n  retries: { count: 1, otherwise: last }\n'
    const turn = agent.loadYamlPrompt(`input: q\noutput: { a: str }\n${aliases}`)
    const { data, attempts } = await turn.run().result()
    expect({ data, attempts }).toEqual({ data: { a: '' }, attempts: 2 })
    expect(model.calls).toHaveLength(2)
    const load = (text: string) => () => agent.loadYamlPrompt(text)
    expect(load('.alias:\n  retries: { times: 1 }')).toThrow(/unknown argument times; available: count, otherwise/)
    expect(load('.alias:\n  retries: { .args: [often] }')).toThrow(
      /<yaml text>:2: .alias.retries: retries takes a number/,
    )
  })

  it('type names validate: a wrong answer is retried', async () => {
    const { agent, model } = agentFor('{"n": "three", "list": []}', '{"n": 3, "list": ["a"]}')
    const turn = agent.loadJsonPrompt(`{ input: 'q', output: { n: 'int', list: 'list[str]' } }`)
    const { data, attempts } = await turn.run().result()
    expect({ data, attempts }).toEqual({ data: { n: 3, list: ['a'] }, attempts: 2 })
    expect(model.calls).toHaveLength(2)
  })

  it('round-trips: a written file loads to the same prompt', () => {
    const { agent } = agentFor()
    const turn = agent.loadYamlPrompt(`
$system: You edit.
info: { z: 1, a: [x] }
output:
  items:
    - t: { $type: str, $desc: a title, $ensure: not_empty }
      n: { $type: "Optional[int]" }
`)
    const text = turn.toYamlPrompt()
    const again = createAgent({ name: 'again', model: scriptedModel([]) }).loadYamlPrompt(text)
    expect(again.toText()).toBe(turn.toText())
    expect(again.toYamlPrompt()).toBe(text)
    expect(agent.toYamlPrompt()).toBe('.agent:\n  system: You edit.\n')
  })
})
