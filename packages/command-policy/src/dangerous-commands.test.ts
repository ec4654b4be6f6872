import { afterAll, describe, expect, it } from 'vitest'
import { analyzeCommand } from './analyze-command.ts'
import type { CommandAnalysis } from './command-analysis.ts'
import { type BashTrial, hasBubblewrap, noBubblewrap, openBashTrials, readCommands } from './testing/bash-trials.ts'

const dangerous = readCommands('dangerous-commands.txt')
const everyday = readCommands('everyday-commands.txt')
/** A full run checks all of them in real bash, other runs a sample: each needs its own sandbox. */
const judged = process.env['TROUPE_TEST_FULL'] === '1' ? 1 : 24

const analyze = (command: string, git = true): CommandAnalysis =>
  analyzeCommand(command, { cwd: '/ws', home: '/home/me', isPlainRepository: () => git })

const trials = hasBubblewrap ? openBashTrials() : undefined
afterAll(() => trials?.dispose())

function tryOne(command: string): Promise<BashTrial> {
  if (trials === undefined) throw new Error(noBubblewrap)
  return trials.try(command)
}

async function tryAll<T>(commands: readonly string[], look: (command: string) => Promise<T | undefined>): Promise<T[]> {
  const found: T[] = []
  const left = [...commands]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const one = await look(next)
      if (one !== undefined) found.push(one)
    }
  }
  await Promise.all([work(), work()])
  return found
}

describe('dangerous commands', () => {
  it('are many', () => expect(new Set(dangerous.map(({ command }) => command)).size).toBeGreaterThan(600))

  it('are never harmless', () => {
    expect(dangerous.filter(({ command }) => analyze(command).harmless)).toEqual([])
  })

  it('do not run without asking, even read-only', () => {
    expect(dangerous.filter(({ command }) => analyze(command).contained)).toEqual([])
  })

  it('are found by name, or the analysis reports an unknown part', () => {
    const hidden = dangerous.filter(({ command }) => {
      const { commands, unseen } = analyze(command)
      if (!command.includes('evil') || unseen !== undefined) return false
      return !commands.some(({ name }) => name === 'evil')
    })
    expect(hidden).toEqual([])
  })

  it.skipIf(!hasBubblewrap)(
    `are dangerous: a real bash judges${hasBubblewrap ? '' : ` (${noBubblewrap})`}`,
    async () => {
      const tried = dangerous.filter((one, index) => one.judged && index % judged === 0).map(({ command }) => command)
      const idle = await tryAll(tried, async (command) => {
        const { ran, changed, output } = await tryOne(command)
        return ran.length === 0 && changed.length === 0 ? `${command} => ${output}` : undefined
      })
      expect(idle).toEqual([])
    },
    600_000,
  )
})

describe('everyday commands', () => {
  it('are forty', () => expect(everyday).toHaveLength(40))

  it('rarely ask without a sandbox, and never with one', () => {
    const asked = everyday.filter(({ command }) => !analyze(command).harmless)
    expect(asked.length).toBeLessThanOrEqual(3)
    // Even if git may run programs that a folder configures.
    expect(everyday.filter(({ command }) => !analyze(command, false).harmless).length).toBeLessThanOrEqual(10)
    expect(everyday.filter(({ command }) => !analyze(command, false).contained)).toEqual([])
  })

  it.skipIf(!hasBubblewrap)(
    `leave no trace: a real bash judges${hasBubblewrap ? '' : ` (${noBubblewrap})`}`,
    async () => {
      expect(await trials?.traces(everyday.map(({ command }) => command))).toEqual([])
    },
    120_000,
  )
})
