import type { Budget } from '../agent-definition.ts'
import { run, type RunOutcome } from '../run/run.ts'
import type { RunInput } from '../run/run-input.ts'
import { createAgentTree } from './agent-tree.ts'
import { createMemoryHost, type MemoryHost, type MemoryHostOptions } from './memory-host.ts'
import { Meter } from './meter.ts'

export interface RunWithAgentsOptions extends Omit<MemoryHostOptions, 'root'> {
  /** For the whole tree. */
  budget?: Budget
  /** How many children of one agent work at a time. Default: 4. */
  parallel?: number
  /** Hands out the conversations of the sub-agents. */
  onHost?(host: MemoryHost): void
}

/** A run whose `Task` calls start sub-agents, for programs without a server. Ends when all of them have. */
export async function runWithAgents(input: RunInput, options: RunWithAgentsOptions): Promise<RunOutcome> {
  const host = createMemoryHost({ ...options, root: input })
  options.onHost?.(host)
  const tree = createAgentTree({
    host,
    sessionId: input.session.id,
    emit: (chunk) => input.log.append(chunk),
    ...(options.parallel !== undefined && { parallel: options.parallel }),
  })
  const meter = new Meter(input.frames.at(-1)?.name ?? 'master', options.budget)
  const notices: { id: string; text: string }[] = []
  const link = tree.link({
    runId: input.runId,
    agentId: null,
    frames: input.frames,
    tools: input.tools,
    modelId: input.model.id,
    meter,
    signal: input.signal,
    resumed: false,
    steer(message) {
      notices.push(message)
      return Promise.resolve()
    },
  })
  try {
    return await run({
      ...input,
      meter,
      writes: () => tree.writes,
      agents: link.agents,
      idle: link.idle,
      steering: (ending) => [...notices.splice(0), ...(input.steering?.(ending && notices.length === 0) ?? [])],
    })
  } finally {
    await link.close()
  }
}
