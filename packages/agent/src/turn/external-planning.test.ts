import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Script, scriptedModel, type ScriptFunction } from '../../../core/src/testing/index.ts'
import { defineTool } from '../../../core/src/tool/tool.ts'
import { createAgent } from '../agent.ts'
import type { AgentOptions } from './agent-options.ts'
import { createToolRegistry } from './tool-registry.ts'

const userText = (call: { prompt: readonly { role: string; content: unknown }[] } | undefined): string => {
  const content = call?.prompt.findLast(({ role }) => role === 'user')?.content as { text?: string }[] | undefined
  return content?.map(({ text }) => text ?? '').join('') ?? ''
}

const plan = (kwargs: unknown, purpose = 'find the weather', name = 'weather') =>
  JSON.stringify({ use_tool: true, tool_command: { purpose, tool_name: name, tool_kwargs: kwargs } })

const weatherAgent = (script: Script, options: Partial<AgentOptions> = {}) => {
  const model = scriptedModel(script)
  const asked: string[] = []
  const agent = createAgent({ name: 'guide', model, planning: 'external', ...options })
  agent.registerTool({
    name: 'weather',
    description: 'The weather of a city.',
    input: z.object({ city: z.string().describe('its name') }),
    returns: z.object({ sky: z.string() }),
    readOnly: true,
    execute({ city }) {
      asked.push(city)
      if (city === 'Nowhere') throw new Error('There is no such city; ask for another.')
      return { sky: `clear over ${city}` }
    },
  })
  return { agent, model, asked }
}

describe('external planning', () => {
  it('makes exactly two requests: a plan, and an answer with the tool’s result', async () => {
    const { agent, model, asked } = weatherAgent([[{ text: plan({ city: 'Rome' }), chunks: 9 }], [{ text: 'Clear.' }]])
    agent.always({
      system: 'You guide.',
      history: [
        { role: 'user', content: 'earlier' },
        { role: 'assistant', content: 'yes' },
      ],
    })
    const run = agent.turn().input('How is Rome?').instruct('Be brief.').run()
    const events = await Array.fromAsync(run.events())
    const log = {
      name: 'weather',
      kwargs: { city: 'Rome' },
      purpose: 'find the weather',
      result: { sky: 'clear over Rome' },
    }
    expect(events[0]).toEqual({ type: 'tool', log })
    expect(events[1]).toEqual({ type: 'delta', delta: 'Clear.' })
    const { data, toolLogs, extra } = await run.result()
    expect({ data, toolLogs, extra }).toEqual({ data: 'Clear.', toolLogs: [log], extra: { toolLogs: [log] } })
    expect(asked).toEqual(['Rome'])
    expect(model.calls).toHaveLength(2)

    const [first, second] = model.calls
    expect(first?.tools).toBeUndefined()
    expect(first?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    const asksPlan = userText(first)
    expect(asksPlan).toContain('[TOOLS]:\n- name: weather\n  desc: The weather of a city.')
    expect(asksPlan).toContain('"city": <string> // its name')
    expect(asksPlan).toContain('returns:')
    expect(asksPlan).toContain('[extra instruction]:\nBe brief.')
    expect(asksPlan).toContain('[INPUT]:\nHow is Rome?')
    expect(asksPlan).toContain('"use_tool": <boolean>')

    const answers = userText(second)
    expect(answers).toContain('[ACTION RESULTS]:\nfind the weather:\n  sky: clear over Rome')
    expect(answers).toMatch(/\[extra_instruction\]:\n.*quote it or cite its source/)
    expect(answers).not.toContain('[TOOLS]')
  })

  it('has no block for a missing instruct', async () => {
    const { agent, model } = weatherAgent([[{ text: '{"use_tool": false}' }], [{ text: 'Hi.' }]])
    await agent.turn().input('Hello').run().result()
    expect(userText(model.calls[0])).not.toMatch(/extra instruction|None|null\n/)
  })

  it('cuts the plan short when no tool is needed, and keeps no log', async () => {
    const { agent, model, asked } = weatherAgent([
      [{ text: '{"use_tool": false,' }, { gate: 'never' }, { text: '"tool_command": null}' }],
      [{ text: 'Hello.' }],
    ])
    const { data, toolLogs, extra } = await agent.turn().input('Hello').run().result()
    expect({ data, toolLogs, extra }).toEqual({ data: 'Hello.', toolLogs: [], extra: {} })
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true)
    expect(asked).toEqual([])
    expect(userText(model.calls[1])).toBe('Hello')
  })

  it('a tool with plain text input is listed and called with it as input', async () => {
    const taken: string[] = []
    const { agent, model } = weatherAgent([[{ text: plan({ input: 'ls' }, 'look', 'say') }], [{ text: 'ok' }]])
    agent.useTool(
      defineTool({
        name: 'say',
        description: 'Says it.',
        input: z.string().describe('what to say'),
        readOnly: true,
        group: 'library',
        execute: (text) => void taken.push(text),
      }),
    )
    await agent.turn().input('q').run().result()
    expect(taken).toEqual(['ls'])
    expect(userText(model.calls[0])).toContain('{\n      "input": <string> // what to say\n    }')
    expect(agent.getToolList().at(-1)?.kwargs).toMatchObject({ properties: { input: { type: 'string' } } })
  })

  it.each([
    ['decided against tools', '{"use_tool": false}'],
    ['asked for one', plan({ city: 'Rome' })],
    ['could not be read', 'Perhaps.'],
  ])('the tokens of a plan that %s are counted', async (_, text) => {
    const usage = { inputTokens: 100, outputTokens: 10 }
    const { agent } = weatherAgent([
      [{ text }, { finish: 'stop', usage }],
      [{ text: 'Hi.' }, { finish: 'stop', usage }],
    ])
    const result = await agent.turn().input('q').run().result()
    expect(result.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 })
  })

  it('runs nothing before the decision, even if the command comes first', async () => {
    const first = `{"tool_command": {"purpose": "p", "tool_name": "weather", "tool_kwargs": {"city": "Rome"}}, "use_tool": false}`
    const { agent, asked } = weatherAgent([[{ text: first, chunks: 12 }], [{ text: 'ok' }]])
    await agent.turn().input('q').run().result()
    expect(asked).toEqual([])
  })

  it("a command without arguments is the tool's complaint, not the end of the turn", async () => {
    const { agent, asked } = weatherAgent([[{ text: plan(undefined) }], [{ text: 'I could not look.' }]])
    const { data, toolLogs } = await agent.turn().input('q').run().result()
    expect(data).toBe('I could not look.')
    expect(toolLogs).toEqual([expect.objectContaining({ name: 'weather', error: expect.stringContaining('city') })])
    expect(asked).toEqual([])
  })

  it('a tool error and an unknown tool are reported to the model', async () => {
    const { agent, model } = weatherAgent([
      [{ text: plan({ city: 'Nowhere' }) }],
      [{ text: 'a' }],
      [{ text: plan({}, 'x', 'sunset') }],
      [{ text: 'b' }],
    ])
    await agent.turn().input('q').run().result()
    expect(userText(model.calls[1])).toContain('error: There is no such city; ask for another.')
    const { toolLogs } = await agent.turn().input('q').run().result()
    expect(toolLogs[0]?.error).toMatch(/There is no tool "sunset". Available tools: weather/)
  })

  it.each([
    'I think a tool would be nice.',
    '{"use_tool": "maybe"}',
    '{"use_tool": true, "tool_command": {"purpose": "p"}}',
    '{"tool_command": null}',
  ])('a plan like %j answers without tools, with a warning', async (text) => {
    const { agent, model, asked } = weatherAgent([[{ text }], [{ text: 'Answered.' }]])
    const run = agent.turn().input('q').run()
    const events = await Array.fromAsync(run.events())
    expect(events[0]).toMatchObject({
      type: 'warning',
      message: expect.stringContaining('the answer was written without it'),
    })
    const { data, extra } = await run.result()
    expect(data).toBe('Answered.')
    expect(extra['planProblem']).toMatch(/A tool plan was invalid/)
    expect(asked).toEqual([])
    expect(model.calls).toHaveLength(2)
  })

  it('an answer that is not accepted does not run the tools again', async () => {
    const schema = z.object({ sky: z.string() })
    const { agent, model, asked } = weatherAgent([
      [{ text: plan({ city: 'Rome' }) }],
      [{ text: '{}' }],
      [{ text: '{"sky": "clear"}' }],
    ])
    const { data, attempts, toolLogs } = await agent.turn().input('q').output(schema).run().result()
    expect({ data, attempts }).toEqual({ data: { sky: 'clear' }, attempts: 2 })
    expect(toolLogs).toHaveLength(1)
    expect(asked).toEqual(['Rome'])
    expect(model.calls).toHaveLength(3)
    expect(userText(model.calls[2])).toContain('sky: clear over Rome')
    expect(userText(model.calls[2])).toContain('[RETRY]:')
  })

  it('keeps the logs of two turns apart', async () => {
    const { agent } = weatherAgent((prompt) => {
      const text = userText({ prompt: prompt as never })
      const city = /City \w+/.exec(text)?.[0] ?? ''
      return text.includes('[TOOLS]') ? [{ text: plan({ city }, city), chunks: 7 }] : [{ text: city, chunks: 3 }]
    })
    const cities = ['City A', 'City B', 'City C']
    const results = await Promise.all(cities.map((city) => agent.turn().input(city).run().result()))
    expect(results.map(({ toolLogs }) => toolLogs.map(({ purpose }) => purpose))).toEqual(cities.map((city) => [city]))
  })

  it('fails when the provider does', async () => {
    const { agent } = weatherAgent(() => [{ error: { message: 'no', statusCode: 401 } }])
    await expect(agent.turn().input('q').run().result()).rejects.toMatchObject({ name: 'ProviderAuth' })
  })

  it('prints one line per log when asked to', async () => {
    const lines: string[] = []
    const { agent } = weatherAgent([[{ text: plan({ city: 'Rome' }) }], [{ text: 'x' }]], {
      showToolLogs: (line) => void lines.push(line),
    })
    await agent.turn().input('q').run().result()
    expect(lines).toEqual(['[tool] weather({"city":"Rome"}) for "find the weather" -> {"sky":"clear over Rome"}'])
  })
})

describe('several rounds', () => {
  const round = (commands: [purpose: string, city: string][]) =>
    JSON.stringify({
      next_action: commands.length === 0 ? 'response' : 'execute',
      execution_commands: commands.map(([purpose, city]) => ({ purpose, tool_name: 'weather', tool_kwargs: { city } })),
    })

  it('continue until the plan says response, each with the previous results', async () => {
    const { agent, model, asked } = weatherAgent(
      [
        [
          {
            text: round([
              ['look', 'Rome'],
              ['look', 'Oslo'],
            ]),
          },
        ],
        [{ text: round([['again', 'Paris']]) }],
        [{ text: '{"next_action": "response",' }, { gate: 'never' }],
        [{ text: 'All clear.' }],
      ],
      { rounds: 5 },
    )
    const { toolLogs } = await agent.turn().input('q').run().result()
    expect(asked).toEqual(['Rome', 'Oslo', 'Paris'])
    expect(toolLogs).toHaveLength(3)
    expect(userText(model.calls[1])).toContain('[done_plans]:\n- look (weather)\n- look (weather)')
    expect(userText(model.calls[1])).toContain('look (2):\n  sky: clear over Oslo')
    expect(userText(model.calls[3])).toContain('[ACTION RESULTS]:\nlook:\n  sky: clear over Rome\nlook (2):')
    expect(userText(model.calls[3])).toContain('again:\n  sky: clear over Paris')
  })

  it('are five at most', async () => {
    const { agent, model } = weatherAgent(
      (prompt) => {
        const text = userText({ prompt: prompt as never })
        return [{ text: text.includes('[TOOLS]') ? round([['look', 'Rome']]) : 'done' }]
      },
      { rounds: 99 },
    )
    await agent.turn().input('q').run().result()
    expect(model.calls).toHaveLength(6)
  })

  it('run the read-only calls of a round together', async () => {
    let running = 0
    let most = 0
    const model = scriptedModel([
      [
        {
          text: JSON.stringify({
            next_action: 'execute',
            execution_commands: [1, 2].map((n) => ({ purpose: `p${n}`, tool_name: 'look', tool_kwargs: {} })),
          }),
        },
      ],
      [{ text: '{"next_action": "response", "execution_commands": []}' }],
      [{ text: 'x' }],
    ])
    const agent = createAgent({ name: 'a', model, planning: 'external', rounds: 2 })
    agent.registerTool({
      name: 'look',
      readOnly: true,
      async execute() {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
      },
    })
    await agent.turn().input('q').run().result()
    expect(most).toBe(2)
  })
})

describe('native planning', () => {
  it('lets the model call tools, and logs their results before the answer', async () => {
    const { agent, model, asked } = weatherAgent(
      [
        [{ text: 'Let me look.' }, { call: { name: 'weather', input: { city: 'Rome', actionName: 'look at Rome' } } }],
        [{ text: 'Clear.' }],
      ],
      { planning: 'native' },
    )
    const run = agent.turn().input('q').run()
    const events = await Array.fromAsync(run.events())
    expect(events.map(({ type }) => type)).toEqual(['delta', 'tool', 'step', 'delta', 'done'])
    const { data, toolLogs } = await run.result()
    expect(data).toBe('Clear.')
    expect(toolLogs).toEqual([
      { name: 'weather', kwargs: { city: 'Rome' }, purpose: 'look at Rome', result: { sky: 'clear over Rome' } },
    ])
    expect(asked).toEqual(['Rome'])
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['weather'])
    expect(model.calls[1]?.prompt.at(-1)?.role).toBe('tool')
  })

  it('a structured answer can follow text before the tool calls', async () => {
    const { agent } = weatherAgent(
      [
        [{ text: 'I look at {Rome}.' }, { call: { name: 'weather', input: { city: 'Rome' } } }],
        [{ text: '{"sky": "clear"}' }],
      ],
      { planning: 'native' },
    )
    const run = agent
      .turn()
      .input('q')
      .output(z.object({ sky: z.string() }))
      .run()
    expect(await run.key('sky')).toBe('clear')
    expect((await run.result()).text).toBe('{"sky": "clear"}')
  })

  it('an answer that is not accepted does not run the tools again: their results join the prompt', async () => {
    const { agent, model, asked } = weatherAgent(
      [
        [{ call: { name: 'weather', input: { city: 'Rome', actionName: 'look' } } }],
        [{ text: 'oh' }],
        [{ text: '{"sky": "clear"}' }],
      ],
      { planning: 'native' },
    )
    const { data, attempts } = await agent
      .turn()
      .input('q')
      .output(z.object({ sky: z.string() }))
      .run()
      .result()
    expect({ data, attempts }).toEqual({ data: { sky: 'clear' }, attempts: 2 })
    expect(asked).toEqual(['Rome'])
    expect(model.calls).toHaveLength(3)
    expect(model.calls[2]?.tools).toBeUndefined()
    expect(userText(model.calls[2])).toContain('[ACTION RESULTS]:\nlook:\n  sky: clear over Rome')
  })

  it('a tool that asks is denied without an ask function, and runs after an approval', async () => {
    const played: Script = (prompt) =>
      prompt.at(-1)?.role === 'tool' ? [{ text: 'done' }] : [{ call: { name: 'send', input: {} } }]
    const sent: number[] = []
    const tool = { name: 'send', needsApproval: true, execute: () => void sent.push(1) }
    const alone = createAgent({ name: 'a', model: scriptedModel(played) }).registerTool(tool)
    const denied = await alone.turn().input('q').run().result()
    expect(denied.toolLogs[0]?.error).toMatch(/Nobody is available to approve/)
    expect(sent).toEqual([])
    const asked: string[] = []
    const watched = createAgent({
      name: 'a',
      model: scriptedModel(played),
      ask: ({ toolName }) => {
        asked.push(toolName)
        return { type: 'approve' }
      },
    }).registerTool(tool)
    await watched.turn().input('q').run().result()
    expect({ sent, asked }).toEqual({ sent: [1], asked: ['send'] })
    const forbidden = createAgent({
      name: 'a',
      model: scriptedModel(played),
      permissions: { deny: ['send'] },
      ask: () => ({ type: 'approve' }),
    }).registerTool(tool)
    expect((await forbidden.turn().input('q').run().result()).toolLogs[0]?.error).toMatch(/send/)
    expect(sent).toEqual([1])
  })
})

describe('an abort', () => {
  it.each(['native', 'external'] as const)('while a tool runs ends it and the turn (%s)', async (planning) => {
    const controller = new AbortController()
    const model = scriptedModel((_, __, request) =>
      request.tools === undefined ? [{ text: plan({}, 'wait', 'wait') }] : [{ call: { name: 'wait', input: {} } }],
    )
    let ended = false
    const agent = createAgent({ name: 'a', model, planning }).registerTool({
      name: 'wait',
      execute: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended = true
            resolve(undefined)
          })
          controller.abort(new Error('enough'))
        }),
    })
    await expect(agent.turn().input('q').run({ signal: controller.signal }).result()).rejects.toThrow('enough')
    expect(ended).toBe(true)
    expect(model.calls).toHaveLength(1)
  })
})

describe('auto', () => {
  const answers: ScriptFunction = (prompt, _, request) => {
    const text = userText({ prompt: prompt as never })
    if (request.tools !== undefined && prompt.at(-1)?.role !== 'tool')
      return [{ call: { name: 'weather', input: { city: 'Rome' } } }]
    return [{ text: text.includes('[TOOLS]') ? plan({ city: 'Rome' }) : 'ok' }]
  }

  it('lets capable models call tools, and plans for others', async () => {
    const able = weatherAgent(answers, { planning: 'auto' })
    await able.agent.turn().input('q').run().result()
    expect(able.model.calls[0]?.tools).toHaveLength(1)
    const unable = weatherAgent(answers, { planning: 'auto', capabilities: { toolCalls: false } })
    await unable.agent.turn().input('q').run().result()
    expect(unable.model.calls.map(({ tools }) => tools)).toEqual([undefined, undefined])
    expect(unable.asked).toEqual(['Rome'])
  })

  it('learns from a provider that refuses tools', async () => {
    const { agent, model, asked } = weatherAgent(
      (prompt, index, request) => {
        if (request.tools !== undefined)
          return [{ error: { message: 'this model does not support tools', statusCode: 400 } }]
        return answers(prompt, index, request)
      },
      { planning: 'auto' },
    )
    const run = agent.turn().input('q').run()
    const [warning] = await Array.fromAsync(run.events())
    expect(warning).toMatchObject({ type: 'warning', message: expect.stringContaining('does not support tools') })
    expect((await run.result()).data).toBe('ok')
    expect((await agent.turn().input('q').run().result()).data).toBe('ok')
    expect(model.calls.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 0, 0, 0, 0])
    expect(asked).toEqual(['Rome', 'Rome'])
  })
})

describe('tools of an agent', () => {
  const model = scriptedModel(() => [{ text: 'x' }])

  it('are registered, listed by tag and shared through a registry', () => {
    const registry = createToolRegistry()
    const one = createAgent({ name: 'one', model, registry })
    const two = createAgent({ name: 'two', model, registry })
    const double = one.toolFunc(
      {
        name: 'double',
        description: 'Doubles.',
        input: z.object({ n: z.number() }),
        returns: z.number(),
        tags: ['math'],
        readOnly: true,
      },
      ({ n }) => n * 2,
    )
    expect(double({ n: 4 })).toBe(8)
    two.useTools([double, 'double'])
    expect(one.getToolList()).toEqual([
      {
        name: 'double',
        description: 'Doubles.',
        kwargs: expect.objectContaining({ properties: { n: { type: 'number' } } }),
        returns: { type: 'number' },
        tags: ['math', 'agent-one', 'agent-two'],
        readOnly: true,
      },
    ])
    expect(two.getToolList({ tags: ['math', 'agent-one'] })).toHaveLength(1)
    expect(two.getToolList({ tags: ['other'] })).toEqual([])
  })

  it('may be functions, tools, or names of built-in ones', () => {
    const agent = createAgent({ name: 'a', model })
    function shout(input: { text: string }) {
      return input.text.toUpperCase()
    }
    agent
      .useTools([Object.assign(shout, { description: 'Shouts.', input: z.object({ text: z.string() }) }), 'TimeNow'])
      .useTool('time-now')
    expect(agent.getToolList().map(({ name, description }) => [name, description.split('.')[0]])).toEqual([
      ['shout', 'Shouts'],
      ['TimeNow', expect.any(String)],
    ])
    expect(() => agent.useTools('Nothing')).toThrow(/There is no tool "Nothing". Known: /)
    expect(() => agent.useTools([() => 1])).toThrow(TypeError)
  })

  it('can be passed with the agent, functions too', () => {
    const look = (): string => 'seen'
    expect(createAgent({ name: 'a', model, tools: ['TimeNow', look] }).getToolList()).toMatchObject([
      { name: 'TimeNow' },
      { name: 'look' },
    ])
  })

  it('a name belongs to one tool only', () => {
    const agent = createAgent({ name: 'a', model }).registerTool({ name: 'look', execute: () => 1 })
    expect(() => agent.registerTool({ name: 'Look', execute: () => 2 })).toThrow(
      expect.objectContaining({ name: 'ToolExists' }),
    )
  })
})
