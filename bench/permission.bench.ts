import { analyzeCommand } from '../packages/command-policy/src/analyze-command.ts'
import { median, micros } from './measure.ts'

const place = { cwd: '/home/me/project', home: '/home/me' }

/** Returns CPU milliseconds per analysis. */
function cost(text: string, count: number): number {
  const start = process.cpuUsage()
  for (let i = 0; i < count; i++) analyzeCommand(text, place)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000 / count
}

const plain = ['ls -la src | head', 'git status -s', `awk '{print $1}' f`, 'cd src && cat "a b.txt" 2>/dev/null']

const filled = (unit: string): string => unit.repeat(Math.floor(8192 / unit.length))
const nested = (open: string, close: string): string => {
  const depth = Math.floor(8192 / (open.length + close.length))
  return open.repeat(depth) + close.repeat(depth)
}
export const nasty: Record<string, string> = {
  'commands in a row': filled('a;'),
  pipes: filled('a|'),
  ands: filled('a&&'),
  'a long word': 'a'.repeat(8192),
  'many words': filled('a '),
  'quotes in quotes': filled(`"a'b"'c"d'`),
  'deep substitutions': nested('$(', ')'),
  'deep substitutions in quotes': nested('"$(', ')"'),
  'deep subshells': nested('(', ')'),
  'deep expansions': nested('${x:-', '}'),
  'deep arithmetic': `((${nested('(', ')').slice(2, -2)}))`,
  backticks: filled('`a` '),
  'here-documents': filled('cat <<E\nE\n'),
  'open here-documents': filled('<<E '),
  'here-documents with substitutions': filled('cat <<E\n$(a)\nE\n'),
  evals: filled('eval '),
  wrappers: filled('env '),
  'nested shells': filled('bash -c '),
  braces: filled('{a,b}'),
  'many braces': filled('{a,b} '),
  variables: filled('x=$x$x;'),
  assignments: filled('x=1 '),
  redirections: filled('>a '),
  globs: filled('*?[a]'),
  functions: filled('f(){ a;};'),
  loops: filled('for i in a;do '),
  cds: filled('cd a||'),
  'a sed script': `sed '${'s/a/b/;'.repeat(1100)}'`,
  'a sed script of brackets': `sed '${'['.repeat(8000)}'`,
  'an awk program': `awk '${'{print $1} '.repeat(700)}'`,
  'substitutions in quoted text': `test -v '${'$(a)'.repeat(2000)}'`,
  'code with calls': `python -c '${'system("a");'.repeat(650)}'`,
  backslashes: '\\'.repeat(8192),
  'double quotes': '"'.repeat(8192),
  parentheses: '('.repeat(8192),
  dollars: '$'.repeat(8192),
  'extended globs': nested('!(', ')'),
  'git settings': `git ${filled('-c a=b ').slice(0, 8000)}`,
  finds: filled('find -exec a ; '),
  cases: filled('case a in b) '),
}

export const benches = [
  {
    name: 'analysis of a plain command',
    bar: 'at most 25 µs (of the 50 µs of a decision)',
    run(): Promise<{ value: string; ok: boolean; detail: string }> {
      for (const text of plain) cost(text, 3000)
      const costs = plain.map((text) => Math.min(...Array.from({ length: 60 }, () => cost(text, 250))) * 1000)
      const worst = Math.max(...costs)
      return Promise.resolve({
        value: micros(worst),
        ok: worst <= 25,
        detail: costs.map((one) => micros(one)).join(', '),
      })
    },
  },
  {
    name: 'analysis of the worst command of 8 KB',
    bar: 'under 20 ms',
    run(): Promise<{ value: string; ok: boolean; detail: string }> {
      let worst = 0
      let which = ''
      for (const [name, text] of Object.entries(nasty)) {
        cost(text, 3)
        const one = median(Array.from({ length: 7 }, () => cost(text, 2)))
        if (one > worst) [worst, which] = [one, name]
      }
      return Promise.resolve({ value: `${worst.toFixed(1)} ms`, ok: worst < 20, detail: which })
    },
  },
]
