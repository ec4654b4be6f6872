import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { Language, type Node, Parser } from 'web-tree-sitter'
import { analyzeCommand } from './analyze-command.ts'
import type { CommandAnalysis } from './command-analysis.ts'
import { lexLiteral } from './literal-lexer.ts'
import { programs } from './programs/programs.ts'
import { hasBubblewrap, noBubblewrap, openBashTrials } from './testing/bash-trials.ts'
import { randomArguments, randomCommand, randomScript, seededRandom } from './testing/random-commands.ts'
import { executedCommands } from './testing/run-in-bash.ts'

const full = process.env['TROUPE_TEST_FULL'] === '1'
/** The default seed is fixed. The full run uses a new seed each time. */
const seed = Number(process.env['TROUPE_TEST_SEED'] ?? (full ? Date.now() % 1_000_000 : 4880))
const analyze = (text: string): CommandAnalysis => analyzeCommand(text, { cwd: '/ws', home: '/home/me' })
const name = (text: string): string => `${text} (seed ${seed}${hasBubblewrap ? '' : `; ${noBubblewrap}`})`

describe('random commands', () => {
  it.skipIf(!hasBubblewrap)(
    name('run as it was said, word by word, wherever that was said'),
    async () => {
      const random = seededRandom(seed)
      const plain: { text: string; analysis: CommandAnalysis }[] = []
      for (let count = full ? 100_000 : 2000; count > 0; count--) {
        const text = randomCommand(random, count % 3 === 0 ? 15 : 2)
        const analysis = analyze(text)
        if (analysis.plain && analysis.floor === undefined) plain.push({ text, analysis })
      }
      expect(plain.length).toBeGreaterThan(full ? 5000 : 80)
      const ran = await executedCommands(plain.map(({ text }) => text))
      expect(ran.flat().length).toBeGreaterThan(plain.length / 2)
      const wrong = plain.flatMap(({ text, analysis }, index) => {
        const said = analysis.commands.map(({ argv }) => JSON.stringify(argv))
        return (ran[index] ?? []).flatMap((argv) => {
          const at = said.indexOf(JSON.stringify(argv))
          if (at !== -1) said.splice(at, 1)
          return at === -1 ? [{ text, argv }] : []
        })
      })
      expect(wrong).toEqual([])
    },
    1_200_000,
  )

  it.skipIf(!hasBubblewrap)(
    name('hold no command that deny rules would not see'),
    async () => {
      const random = seededRandom(seed + 1)
      const seen: { text: string; analysis: CommandAnalysis }[] = []
      for (let count = full ? 20_000 : 400; count > 0; count--) {
        const text = randomScript(random, count % 2 === 0 ? 3 : 0)
        const analysis = analyze(text)
        const { unseen, overLimit, floor } = analysis
        if ((unseen ?? overLimit ?? floor) === undefined) seen.push({ text, analysis })
      }
      const ran = await executedCommands(seen.map(({ text }) => text))
      const missed = seen.flatMap(({ text, analysis: { commands } }, index) => {
        const explains = (argv: readonly string[]): boolean =>
          commands.some((found) =>
            found.argv === null
              ? found.literalPrefix.length > 0 && found.literalPrefix.every((word, at) => word === argv[at])
              : JSON.stringify(found.argv) === JSON.stringify(argv),
          )
        return (ran[index] ?? []).filter((argv) => !explains(argv)).map((argv) => ({ text, argv }))
      })
      expect(missed).toEqual([])
    },
    1_200_000,
  )
})

describe('harmless commands', () => {
  it.skipIf(!hasBubblewrap)(
    name('leave no trace, whatever their words'),
    async () => {
      const random = seededRandom(seed + 3)
      const trials = openBashTrials()
      // Missing on this machine, or they block.
      const all = [...programs].filter(([one]) => !/^(sleep|tree|fd|rg|gsed|gawk|nawk|sw_vers|shasum)$/.test(one))
      const harmless: string[] = []
      while (harmless.length < (full ? 4000 : 60)) {
        const [program, { options }] = random.of(all)
        const text = randomArguments(random, program, [...(options?.kinds.keys() ?? [])])
        const place = { cwd: '/ws', home: '/home/me', isPlainRepository: () => true }
        if (analyzeCommand(text, place).harmless && !/^tail .*(-\w*[fF]|--follow|--retry)/.test(text))
          harmless.push(text)
      }
      const traces = await trials.traces(harmless)
      trials.dispose()
      expect(traces).toEqual([])
    },
    1_200_000,
  )
})

describe('another parser', () => {
  let parser: Parser
  beforeAll(async () => {
    const { resolve } = createRequire(import.meta.url)
    await Parser.init()
    parser = new Parser()
    parser.setLanguage(await Language.load(readFileSync(resolve('tree-sitter-bash/tree-sitter-bash.wasm'))))
  })

  it.skipIf(!hasBubblewrap)(
    name('finds no command in plain text that bash runs and ours did not see'),
    async () => {
      const random = seededRandom(seed + 2)
      const missed: { text: string; named: string }[] = []
      let compared = 0
      for (let count = full ? 100_000 : 2000; count > 0; count--) {
        const text = randomCommand(random, count % 3 === 0 ? 15 : 2)
        const { plain, commands } = analyze(text)
        if (!plain) continue
        const tree = parser.parse(text)
        const known = new Set(commands.map(({ argv }) => argv?.[0]))
        for (const named of tree === null ? [] : namesIn(tree.rootNode)) {
          compared++
          if (!known.has(named)) missed.push({ text, named })
        }
        tree?.delete()
      }
      expect(compared).toBeGreaterThan(full ? 10_000 : 200)
      // Generated arguments sometimes form commands, so bash decides.
      const ran = await executedCommands(missed.map(({ text }) => text))
      expect(missed.filter(({ named }, index) => ran[index]?.some(([program]) => program === named))).toEqual([])
    },
    600_000,
  )
})

function namesIn(node: Node): string[] {
  return node
    .descendantsOfType('command_name')
    .filter((one) => one !== null)
    .map(({ text }) => lexLiteral(text).words?.[0] ?? text)
}
