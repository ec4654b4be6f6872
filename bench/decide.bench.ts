import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { compileRules, decide, findTool, getBuiltinTools, placeContext } from '@troupe/core'
import type { Decision, Policy, RuleLine, Tool } from '@troupe/core'
import { median, micros } from './measure.ts'

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-bench-')))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))
mkdirSync(path.join(root, 'src'))
writeFileSync(path.join(root, 'src/a.ts'), 'x\n')

const [bash, read] = ['Bash', 'Read'].map((name) => findTool(name, getBuiltinTools()) as Tool) as [Tool, Tool]
const ctx = placeContext(root)

/** Returns 200 rules of every form, like a user's file after a year. */
function rules(): RuleLine[] {
  const texts = Array.from({ length: 200 }, (_, i) => {
    const forms = [`Bash(tool${i} run *)`, `Bash(npm run task${i})`, `Read(folder${i}/**)`, `Edit(*.ext${i})`, `WebFetch(domain:host${i}.example)`, `mcp__server${i}`, `Bash(git verb${i}:*)`, `Read(//data/${i}/**)`] // prettier-ignore
    return forms[i % forms.length]!
  })
  const effects = ['allow', 'allow', 'ask', 'deny'] as const
  return texts.map((text, i) => ({ text, effect: effects[i % 4]!, layer: 'user', base: root }))
}

const policy: Policy = { mode: 'default', sandbox: true, home: path.join(root, 'home'), rules: compileRules(rules()) }

/** Returns the median microseconds per decision. */
function cost(tool: Tool, input: unknown, count: number): number {
  const all: number[] = []
  for (let i = 0; i < count; i++) {
    const begun = performance.now()
    void (decide({ tool, input }, ctx, policy) as Decision)
    all.push((performance.now() - begun) * 1000)
  }
  return median(all.slice(Math.floor(count / 10)))
}

const plain = ['ls -la src', 'cat src/a.ts', 'npm run build', 'grep -n x src/a.ts | head -5', 'echo hello']

const hostile = [
  'a '.repeat(4000),
  'ls;'.repeat(2600),
  'ls | '.repeat(1600) + 'ls',
  '$('.repeat(2000) + ')'.repeat(2000),
  `echo ${'"$(ls)" '.repeat(1000)}`,
  `cat ${'src/a.ts '.repeat(880)}`,
  `unknown ${'x/../y '.repeat(1100)}`,
  `rm ${'*'.repeat(7000)}`,
  `bash -c ${JSON.stringify('bash -c "ls" '.repeat(500))}`,
  '{'.repeat(4000) + '}'.repeat(4000),
  `x=${'a,'.repeat(3900)}`,
  `cat <<EOF\n${'$(ls)\n'.repeat(1300)}EOF`,
  'git push;'.repeat(900),
  'rm a b c;'.repeat(900),
  `cat ${Array.from({ length: 900 }, (_, i) => `f${i}/../x`).join(' ')}`,
  `node ${Array.from({ length: 1500 }, (_, i) => `f${i}`).join(' ')}`,
  'cat */*/*/*/* '.repeat(500),
].map((text) => text.slice(0, 8 * 1024))

export const benches = [
  {
    name: 'decide() on a plain command, 200 rules',
    bar: 'at most 50 µs',
    async run() {
      const costs = plain.map((command) => cost(bash, { command }, 5000))
      const detail = plain.map((command, i) => `${command}: ${micros(costs[i]!)}`).join(', ')
      return { value: micros(Math.max(...costs)), ok: Math.max(...costs) <= 50, detail }
    },
  },
  {
    name: 'decide() on a file, 200 rules',
    bar: 'at most 50 µs',
    async run() {
      const middle = cost(read, { file_path: 'src/a.ts' }, 5000)
      return { value: micros(middle), ok: middle <= 50, detail: 'Read of a file of the workspace' }
    },
  },
  {
    name: 'decide() on the worst commands of 8 KB, 200 rules',
    bar: 'under 20 ms',
    async run() {
      const costs = hostile.map((command) => cost(bash, { command }, 11) / 1000)
      const worst = Math.max(...costs)
      const which = hostile[costs.indexOf(worst)]!.slice(0, 20)
      return {
        value: `${worst.toFixed(1)} ms`,
        ok: worst < 20,
        detail: `of ${hostile.length}; worst: ${JSON.stringify(which)}…`,
      }
    },
  },
]
